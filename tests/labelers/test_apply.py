"""apply(): the same votes however the work is shared, and what happens when labelers fail."""

import sys

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shortlist import apply, feature, from_classifier, keywords, labeler, pattern
from shortlist.engines import Local, Threads
from shortlist.errors import BadLabeler, BadRows, LabelerFailed, ShortlistError, UnknownClass
from shortlist.rows import reading as rows_module

SPACE = ["a", "b", "c"]


@feature
def letters(text):
    return set(text)


@labeler(says=["a", {"a", "b"}, "c"])
def by_letter(text, letters):
    if "x" in letters:
        return {"a", "b"}
    return "c" if text.endswith("c") else None


@labeler
def found_out(text):
    return {0: "a", 1: {"b", "c"}, 2: None, 3: "b"}[len(text) % 4]


RULES = [by_letter, found_out, pattern(r"\bx", yes="a", no="c", name="p"), keywords(["x", "yz"], says={"a", "c"})]


@pytest.fixture
def small_chunks(monkeypatch):
    monkeypatch.setattr(rows_module, "CHUNK", 5)


@settings(max_examples=12, deadline=None)
@given(st.lists(st.text("xyzc ", max_size=4), max_size=23))
def test_one_two_and_three_workers_are_equal(texts):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rows_module, "CHUNK", 5)
        one, two, three = (apply(RULES, texts, space=SPACE, workers=w) for w in (1, 2, 3))
    assert one == two == three


@pytest.mark.usefixtures("small_chunks")
@pytest.mark.parametrize("workers", [1, 2])
def test_functions_written_anywhere_work_with_workers(workers):
    seen = "x"

    @feature
    def inner(text):
        return seen in text

    rule = labeler(says=["a", "b"], name="rule")(lambda inner: "a" if inner else "b")
    votes = apply([rule, lambda text: "c"], ["x", "y"] * 10, space=SPACE, workers=workers, features=[inner])
    assert votes.codes[:, 0].tolist() == [1, 2] * 10


@pytest.mark.usefixtures("small_chunks")
@pytest.mark.parametrize("workers", [1, 2])
def test_on_error_abstain_finishes_and_tells(workers):
    @labeler(says=["a"])
    def fails(text):
        if text == "bad":
            raise KeyError("deep inside")
        return "d" if text == "typo" else "a"

    rows = ["x", "bad", "typo", "x", "x", "x", "bad", "x"]
    votes = apply([fails, by_letter], rows, space=SPACE, on_error="abstain", workers=workers)
    assert votes.codes[:, 0].tolist() == [1, 0, 0, 1, 1, 1, 0, 1]
    assert votes.failures[0].count == 3
    assert "deep inside" in votes.failures[0].first
    assert votes.failures[1] is None
    assert votes.summary()["failed"].to_list() == [3, 0]
    assert "failed on 3 rows" in repr(votes)


@pytest.mark.usefixtures("small_chunks")
@pytest.mark.parametrize("workers", [1, 2])
def test_errors_name_the_row_of_the_whole(workers):
    @labeler(says=["a"])
    def fails(text):
        return 1 / (text != "bad") and "a"

    with pytest.raises(LabelerFailed, match="'fails' failed on row 13: ZeroDivisionError"):
        apply(fails, ["x"] * 13 + ["bad"] * 4, space=SPACE, workers=workers)

    typo = labeler(says=["a"], name="typo")(lambda text: "A" if text == "bad" else None)
    with pytest.raises(UnknownClass, match="row 13"):
        apply(typo, ["x"] * 13 + ["bad"] * 4, space=SPACE, workers=workers)


def test_more_rows_than_a_chunk_and_inferred_codes_that_meet_later():
    size = rows_module.CHUNK

    @labeler
    def late(a):
        return "b" if a < size else "a" if a < size + 2 else {"b", "a"}

    votes = apply(late, range(size + 4), space=SPACE)
    assert [votes.shortlist(a, 0) for a in (0, size, size + 3)] == [
        frozenset("b"), frozenset("a"), frozenset("ab")]  # fmt: skip
    assert np.bincount(votes.codes[:, 0]).tolist() == [0, 2, size, 2]


def test_codes_take_the_smallest_type_that_holds_them():
    names = [f"class {j}" for j in range(300)]
    many = labeler(says=names, name="many")(lambda a: names[a])
    assert apply(many, range(300)).codes.dtype == np.uint16
    assert apply(by_letter, ["x"], space=SPACE).codes.dtype == np.uint8


