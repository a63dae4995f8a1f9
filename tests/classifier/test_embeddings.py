"""Vectors of an encoder beside n-grams: kept in a file, read once, and used by classifier and joint model."""

import numpy as np
import pytest

from shortlist import JointModel, NoiseAwareClassifier, Votes
from shortlist.classifier import TextFeatures, embeddings
from shortlist.classifier.embeddings import embed, vectors_kept_in
from shortlist.errors import BadFile
from shortlist.project import BadProject
from shortlist.project.session import Listener
from tests.project.news import TOML, edit, make, rows

TEXTS = ["the cat sleeps", "a dog barks", "", "the cat sleeps", "where is the dog ?"]


@pytest.fixture
def encoder(tiny_encoder):
    return str(tiny_encoder)


@pytest.fixture
def read(monkeypatch):
    """The texts that the encoder is given from now on."""
    seen, original = [], embeddings.mean_vectors

    def note(encoder, texts):
        seen.append(list(texts))
        return original(encoder, texts)

    monkeypatch.setattr(embeddings, "mean_vectors", note)
    return seen


def test_vectors_have_unit_length_and_equal_texts_have_equal_ones(encoder):
    vectors = embed(encoder, TEXTS)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, rtol=2e-3)  # half precision
    assert np.array_equal(vectors[0], vectors[3])
    assert not np.allclose(vectors[0], vectors[1])


def test_a_text_is_read_once(encoder, tmp_path, read):
    with vectors_kept_in(tmp_path / "vectors"):
        first = embed(encoder, TEXTS)
        again = embed(encoder, [TEXTS[4], "a bird", *TEXTS])
    assert [len(each) for each in read] == [4, 1]  # one of the five is there twice
    assert read[1] == ["a bird"]
    assert np.array_equal(again[2:], first)
    assert np.array_equal(again[0], first[4])
    embed(encoder, TEXTS)  # elsewhere, no file is read or written
    assert len(read) == 3


def test_a_damaged_file_is_made_anew_and_each_encoder_has_its_own(encoder, tmp_path, read, monkeypatch):
    with vectors_kept_in(tmp_path / "vectors"):
        first = embed(encoder, TEXTS)
        (path,) = tmp_path.iterdir()
        path.write_bytes(path.read_bytes()[:100])
        assert np.array_equal(embed(encoder, TEXTS), first)
        monkeypatch.setattr(embeddings, "_loaded", lambda _name, loaded=embeddings._loaded: loaded(encoder))
        embed("another", TEXTS)
        assert [len(each) for each in read] == [4, 4, 4]
        for name in (encoder, "another", encoder):
            assert np.array_equal(embed(name, TEXTS), first)
    assert len(read) == 3


def test_a_file_that_is_deleted_meanwhile_is_made_anew(encoder, tmp_path, read, monkeypatch):
    with vectors_kept_in(tmp_path / "vectors"):
        first = embed(encoder, TEXTS)
        next(tmp_path.iterdir()).unlink()
        monkeypatch.setattr(embeddings.Path, "exists", lambda _path: True)  # it was there a moment ago
        assert np.array_equal(embed(encoder, TEXTS), first)
    assert len(read) == 2


def test_vectors_stand_beside_the_n_grams(encoder):
    plain, features = TextFeatures(), TextFeatures(encoder=encoder)
    X = features.fit_transform(TEXTS).toarray()
    p = plain.fit_transform(TEXTS).shape[1]
    assert np.array_equal(X[:, :p], plain.fit_transform(TEXTS).toarray())
    assert np.array_equal(X[:, p:], embed(encoder, TEXTS))
    assert len(features.get_feature_names_out()) == X.shape[1]
    with pytest.raises(BadFile, match="there is no encoder"):
        TextFeatures(encoder="./nowhere").fit(TEXTS)


def test_a_classifier_with_vectors_comes_back_from_its_file(encoder, tmp_path):
    model = NoiseAwareClassifier(features=TextFeatures(encoder=encoder)).fit(TEXTS, ["a", "b", "b", "a", "b"])
    model.save(tmp_path / "model.npz")
    again = NoiseAwareClassifier.load(tmp_path / "model.npz")
    np.testing.assert_allclose(again.predict_proba(TEXTS), model.predict_proba(TEXTS))


def test_rows_resemble_each_other_by_words_and_vectors(encoder, read, monkeypatch):
    """The encoder reads the rows once for classifier and evidence together."""
    votes = Votes([[1, 0, 1], [2, 2, 0], [0, 1, 1], [2, 0, 2]] * 10, [["cat", "dog"]] * 3, ["cat", "dog"])
    texts = ["the cat", "a dog", "my cat sleeps", "dog"] * 10
    with_vectors = JointModel(features=TextFeatures(encoder=encoder)).fit(votes, texts)
    assert len(read) == 1
    words = JointModel().fit(votes, texts)
    assert not np.allclose(with_vectors.rows_alone_, words.rows_alone_)
    assert (with_vectors.predict(texts) == words.predict(texts)).all()


def test_a_project_names_its_encoder_and_reads_new_texts_only(encoder, tmp_path, read):
    toml = TOML.replace('kind = "linear"', f'kind = "linear"\nencoder = "{encoder}"')
    project = make(tmp_path / "news", toml=toml)
    told = []

    class Lines(Listener):
        def tell(self, line):
            told.append(line)

    project.run(["export", "check"], listener=Lines())
    assert sum(map(len, read)) == 300
    assert "reading 300 texts with the encoder: 85%" in told
    assert project.classifier.features_.encoder == encoder
    edit(project.folder / "labelers.py", "goal", "match")
    project.run(["export"])
    assert sum(map(len, read)) == 300
    rows(40, seed=5).write_csv(tmp_path / "new.csv")
    assert project.predict(tmp_path / "new.csv", path=tmp_path / "out.csv")["rows"] == 40
    edit(project.folder / "shortlist.toml", "encoder =", "encode =")
    with pytest.raises(BadProject, match=r"classifier\.encode is no option of .* Did you mean 'encoder'\?"):
        project.run(["train"])
