"""AttributeDetectors: they learn, they are judged on other classes, they say why they are missing."""

import sys
import warnings
from functools import partial

import numpy as np
import pytest

from shortlist import apply, diagnose
from shortlist.errors import BadFile, BadFit, Inseparable, NotFitted, UnknownClass, UselessLabeler
from shortlist.zeroshot import AttributeDetectors, AttributeTable
from shortlist.zeroshot.mlp_detectors import MLPTraining
from tests.zeroshot.animals import SMALL, TABLE, UNSEEN, parts

QUICK = {**SMALL, "epochs": 3}
KINDS = [{"kind": "linear"}, {"kind": "mlp", **SMALL}]


@pytest.mark.parametrize("options", KINDS, ids=["linear", "mlp"])
def test_they_find_attributes_in_classes_they_never_saw(options):
    X, y, X_new, y_new = parts()
    detectors = AttributeDetectors(TABLE, **options).fit(X, y)
    assert set(detectors.unseen_) == set(UNSEEN)
    scores = detectors.predict_proba(X_new)
    truth = TABLE.rows(y_new)[:, [TABLE.attributes.index(a) for a in detectors.attributes_]]
    assert ((scores >= 0.5) == truth).mean() > 0.8
    assert all(0.5 < found.accuracy <= 1 for found in detectors.validation_.values())


def test_the_held_out_accuracy_tells_what_to_expect():
    X, y, X_new, y_new = parts(noise=0.8, rows=100)
    detectors = AttributeDetectors(TABLE, kind="linear").fit(X, y)
    said = detectors.predict_proba(X_new) >= 0.5
    truth = TABLE.rows(y_new)[:, [TABLE.attributes.index(a) for a in detectors.attributes_]]
    expected = np.mean([found.accuracy for found in detectors.validation_.values()])
    assert abs((said == truth).mean() - expected) < 0.15


def test_votes_and_labelers_say_the_same():
    X, y, X_new, _ = parts(noise=0.8)
    detectors = AttributeDetectors(TABLE, kind="linear").fit(X, y)
    votes = detectors.votes(X_new)
    by_labeler = apply(detectors.labelers(), detectors.scores(X_new), space=detectors.unseen_)
    assert votes.names == by_labeler.names
    np.testing.assert_array_equal(votes.codes, by_labeler.codes)
    assert votes.said(0).get("hooves") in (("okapi",), ("tiger", "duck"), ("duck", "tiger"), None)
    assert (votes.coverage < 1).any()  # a band was chosen where scores are unsure


def test_in_parts_or_all_at_once(monkeypatch):
    """Memory decides how many are trained at a time; nothing else depends on it."""
    X, y, X_new, _ = parts()
    options = {**SMALL, "epochs": 5, "kind": "mlp"}
    monkeypatch.setattr("shortlist.zeroshot.attribute_detectors.MLPTraining", partial(MLPTraining, dropout=0.0))
    whole = AttributeDetectors(TABLE, **options).fit(X, y)
    monkeypatch.setattr("shortlist.zeroshot.mlp_detectors.MOST_WEIGHTS", 1)
    one_by_one = AttributeDetectors(TABLE, **options).fit(X, y)
    assert len(one_by_one.networks_) == len(one_by_one.attributes_) > len(whole.networks_)
    assert one_by_one.attributes_ == whole.attributes_
    np.testing.assert_allclose(one_by_one.predict_proba(X_new), whole.predict_proba(X_new), atol=5e-3)


def test_the_seed_decides_and_nothing_else():
    torch = pytest.importorskip("torch")
    X, y, X_new, _ = parts()
    torch.manual_seed(3)
    before = torch.get_rng_state()
    first = AttributeDetectors(TABLE, kind="mlp", **QUICK).fit(X, y).predict_proba(X_new)
    assert torch.equal(torch.get_rng_state(), before)
    again = AttributeDetectors(TABLE, kind="mlp", **QUICK).fit(X, y).predict_proba(X_new)
    np.testing.assert_array_equal(first, again)
    other = AttributeDetectors(TABLE, kind="mlp", **QUICK, seed=1).fit(X, y).predict_proba(X_new)
    assert np.abs(first - other).max() > 1e-3