@pytest.mark.parametrize(
    ("call", "error", "fact"),
    [
        (lambda: apply([], ["x"]), BadLabeler, "no labelers"),
        (lambda: apply([by_letter, by_letter], ["x"]), BadLabeler, "'by_letter'"),
        (lambda: apply([3], ["x"]), BadLabeler, "int is no labeler"),
        (lambda: apply(by_letter, ["x"], workers=0), ShortlistError, "0"),
        (lambda: apply(by_letter, ["x"], workers=1.5), ShortlistError, "1.5"),
        (lambda: apply(by_letter, ["x"], workers=2, engine=Local(2)), ShortlistError, "engine=Local(n)"),
        (lambda: apply(by_letter, ["x"], on_error="ignore"), ShortlistError, "'ignore'"),
        (lambda: apply(by_letter, ["x"], space=["a"]), ShortlistError, "two classes"),
    ],
)
def test_bad_calls(call, error, fact):
    with pytest.raises(error) as raised:
        call()
    assert fact in str(raised.value)


@pytest.mark.parametrize("rows", [["x", "y"], pl.Series(["x"]), pl.DataFrame({"t": ["x"]}), "x", [{"t": "x"}]])
@pytest.mark.parametrize("labelers", [RULES, by_letter, [len, str], lambda text: "a"])
def test_who_swaps_labelers_and_rows_is_told_the_order(rows, labelers):
    """Newcomer: 16 lines of a polars Series that "is not a function"."""
    with pytest.raises(BadLabeler, match=r"labelers come first, then rows\. Write apply\(labelers, rows\)$"):
        apply(rows, labelers)


def test_a_table_or_a_text_is_no_list_of_labelers():
    for wrong in (pl.DataFrame({"t": ["x"]}), "x"):
        with pytest.raises(BadLabeler, match=r"labelers is a (DataFrame|str); give a labeler or a list"):
            apply(wrong, ["x"])


def test_progress_may_be_told_to_a_function():
    told = []
    apply(by_letter, ["x"] * 1_100, space=SPACE, progress=told.append)
    assert told == [512, 588]


class Backwards:
    """An engine of somebody else: it works on one piece after the other, and gives the last one first."""

    workers = 3

    def __init__(self):
        self.pieces = 0

    def map(self, function, pieces):
        found = [(number, function(piece)) for number, piece in pieces]
        self.pieces += len(found)
        yield from reversed(found)


@pytest.mark.usefixtures("small_chunks")
def test_any_engine_gives_the_same_votes():
    texts = ["x", "yc", "xyz", "z"] * 12
    engine = Backwards()
    assert apply(RULES, texts, space=SPACE, engine=engine) == apply(RULES, texts, space=SPACE)
    assert engine.pieces == 24  # eight for each worker
    assert apply(RULES, texts, space=SPACE, engine=Threads(2)) == apply(RULES, texts, space=SPACE)


@pytest.mark.usefixtures("small_chunks")
@pytest.mark.parametrize("workers", [1, 2])
def test_errors_name_rows_of_the_whole(workers):
    fails = labeler(says=["a"], name="fails")(lambda text: 1 / (text != "bad") and None)
    options = {"space": SPACE, "workers": workers}
    with pytest.raises(LabelerFailed, match="failed on row 13") as caught:
        apply(fails, ["x"] * 13 + ["bad"], **options)
    assert caught.value.facts == {
        "labeler": "fails", "row": 13, "file": __file__, "line": fails.function.__code__.co_firstlineno,
    }  # fmt: skip
    model = from_classifier(lambda rows: 1 / 0, {"x": "a"}, name="model")
    with pytest.raises(LabelerFailed, match="failed on rows 0 to") as caught:
        apply(model, ["x"] * 3, **options)
    assert caught.value.rows[0] == 0
    with pytest.raises(BadRows, match="labeler 'p': row 1 holds int, not text") as caught:
        apply(pattern("x", yes="a", name="p"), ["x", 3], **options)
    assert (caught.value.labeler, caught.value.row) == ("p", 1)


def test_rows_are_left_as_they_were():
    rows = [{"t": "x"}, {"t": "y"}]
    apply([pattern("x", yes="a", on="t"), labeler(says=["a"], name="f")(lambda row: None)], rows, space=SPACE)
    assert rows == [{"t": "x"}, {"t": "y"}]


