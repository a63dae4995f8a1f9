"""AttributeDetectors: they learn, they are judged on other classes, they say why they are missing."""

import warnings

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from shortlist import diagnose
from shortlist.errors import BadFit, Inseparable, NotFitted, UnknownClass, UselessLabeler
from shortlist.zeroshot import AttributeDetectors, AttributeTable, attribute_detectors
from shortlist.zeroshot.attribute_detectors import scores, train, validated
from tests.zeroshot.animals import TABLE, UNSEEN, parts


def test_they_find_attributes_in_classes_they_never_saw():
    X, y, X_new, y_new = parts()
    detectors = AttributeDetectors(TABLE).fit(X, y)
    assert set(detectors.unseen_) == set(UNSEEN)
    found = detectors.predict_proba(X_new)
    truth = TABLE.rows(y_new)[:, [TABLE.attributes.index(a) for a in detectors.attributes_]]
    assert ((found >= 0.5) == truth).mean() > 0.8
    assert all(0.5 < share <= 1 for share in detectors.accuracy_.values())


def test_the_held_out_accuracy_tells_what_to_expect():
    X, y, X_new, y_new = parts(noise=0.8, rows=100)
    detectors = AttributeDetectors(TABLE).fit(X, y)
    said = detectors.predict_proba(X_new) >= 0.5
    truth = TABLE.rows(y_new)[:, [TABLE.attributes.index(a) for a in detectors.attributes_]]
    assert abs((said == truth).mean() - np.mean(list(detectors.accuracy_.values()))) < 0.15


def test_votes_are_shortlists_of_the_unseen_classes():
    X, y, X_new, _ = parts(noise=0.8)
    detectors = AttributeDetectors(TABLE).fit(X, y)
    votes = detectors.votes(X_new)
    assert votes.names == detectors.attributes_
    assert set(votes.said(0)["hooves"]) in ({"okapi"}, {"tiger", "duck"})
    assert (votes.coverage == 1).all()


def test_each_is_scikit_learns_logistic_regression():
    """Both sides weigh one half in all, and the penalty is 0.01: C = 1 / (0.01 · rows) for weights of mean one."""
    X, y, _, _ = parts()
    X, yes = X.astype(np.float32), TABLE.rows(y)
    found = scores(X, train(X, yes))
    for i in range(yes.shape[1]):
        other = LogisticRegression(C=100 / len(X), class_weight="balanced", tol=1e-6, max_iter=1000).fit(X, yes[:, i])
        np.testing.assert_allclose(found[:, i], other.predict_proba(X)[:, 1], atol=0.01)


def test_no_detector_is_judged_on_a_class_it_was_trained_on(monkeypatch):
    """With features that tell classes and nothing else, held-out classes are guessed at; its own would all be right."""
    trained = []
    monkeypatch.setattr(attribute_detectors, "train", lambda X, yes: trained.append(X) or train(X, yes))
    truth, has = np.repeat(np.arange(8), 5), np.arange(8)[:, None] % 2 == [[0, 1]]
    X = np.eye(8, dtype=np.float32)[truth]
    assert validated(X, truth, has, 0) == pytest.approx([0.5, 0.5], abs=0.5)
    kept = [set(np.flatnonzero(rows.any(axis=0))) for rows in trained]
    assert len(kept) == 5
    assert set.union(*(set(range(8)) - some for some in kept)) == set(range(8))


def test_an_attribute_of_one_class_is_judged_on_the_others():
    truth, has = np.repeat(np.arange(4), 5), np.array([[True], [False], [False], [False]])
    X = np.where(has[truth], 1.0, -1.0).astype(np.float32) + np.zeros((20, 2), np.float32)
    assert validated(X, truth, has, 0) == pytest.approx([1.0])


def test_constant_and_beside_the_point():
    X, y, _, _ = parts()
    table = {name: [c for c in TABLE.classes if TABLE.rows([c])[0, i]] for i, name in enumerate(TABLE.attributes)}
    seen = sorted(set(y))
    table |= {
        "alive": list(TABLE.classes),
        "owned by me": ["tiger"],
        "heavy": [*seen[:3], *UNSEEN],
    }
    with pytest.warns(UselessLabeler) as caught:
        detectors = AttributeDetectors(AttributeTable.of(table, classes=TABLE.classes)).fit(X, y)
    assert detectors.dropped_["alive"] == "every seen class has it"
    assert detectors.dropped_["owned by me"] == "no seen class has it"
    assert detectors.dropped_["heavy"] == "every unseen class has it"
    text = str(caught[0].message)
    assert "alive" in text
    assert "heavy" not in text  # it is no loss
    summary = detectors.summary()
    assert summary.filter(summary["attribute"] == "alive")["dropped"].to_list() == ["every seen class has it"]
    assert len(summary) == 9


