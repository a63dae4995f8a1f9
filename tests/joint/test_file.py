"""A JointModel comes back from its file as it was."""

import numpy as np
import pytest

from shortlist import JointModel, MajorityVote, NoiseAwareClassifier
from shortlist.errors import BadFile, BadFit, NotFitted

from .test_model import Centroids


@pytest.fixture(scope="module")
def fitted(world):
    return JointModel(balance=[0.4, 0.3, 0.3]).fit(world.votes, world.rows, {0: "a"})


def test_round_trip(fitted, world, tmp_path):
    fitted.save(tmp_path / "joint.npz")
    again = JointModel.load(tmp_path / "joint.npz")
    for name in ("beliefs_", "out_of_fold_", "source_", "balance_", "classes_"):
        assert (getattr(again, name) == getattr(fitted, name)).all()
    assert again.teacher_ == fitted.teacher_
    assert str(again) == str(fitted)
    assert (again.predict_proba(world.rows) == fitted.predict_proba(world.rows)).all()
    both = again.predict_proba(world.rows, world.votes)
    assert (both == fitted.predict_proba(world.rows, world.votes)).all()


def test_its_classifier_alone(fitted, world, tmp_path):
    fitted.classifier_.save(tmp_path / "classifier.npz")
    again = NoiseAwareClassifier.load(tmp_path / "classifier.npz")
    assert np.allclose(again.predict_proba(world.rows), fitted.predict_proba(world.rows))


def test_texts_and_counting_as_the_label_model(tmp_path):
    from .conftest import make_world

    world = make_world(m=100)
    texts = [["sun sea", "snow ice", "rain wind"][j] for j in world.truth]
    fitted = JointModel(MajorityVote(), by="counting").fit(world.votes, texts)
    fitted.save(tmp_path / "joint.npz")
    again = JointModel.load(tmp_path / "joint.npz")
    assert (again.predict_proba(texts, world.votes) == fitted.predict_proba(texts, world.votes)).all()


def test_what_cannot_be_saved(world, tmp_path):
    fitted = JointModel(classifier=Centroids(), by="mean").fit(world.votes, world.rows)
    with pytest.raises(BadFit, match="Centroids"):
        fitted.save(tmp_path / "joint.npz")
    with pytest.raises(NotFitted):
        JointModel().save(tmp_path / "joint.npz")


def test_another_file_is_refused(fitted, tmp_path):
    fitted.classifier_.save(tmp_path / "classifier.npz")
    with pytest.raises(BadFile, match="noise-aware classifier"):
        JointModel.load(tmp_path / "classifier.npz")