def test_without_torch_they_are_linear(monkeypatch):
    X, y, _, _ = parts()
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    monkeypatch.setitem(sys.modules, "torch", None)
    detectors = AttributeDetectors(TABLE).fit(X, y)
    assert all(len(networks.layers) == 1 for networks, _ in detectors.networks_)


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
        detectors = AttributeDetectors(AttributeTable.of(table, classes=TABLE.classes), kind="linear").fit(X, y)
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
        detectors = AttributeDetectors(table, kind="linear", folds=4).fit(X, y)
    assert detectors.attributes_ == ("east", "north")
    assert detectors.validation_["east"].accuracy == 1


def test_unseen_classes_that_cannot_be_told_apart_are_said_before_any_training(monkeypatch):
    X, y, _, _ = parts()
    table = AttributeTable.of(
        {"stripes": ["tiger", "okapi", "zebra", "bee"], "claws": ["duck", "lion", "bear"], "horns": ["okapi"]},
        classes=TABLE.classes,
    )
    trained = []
    monkeypatch.setattr(AttributeDetectors, "_training", lambda *_: trained.append(1) or pytest.skip.Exception)
    with warnings.catch_warnings():
        warnings.simplefilter("error", Inseparable)
        with pytest.raises(Inseparable, match="tiger and okapi differ only in attributes that cannot be learned"):
            AttributeDetectors(table, kind="linear").fit(X, y, unseen=["tiger", "okapi", "duck"])
        twins = AttributeTable.of({"claws": ["duck", "lion", "bear"]}, classes=TABLE.classes)
        with pytest.raises(Inseparable, match="tiger and okapi have the same attributes"):
            AttributeDetectors(twins, kind="linear").fit(X, y, unseen=["tiger", "okapi", "duck"])
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
        AttributeDetectors(TABLE, kind="linear").fit(X, y, unseen=change.get("unseen"))
    assert fact in str(error.value)


def test_a_class_that_the_table_does_not_cover():
    X, y, _, _ = parts()
    with pytest.raises(UnknownClass, match=r"'lyon'.*'lion'"):
        AttributeDetectors(TABLE).fit(X, np.where(y == "lion", "lyon", y))
    with pytest.raises(UnknownClass, match="'ducks'"):
        AttributeDetectors(TABLE).fit(X, y, unseen=["tiger", "ducks"])


@pytest.mark.parametrize("options", [{"kind": "deep"}, {"band": (0.9, 0.1)}, {"folds": 0}, {"batch_size": 1}])
def test_bad_options(options):
    X, y, _, _ = parts()
    with pytest.raises(BadFit, match=next(iter(options))):
        AttributeDetectors(TABLE, **options).fit(X, y)


def test_asking_too_early_or_of_other_features():
    X, y, X_new, _ = parts()
    with pytest.raises(NotFitted):
        AttributeDetectors(TABLE).votes(X_new)
    with pytest.raises(BadFit, match="12 features"):
        AttributeDetectors(TABLE, kind="linear").fit(X, y).votes(X_new[:, :5])


@pytest.mark.parametrize("options", KINDS, ids=["linear", "mlp"])
def test_they_come_back_from_their_file(options, tmp_path):
    X, y, X_new, _ = parts()
    detectors = AttributeDetectors(TABLE, **options).fit(X, y)
    detectors.save(tmp_path / "detectors.npz")
    back = AttributeDetectors.load(tmp_path / "detectors.npz")
    assert back.votes(X_new) == detectors.votes(X_new)
    assert back.validation_ == detectors.validation_
    assert back.dropped_ == detectors.dropped_
    whole = (tmp_path / "detectors.npz").read_bytes()
    for length in (0, 10, len(whole) // 2):
        (tmp_path / "detectors.npz").write_bytes(whole[:length])
        with pytest.raises(BadFile):
            AttributeDetectors.load(tmp_path / "detectors.npz")


def test_no_rows_no_votes():
    X, y, X_new, _ = parts()
    assert len(AttributeDetectors(TABLE, kind="linear").fit(X, y).votes(X_new[:0])) == 0