def test_what_fails_on_held_out_classes_is_left_out():
    """Four classes at the corners of a square. Held out, a corner is always on the wrong side of a diagonal rule."""
    corners = {"ne": (1, 1), "nw": (-1, 1), "se": (1, -1), "sw": (-1, -1)}
    y = np.repeat(list(corners), 10)
    X = np.array([corners[name] for name in y]) + 0.1 * np.random.default_rng(0).normal(size=(40, 2))
    table = {"east": ["ne", "se", "e"], "diagonal": ["ne", "sw", "e"], "north": ["ne", "nw", "n"]}
    with pytest.warns(UselessLabeler, match="diagonal .* no better than a coin"):
        detectors = AttributeDetectors(table).fit(X, y)
    assert detectors.attributes_ == ("east", "north")
    assert detectors.accuracy_["east"] == 1


def test_unseen_classes_that_cannot_be_told_apart_are_said_before_any_training(monkeypatch):
    X, y, _, _ = parts()
    table = AttributeTable.of(
        {"stripes": ["tiger", "okapi", "zebra", "bee"], "claws": ["duck", "lion", "bear"], "horns": ["okapi"]},
        classes=TABLE.classes,
    )
    trained = []
    monkeypatch.setattr(attribute_detectors, "train", lambda *_: trained.append(1))
    with warnings.catch_warnings():
        warnings.simplefilter("error", Inseparable)
        with pytest.raises(Inseparable, match="tiger and okapi differ only in attributes that cannot be learned"):
            AttributeDetectors(table).fit(X, y, unseen=["tiger", "okapi", "duck"])
        twins = AttributeTable.of({"claws": ["duck", "lion", "bear"]}, classes=TABLE.classes)
        with pytest.raises(Inseparable, match="tiger and okapi have the same attributes"):
            AttributeDetectors(twins).fit(X, y, unseen=["tiger", "okapi", "duck"])
    assert not trained


def test_the_doctor_says_it_of_the_labelers_too():
    from shortlist import attributes

    labelers = attributes({"claws": ["duck"], "wings": ["duck"]}, classes=["tiger", "okapi", "duck"])
    assert diagnose(labelers, space=["tiger", "okapi", "duck"]).inseparable_pairs == (("tiger", "okapi"),)


@pytest.mark.parametrize(
    ("change", "fact"),
    [
        ({"unseen": ["tiger", "lion"]}, "lion: called unseen"),
        ({"unseen": ["tiger"]}, "at least two unseen"),
        ({"unseen": ["tiger", "duck", "duck"]}, "twice"),
        ({"y": lambda y: y[1:]}, "labels"),
        ({"y": lambda y: np.arange(len(y))}, "row 0 has 0"),
        ({"y": lambda y: [None, *y[1:]]}, "unlabelled"),
        ({"y": lambda y: np.where(y == "lion", "lion", "bear")}, "at least three seen"),
        ({"X": lambda X: np.where(np.arange(X.size).reshape(X.shape) == 30, np.nan, X)}, "row 2, column 6"),
        ({"X": lambda X: X[:, 0]}, "shape"),
        ({"X": lambda X: X.astype(str).astype(object) + "x"}, "numbers"),
    ],
)
def test_bad_input_is_explained(change, fact):
    X, y, _, _ = parts()
    X, y = change.get("X", lambda X: X)(X), change.get("y", lambda y: y)(y)
    with pytest.raises(BadFit) as error:
        AttributeDetectors(TABLE).fit(X, y, unseen=change.get("unseen"))
    assert fact in str(error.value)


def test_a_class_that_the_table_does_not_cover():
    X, y, _, _ = parts()
    with pytest.raises(UnknownClass, match=r"'lyon'.*'lion'"):
        AttributeDetectors(TABLE).fit(X, np.where(y == "lion", "lyon", y))
    with pytest.raises(UnknownClass, match="'ducks'"):
        AttributeDetectors(TABLE).fit(X, y, unseen=["tiger", "ducks"])


def test_asking_too_early_or_of_other_features():
    X, y, X_new, _ = parts()
    with pytest.raises(NotFitted):
        AttributeDetectors(TABLE).votes(X_new)
    with pytest.raises(BadFit, match="12 features"):
        AttributeDetectors(TABLE).fit(X, y).votes(X_new[:, :5])


def test_no_rows_no_votes():
    X, y, X_new, _ = parts()
    assert len(AttributeDetectors(TABLE).fit(X, y).votes(X_new[:0])) == 0
