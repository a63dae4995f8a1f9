"""JointModel: recovery, cross-fitting, gold, options and bad input."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression

from shortlist import JointModel, LabelModel
from shortlist.errors import BadFit, BadRows, NotFitted, ShortlistError
from shortlist.joint.joint_model import row_weights

from .conftest import CLASSES, make_world


@pytest.fixture(scope="module")
def joint(world):
    return JointModel(by="mean").fit(world.votes, world.rows)


def share_right(beliefs, truth):
    return (beliefs.argmax(axis=1) == truth).mean()


def test_votes_and_rows_together_are_better_than_either(world, joint):
    covered = world.votes.covered
    votes = share_right(LabelModel().fit(world.votes).predict_proba(world.votes)[covered], world.truth[covered])
    fresh = make_world(seed=1)
    assert share_right(joint.beliefs_[covered], world.truth[covered]) > votes + 0.05
    both, alone = joint.predict_proba(fresh.rows, fresh.votes), joint.predict_proba(fresh.rows)
    assert share_right(both, fresh.truth) > share_right(alone, fresh.truth) > 0.75


def test_rows_without_a_vote_are_labelled_from_text_alone(world, joint):
    uncovered = ~world.votes.covered
    assert uncovered.any()
    assert set(joint.source_[uncovered]) == {"text alone"}
    assert set(joint.source_[~uncovered]) == {"votes and text"}
    assert np.allclose(joint.beliefs_.sum(axis=1), 1)


def test_labels_are_a_table_of_the_beliefs(world, joint):
    table = joint.labels_
    assert table["class"].to_list() == joint.classes_[joint.beliefs_.argmax(axis=1)].tolist()
    assert table["source"].to_list() == joint.source_.tolist()
    np.testing.assert_array_equal(table.select(f"belief_{name}" for name in CLASSES).to_numpy(), joint.beliefs_)
    with pytest.raises(NotFitted):
        _ = JointModel().labels_


def test_gold_of_a_row_does_not_change_its_own_out_of_fold_belief(world):
    gold = np.where(np.arange(len(world.truth)) % 5 == 0, world.names, None)
    lied = gold.copy()
    lied[10] = CLASSES[(world.truth[10] + 1) % 3]
    one, other = (JointModel(by="counting").fit(world.votes, world.rows, g) for g in (gold, lied))
    assert (one.out_of_fold_[10] == other.out_of_fold_[10]).all()
    assert one.beliefs_[10].argmax() != other.beliefs_[10].argmax()


def test_gold_wins(world):
    gold = np.where(np.arange(len(world.truth)) % 3 == 0, world.names, None)
    known = gold != None  # noqa: E711  element by element
    fitted = JointModel(by="mean").fit(world.votes, world.rows, gold)
    assert (fitted.beliefs_[known].argmax(axis=1) == world.truth[known]).all()
    assert (fitted.beliefs_[known].max(axis=1) == 1).all()
    assert set(fitted.source_[known]) == {"gold"}
    assert share_right(fitted.out_of_fold_[known], world.truth[known]) < 1  # these are judged without their gold


def test_the_classifier_learns_from_gold():
    world, fresh = make_world(accuracy=0.4), make_world(seed=2, m=3000)
    gold = np.where(np.arange(600) % 3 == 0, world.names, None)
    without, with_gold = (JointModel(by="mean").fit(world.votes, world.rows, g) for g in (None, gold))
    gain = [share_right(each.predict_proba(fresh.rows), fresh.truth) for each in (without, with_gold)]
    assert gain[1] > gain[0] + 0.02


def test_gold_can_be_a_mapping(world):
    fitted = JointModel(by="mean").fit(world.votes, world.rows, {3: "b"})
    assert fitted.source_[3] == "gold"
    assert fitted.beliefs_[3].tolist() == [0, 1, 0]


def test_weight_of_gold():
    covered, gold = np.ones(100, bool), np.full(100, -1)
    gold[:20] = 0
    assert row_weights(covered, gold).tolist() == [4.0] * 20 + [1.0] * 80  # 80 rows with votes, 20 gold rows
    gold[2:] = -1
    assert row_weights(covered, gold)[:2].tolist() == [10, 10]
    gold[:70] = 0
    assert set(row_weights(covered, gold)) == {1}


def test_the_same_twice(world, joint):
    again = JointModel(by="mean").fit(world.votes, world.rows)
    assert (again.beliefs_ == joint.beliefs_).all()
    assert (again.predict_proba(world.rows) == joint.predict_proba(world.rows)).all()


def test_what_the_classifier_predicts_alone_is_what_the_model_predicts(world, joint):
    assert np.allclose(joint.classifier_.predict_proba(world.rows), joint.predict_proba(world.rows))
    assert joint.classifier_.predict(world.rows[:9]).tolist() == joint.predict(world.rows[:9]).tolist()


def test_given_shares_are_used(world, joint):
    fitted = JointModel(by="mean", balance={"a": 0.8, "b": 0.1, "c": 0.1}).fit(world.votes, world.rows)
    assert fitted.balance_.tolist() == [0.8, 0.1, 0.1]
    assert fitted.beliefs_[:, 0].mean() > joint.beliefs_[:, 0].mean() + 0.05


@pytest.mark.parametrize("kind", [list, pd.DataFrame, sp.csr_matrix], ids=["list", "pandas", "sparse"])
def test_rows_of_every_kind(world, joint, kind):
    rows = world.rows.tolist() if kind is list else kind(world.rows)
    assert np.allclose(JointModel(by="mean").fit(world.votes, rows).beliefs_, joint.beliefs_, atol=0.1)


def test_texts_share_their_features_and_are_read_afterwards():
    world = make_world(m=200)
    words = [["sun sea", "snow ice", "rain wind"][j] for j in world.truth]
    texts = [f"{word} row {a % 7}" for a, word in enumerate(words)]
    fitted = JointModel(by="counting").fit(world.votes, texts)
    assert fitted.predict(["the sun and the sea", "ice"]).tolist() == ["a", "b"]


def test_an_estimator_of_scikit_learn(world):
    fitted = JointModel(classifier=LogisticRegression(), by="mean").fit(world.votes, world.rows)
    assert share_right(fitted.beliefs_, world.truth) > 0.8
    assert fitted.classifier_.predict(world.rows[:5]).tolist() == fitted.predict(world.rows[:5]).tolist()


class Centroids:
    """A classifier that knows neither weights nor `adjust`."""

    def get_params(self, deep=True):
        return {}

    def fit(self, rows, beliefs, *, covered, classes):
        share = beliefs[covered] / beliefs[covered].sum(axis=0)
        self.means_, self.classes_ = share.T @ rows[covered], np.array(list(classes))
        return self

    def predict_proba(self, rows):
        near = np.exp(-((rows[:, None] - self.means_) ** 2).sum(axis=2))
        return near / near.sum(axis=1, keepdims=True)


def test_a_classifier_of_ones_own(world):
    fitted = JointModel(classifier=Centroids(), by="mean").fit(world.votes, world.rows)
    assert share_right(fitted.predict_proba(world.rows), world.truth) > 0.75


def test_it_says_what_it_did(world, joint):
    text = str(joint)
    assert "600 rows, 3 classes" in text
    assert "as asked for" in text
    assert "text alone" in text
    assert str(clone(joint)) == "JointModel, not fitted"


@pytest.mark.parametrize(
    ("options", "option"),
    [({"by": "guess"}, "by"), ({"seed": -1}, "seed")],
)
def test_bad_options(world, options, option):
    with pytest.raises(BadFit) as caught:
        JointModel(**options).fit(world.votes, world.rows)
    assert caught.value.option == (option,)


def test_bad_input(world, joint):
    with pytest.raises(BadFit, match="JointModel"):
        JointModel().fit(world.rows, world.votes)
    with pytest.raises(BadRows, match="599 rows and votes about 600"):
        JointModel().fit(world.votes, world.rows[:599])
    with pytest.raises(BadRows, match="they must be the same rows"):
        joint.predict_proba(world.rows[:5], world.votes[:4])
    with pytest.raises(NotFitted, match="fit"):
        JointModel().predict(world.rows)
    with pytest.raises(ShortlistError, match="'x'"):
        JointModel().fit(world.votes, world.rows, {0: "x"})
    with pytest.raises(BadFit, match="no row has a vote"):
        JointModel().fit(world.votes[~world.votes.covered], world.rows[~world.votes.covered])