CHANGES = {
    "an entry": lambda row: row.__setitem__("text", "changed"),
    "all entries": lambda row: row.clear(),
    "several": lambda row: row.update(text="changed"),
    "taken out": lambda row: row.pop("text"),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
@pytest.mark.parametrize("rows", [pl.DataFrame({"text": ["q"]}), [{"text": "q"}]], ids=["table", "dicts"])
def test_a_row_cannot_be_changed_and_the_error_names_who_tried(rows, change):
    """Attack L1: votes of other labelers changed, and an innocent one was named."""
    changes = labeler(says=["a"], name="changes")(lambda row: change(row))
    reads = labeler(says=["a"], name="reads")(lambda row: "a" if "q" in row["text"] else None)
    with pytest.raises(LabelerFailed, match=r"'changes' .* a copy, dict\(row\)"):
        apply([changes, reads], rows, space=SPACE)
    votes = apply([changes, reads], rows, space=SPACE, on_error="abstain")
    assert votes.codes.tolist() == [[0, 1]]


@pytest.mark.parametrize("rows", [pl.DataFrame({"tags": [["q"]]}), [{"tags": ["q"]}]], ids=["table", "dicts"])
def test_lists_inside_a_row_are_each_labelers_own(rows):
    spoils = labeler(says=["a"], name="spoils")(lambda row: row["tags"].clear())
    reads = labeler(says=["a"], name="reads")(lambda row: "a" if row["tags"] else None)
    assert apply([spoils, reads], rows, space=SPACE).codes.tolist() == [[0, 1]]
    given = [{"tags": ["q"]}]
    apply(spoils, given, space=SPACE)
    assert given == [{"tags": ["q"]}], "the user's own rows come back unchanged"


def test_dicts_answer_to_attributes_as_rows_of_tables_do():
    rule = labeler(says=["a"], name="rule")(lambda row: "a" if row.text == "x" and row["text"] == "x" else None)
    for rows in ([{"text": "x"}], iter([{"text": "x"}]), pl.DataFrame({"text": ["x"]})):
        assert apply(rule, rows, space=SPACE).codes.tolist() == [[1]]
    assert rule({"text": "x"}) == "a"
    with pytest.raises(LabelerFailed, match="Did you mean 'text'"):
        apply(labeler(says=["a"], name="typo")(lambda row: row.txt), [{"text": "x"}], space=SPACE)


def test_a_missing_text_of_a_table_is_empty_to_functions_and_nothing_to_patterns():
    rows = pl.DataFrame({"text": ["x", None], "n": [1, None]})
    by_row = labeler(says=["a"], name="by_row")(lambda row: "a" if row.text == "" and row.n is None else None)
    two_sided = pattern("x", yes="a", no="b", name="two_sided")
    assert apply([by_row, two_sided], rows, space=SPACE).codes.tolist() == [[0, 1], [1, 0]]


def test_a_crash_tells_the_row_and_how_to_go_on():
    rule = labeler(says=["a"], name="rule")(lambda text: text.split()[1])
    with pytest.raises(LabelerFailed) as error:
        apply(rule, ["b a", "alone"], space=SPACE)
    assert "row 1: IndexError: list index out of range. The row: 'alone'. " in str(error.value)
    assert 'apply(…, on_error="abstain")' in str(error.value)
    assert isinstance(error.value.__cause__, IndexError)
    assert error.value.row == 1


def test_half_a_character_in_a_name_is_told():
    with pytest.raises(BadLabeler, match="half a character") as told:
        apply([keywords(["x"], says="a", name="x\ud800")], ["x"], space=SPACE)
    assert told.value.labeler == "x\ud800"


ENDS = {
    "exit": lambda: sys.exit(0),
    "a generator": lambda: (_ for _ in ()).throw(GeneratorExit),
}


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("end", ENDS)
def test_whatever_a_labeler_does_it_is_named_with_its_row(end, workers):
    @labeler(says=["a", "b"])
    def rule(text):
        return ENDS[end]() if text == "x3" else "a"

    rows = [f"x{i}" for i in range(6)]
    with pytest.raises(LabelerFailed) as raised:
        apply(rule, rows, space=SPACE, workers=workers)
    assert (raised.value.labeler, raised.value.row) == ("rule", 3)
    votes = apply(rule, rows, space=SPACE, on_error="abstain")
    assert (votes.failures[0].count, votes.codes[:, 0].tolist()) == (1, [1, 1, 1, 0, 1, 1])
    assert "row 3" in votes.failures[0].first


def test_a_name_that_is_not_there_is_no_reason_to_let_errors_abstain():
    """It fails on every row."""

    @labeler
    def misspelt(text):
        return "a" if txet else "b"  # noqa: F821

    with pytest.raises(LabelerFailed, match="NameError") as told:
        apply(misspelt, ["x"], space=SPACE)
    assert "on_error" not in str(told.value)
