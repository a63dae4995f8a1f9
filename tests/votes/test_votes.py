"""Votes: construction, slicing, counting, showing, equality, files."""

import copy
import json
import os

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from shortlist.archive import read_archive, write_archive
from shortlist.errors import BadFile, BadShortlist, BadVotes, UnknownClass
from shortlist.labelspace import LabelSpace, Not
from shortlist.votes import Codomain, Failure, Votes
from tests.votes.drawing import spaces
from tests.votes.drawing import votes as any_votes

NEWS = LabelSpace(["business", "sports", "world"])
SAYS = [["sports"], [{"sports", "world"}, "business"], ["business", "sports", "world"]]
NAMES = ["goal", "abroad", "desk"]


@pytest.fixture
def votes():
    return Votes([[1, 0, 3], [0, 2, 0], [0, 0, 0], [1, 1, 2]], SAYS, NEWS, NAMES, ids=["w", "x", "y", "z"])


# -- known answers ------------------------------------------------------------------------------------------


def test_shape_counts_and_coverage(votes):
    assert votes.shape == (4, 3)
    assert len(votes) == 4
    assert votes.sizes == [2, 2, 3]  # `goal` has a dummy
    assert [c.tolist() for c in votes.counts()] == [[2, 2, 0], [2, 1, 1], [2, 0, 1, 1]]
    assert votes.covered.tolist() == [True, True, False, True]
    assert votes.coverage.tolist() == [0.5, 0.5, 0.5]
    assert votes.names == tuple(NAMES)
    assert Votes([[0]], [["a"]], ["a", "b"]).names == ("labeler_1",)


def test_what_was_said(votes):
    assert votes.said(0) == {"goal": ("sports",), "desk": ("world",)}
    assert votes.said(2) == {}
    assert votes.said(-1) == {"goal": ("sports",), "abroad": ("sports", "world"), "desk": ("sports",)}
    assert votes.said(np.int64(1)) == {"abroad": ("business",)}
    assert votes.shortlist(3, "abroad") == {"sports", "world"}
    assert votes.shortlist(3, 1) == {"sports", "world"}
    assert votes.shortlist(2, "goal") is None
    with pytest.raises(IndexError):
        votes.said(4)


def test_what_is_said_the_inferred_mark_and_failures_are_seen():
    codomains = [
        Codomain.declare(["sports"], NEWS),
        Codomain.declare(["sports", Not("sports")], NEWS, inferred=True),
    ]
    votes = Votes([[1, 2], [0, 0]], codomains, NEWS, ["goal", "seen"], failures=[None, Failure(1234, "boom")])
    assert repr(votes).splitlines() == [
        "Votes: 2 rows × 2 labelers over 3 classes (business, sports, world); 50.0% of rows covered",
        "  goal   50.0%  sports",
        "  seen   50.0%  sports | {business, world} (inferred)  [failed on 1,234 rows]",
    ]
    used = Votes([[2]], codomains[:1], NEWS, ["goal"])
    assert "sports | dummy {business, world}" in repr(used)  # somebody voted the dummy, so it is shown
    assert votes.summary().to_dicts() == [
        {
            "labeler": "goal",
            "says": ["sports"],
            "dummy": ["{business, world}"],
            "inferred": False,
            "votes": 1,
            "coverage": 0.5,
            "failed": 0,
        },
        {
            "labeler": "seen",
            "says": ["sports", "{business, world}"],
            "dummy": [],
            "inferred": True,
            "votes": 1,
            "coverage": 0.5,
            "failed": 1234,
        },
    ]


def test_a_long_repr_stays_readable():
    space = LabelSpace([f"class number {j}" for j in range(70)])
    votes = Votes(np.zeros((2, 30), int), [list(space)] * 30, space)
    lines = repr(votes).splitlines()
    assert len(lines) == 1 + 12 + 1
    assert lines[-1] == "  … and 18 more"
    assert max(map(len, lines[1:])) < 130
    assert lines[1].endswith("class number 69")
    one = repr(Votes([[0]], [Codomain.declare(list(space), space, inferred=True)], space))
    assert one.endswith("(inferred)")


def test_the_frame_shows_shortlists_as_text(votes):
    assert votes.to_frame().to_dict(as_series=False) == {
        "id": ["w", "x", "y", "z"],
        "goal": ["sports", None, None, "sports"],
        "abroad": [None, "business", None, "{sports, world}"],
        "desk": ["world", None, None, "sports"],
    }
    clash = Votes([[1]], [["sports"]], NEWS, ["id"], ids=[7])
    assert clash.to_frame().to_dict(as_series=False) == {"row id": [7], "id": ["sports"]}


def test_only_single(votes):
    assert votes.only_single().names == ("goal", "desk")
    assert Votes([[0]], [[]], NEWS).only_single().names == ()


# -- any shape ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(0, 3), (0, 0), (5, 0)])
def test_votes_without_rows_or_labelers_work(shape, tmp_path):
    m, n = shape
    votes = Votes(np.zeros(shape), SAYS[:n], NEWS, NAMES[:n], ids=list(range(m)))
    assert votes.shape == shape
    assert votes.covered.tolist() == [False] * m
    assert votes.coverage.tolist() == [0.0] * n
    assert len(votes.summary()) == n
    assert votes.summary().schema == Votes([[0] * 3], SAYS, NEWS).summary().schema
    assert len(votes.to_frame()) == m
    assert "0.0% of rows covered" in repr(votes)
    assert votes[:0].shape == (0, n)
    votes.save(tmp_path / "v")
    assert Votes.load(tmp_path / "v") == votes
    assert Votes.concat([votes, votes]).shape == (2 * m, n)
    assert Votes.beside([votes]).shape == shape


def test_an_empty_list_is_no_rows():
    assert Votes([], SAYS, NEWS).shape == (0, 3)
    assert Votes([], [], NEWS).shape == (0, 0)


@pytest.mark.parametrize(("k", "dtype"), [(2, np.uint8), (255, np.uint8), (256, np.uint16), (300, np.uint16)])
def test_codes_take_the_smallest_unsigned_type(k, dtype, tmp_path):
    space = LabelSpace([f"c{j}" for j in range(k)])
    votes = Votes([[k, 0], [1, 1]], [list(space), [Not("c0"), "c0"]], space)
    assert votes.codes.dtype == dtype
    assert votes.said(0) == {"labeler_1": (f"c{k - 1}",)}
    assert votes[:, 1].codes.dtype == np.uint8
    assert votes.to_frame()["labeler_1"].to_list() == [f"c{k - 1}", "c0"]
    assert len(votes.patterns().counts) == 2
    votes.save(tmp_path / "v")
    assert Votes.load(tmp_path / "v") == votes


@pytest.mark.parametrize("dtype", [bool, np.int8, np.uint64, np.float32, np.float64])
def test_codes_of_any_number_type(dtype):
    assert Votes(np.array([[1, 0]], dtype), [["a"], ["b"]], ["a", "b"]).codes.tolist() == [[1, 0]]


# -- slicing ------------------------------------------------------------------------------------------------


def test_rows_are_chosen_as_in_numpy(votes):
    assert votes[-1].ids.tolist() == ["z"]
    assert votes[np.int64(1)].ids.tolist() == ["x"]
    assert votes[1:3].ids.tolist() == ["x", "y"]
    assert votes[::-2].ids.tolist() == ["z", "x"]
    assert votes[[2, 0, 0]].ids.tolist() == ["y", "w", "w"]
    assert votes[np.array([True, False, False, True])].ids.tolist() == ["w", "z"]
    assert votes[[True, False, False, True]].codes.tolist() == [[1, 0, 3], [1, 1, 2]]
    assert votes[votes.covered].covered.all()
    assert votes[[]].shape == (0, 3)
    assert [row.ids[0] for row in votes] == ["w", "x", "y", "z"]  # and iterating comes to an end


def test_labelers_are_chosen_by_place_or_by_name(votes):
    assert votes[:, "desk"].names == ("desk",)
    assert votes[:, ["desk", "goal"]].names == ("desk", "goal")
    assert votes[:, ["desk", "goal"]].codes.tolist() == [[3, 1], [0, 0], [0, 0], [2, 1]]
    assert votes[:, -1].names == ("desk",)
    assert votes[:, np.int64(0)].names == ("goal",)
    assert votes[:, [0, "desk"]].names == ("goal", "desk")
    assert votes[:, 1:].names == ("abroad", "desk")
    assert votes[:, [True, False, True]].names == ("goal", "desk")
    assert votes[:, np.array([False, True, False])].names == ("abroad",)
    assert votes[:, []].shape == (4, 0)
    assert votes[[0, 3], ["desk"]].codes.tolist() == [[3], [2]]
    assert votes[0, "desk"].codes.tolist() == [[3]]


@pytest.mark.parametrize("row", [4, -5, np.int64(99)])
def test_a_row_that_is_not_there(votes, row):
    with pytest.raises(IndexError, match=rf"no row {row}: the Votes have 4 rows"):
        votes[row]


@pytest.mark.parametrize(
    ("key", "facts"),
    [
        ((slice(None), "goals"), ["no labeler is called 'goals'", "Did you mean 'goal'?", "goal, abroad, desk"]),
        ((slice(None), 3), ["no labeler 3", "have 3"]),
        ((slice(None), -4), ["no labeler -4"]),
        ((slice(None), [1.5]), ["1.5"]),
        ((slice(None), [True, False]), ["mask", "got 2"]),
        ((slice(None), ["goal", "goal"]), ["two labelers are called 'goal'"]),
        ("goal", ["votes[:, 'goal']"]),
    ],
)
def test_labelers_that_are_not_there(votes, key, facts):
    with pytest.raises(BadVotes) as caught:
        votes[key]
    assert all(fact in str(caught.value) for fact in facts)


@given(any_votes(), st.data())
def test_the_laws_of_slicing(votes, data):
    m, n = votes.shape
    rows = data.draw(st.lists(st.integers(-m, m - 1), max_size=6) if m else st.just([]))
    columns = data.draw(st.lists(st.integers(0, n - 1), unique=True) if n else st.just([]))
    part = votes[rows, columns]
    assert part == votes[rows][:, columns] == votes[:, columns][rows]
    assert part.codes.tolist() == [[votes.codes[a, i] for i in columns] for a in rows]
    assert part.codomains == tuple(votes.codomains[i] for i in columns)
    assert part.failures == tuple(votes.failures[i] if len(rows) == m else None for i in columns)
    assert votes[:] == votes[:, :] == votes[:, list(votes.names)] == votes[list(range(m))] == votes
    for a in range(m):
        assert votes[a].said(0) == votes.said(a)
    mask = np.array(data.draw(st.lists(st.booleans(), min_size=m, max_size=m)), bool)
    assert votes[mask] == votes[np.flatnonzero(mask)]


@given(any_votes())
def test_counts_coverage_and_shortlists_agree(votes):
    for i, (counts, codomain) in enumerate(zip(votes.counts(), votes.codomains, strict=True)):
        said = [votes.shortlist(a, i) for a in range(len(votes))]
        assert counts.tolist() == [said.count(s) for s in (None, *codomain.shortlists)]
        assert votes.coverage[i] * len(votes) == pytest.approx(len(votes) - counts[0])
        decoded = [0 if s is None else codomain.code(s) for s in said]
        assert decoded == votes.codes[:, i].tolist()  # decoding then encoding is the identity
    assert votes.covered.tolist() == [bool(votes.said(a)) for a in range(len(votes))]


# -- Votes never change -------------------------------------------------------------------------------------


def test_votes_never_change(votes):
    for array in (votes.codes, votes.ids, votes.covered, votes.coverage):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = array[1]
    for name in ("codes", "ids", "names", "space", "anything"):
        with pytest.raises(AttributeError, match=name):
            setattr(votes, name, None)
    votes.counts()[0][:] = 99
    assert votes.counts()[0].tolist() == [2, 2, 0]
    assert copy.copy(votes) == copy.deepcopy(votes) == votes


def test_inputs_come_back_unchanged_and_are_not_held_on_to():
    codes, ids = np.array([[1, 0], [0, 1]], np.uint8, order="F"), np.array([5, 6])
    says = [["sports"], ["world"]]
    votes = Votes(codes, says, NEWS, ids=ids)
    assert codes.flags.writeable
    assert ids.flags.writeable
    assert says == [["sports"], ["world"]]
    codes[0, 0], ids[0] = 0, 0
    assert votes.codes.tolist() == [[1, 0], [0, 1]]
    assert votes.ids.tolist() == [5, 6]


def test_equality(votes):
    same = Votes(votes.codes.astype(float), SAYS, list(NEWS), NAMES, ids=np.array(list("wxyz"), object))
    assert votes == same
    changed = [
        votes[::-1],
        votes[:, ::-1],
        Votes(votes.codes, SAYS, NEWS, NAMES),
        Votes(votes.codes, SAYS, NEWS, NAMES, ids=[1, 2, 3, 4]),
        Votes(votes.codes, SAYS, NEWS, ["a", "b", "c"], ids=votes.ids),
        Votes(votes.codes * 0, SAYS, NEWS, NAMES, ids=votes.ids),
        Votes(votes.codes, SAYS, NEWS, NAMES, ids=votes.ids, failures=[None, None, Failure(1, "x")]),
    ]
    assert all(other != votes for other in changed)
    assert votes != "votes"
    with pytest.raises(TypeError):
        hash(votes)


# -- bad input ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("codes", "facts"),
    [
        ([[0, 0, 0], [0, 3, 0]], ["'abroad'", "0 to 2", "row 1 holds 3"]),
        ([[0, 0, 0], [0, 0, 0], [0, 0, -1]], ["'desk'", "row 2 holds -1"]),
        ([[0, 0, np.nan]], ["'desk'", "row 0 holds nan"]),
        ([[0.0, np.inf, 0]], ["'abroad'", "row 0 holds inf"]),
        ([[0, 0, 0], [0.5, 0, 0]], ["'goal'", "row 1 holds 0.5"]),
        ([["1", "0", "0"]], ["<U1"]),
        ([[None, 0, 0]], ["object"]),
        ([[1, 0], [1]], ["codes"]),
        ([1, 0, 0], ["shape (3,)", "3 labelers"]),
        ([[1, 0]], ["shape (1, 2)", "3 labelers"]),
        (1, ["shape ()"]),
        (np.zeros((2, 3, 1), int), ["shape (2, 3, 1)"]),
    ],
)
def test_bad_codes(codes, facts):
    with pytest.raises(BadVotes) as caught:
        Votes(codes, SAYS, NEWS, NAMES)
    assert all(fact in str(caught.value) for fact in facts), caught.value


@pytest.mark.parametrize(
    ("changes", "error", "facts"),
    [
        ({"names": ["a", "b", "a"]}, BadVotes, ["two labelers are called 'a'"]),
        ({"names": ["a", "b\ud800", "c"]}, BadVotes, [r"labeler 'b\ud800': its name holds half a character"]),
        ({"names": ["a", "b"]}, BadVotes, ["3 names", "got 2"]),
        ({"names": ["a", "b", 3]}, BadVotes, ["got 3"]),
        ({"names": ["a", "b", ""]}, BadVotes, ["''"]),
        ({"ids": [1]}, BadVotes, ["2 rows need 2 ids", "(1,)"]),
        ({"ids": [(1, 2), (3, 4)]}, BadVotes, ["(2, 2)"]),
        ({"ids": [(1, 2), (3,)]}, BadVotes, ["ids"]),
        ({"failures": [None]}, BadVotes, ["3 failure records; got 1"]),
        ({"codomains": [["sports"], ["sprots"], []]}, UnknownClass, ["'abroad'", "'sprots'", "mean 'sports'"]),
        ({"codomains": [["sports"], [[]], []]}, BadShortlist, ["'abroad'", "leaves no class"]),
        ({"codomains": ["sports", [], []]}, BadShortlist, ["'goal'", "'sports'"]),
        ({"codomains": [[], [], Codomain((frozenset({"world"}),))]}, BadShortlist, ["'desk'", "dummy"]),
        ({"space": ["a", "a"]}, BadShortlist, ["'a' is named twice"]),
    ],
)
def test_bad_parts(changes, error, facts):
    good = {"codes": np.zeros((2, 3)), "codomains": SAYS, "space": NEWS, "names": NAMES}
    with pytest.raises(error) as caught:
        Votes(**{**good, **changes})
    assert all(fact in str(caught.value) for fact in facts), caught.value


# -- ids and files ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ids", "kept"),
    [
        ([3, 1], [3, 1]),
        (["a", "bc"], ["a", "bc"]),
        (np.array(["ä", "狗"], object), ["ä", "狗"]),
        (np.array([3, 1], object), [3, 1]),
        (pl.Series(["x", "y"]), ["x", "y"]),
        (range(2), [0, 1]),
        ([1.5, float("nan")], None),
        (np.array(["2020-01-01", "2021-01-01"], "M8[D]"), None),
    ],
)
def test_ids_of_any_kind_survive_a_file(ids, kept, tmp_path):
    votes = Votes([[1], [0]], [["a"]], ["a", "b"], ids=ids)
    assert kept is None or votes.ids.tolist() == kept
    votes.save(tmp_path / "v")
    loaded = Votes.load(tmp_path / "v")
    assert loaded == votes
    assert loaded.ids.dtype == votes.ids.dtype


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(any_votes())
def test_save_then_load_is_the_identity(tmp_path, votes):
    votes.save(tmp_path / "v.npz")
    loaded = Votes.load(str(tmp_path / "v.npz"))
    assert loaded == votes
    assert repr(loaded) == repr(votes)
    assert loaded.codes.dtype == votes.codes.dtype
    assert os.listdir(tmp_path) == ["v.npz"]
    with pytest.raises(ValueError, match="read-only"):
        loaded.codes[...] = 0


def test_a_file_that_fails_leaves_the_old_one(votes, tmp_path, monkeypatch):
    votes.save(tmp_path / "v")

    def full_disk(file, **_):
        file.write(b"half")
        raise OSError("no space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(np, "savez_compressed", full_disk)
        with pytest.raises(BadFile, match="no space"):
            votes[:1].save(tmp_path / "v")
    assert Votes.load(tmp_path / "v") == votes
    assert os.listdir(tmp_path) == ["v"]


@pytest.mark.parametrize(
    ("change", "fact"),
    [
        (lambda h, _: h.pop("labelers"), "labelers"),
        (lambda h, _: h.update(labelers=None), ""),
        (lambda h, _: h["labelers"][0].pop("shortlists"), "shortlists"),
        (lambda h, _: h["labelers"][0].update(name="abroad"), "two labelers are called 'abroad'"),
        (lambda h, _: h["labelers"][0].update(failure=[1]), ""),
        (lambda h, _: h.update(classes=["a"]), "two classes"),
        (lambda h, _: h.update(classes=["a", "b"]), "not a class"),
        (lambda _, arrays: arrays.pop("codes"), "codes"),
        (lambda _, arrays: arrays.update(codes=arrays["codes"] + 5), "row 0 holds"),
        (lambda _, arrays: arrays.update(codes=arrays["codes"][:, 1:]), "shape (4, 2)"),
        (lambda _, arrays: arrays.update(ids=arrays["ids"][1:]), "4 ids"),
    ],
)
def test_a_file_that_contradicts_itself(votes, tmp_path, change, fact):
    votes.save(tmp_path / "v")
    header, arrays = read_archive(tmp_path / "v", kind="votes", version=1)
    header, arrays = json.loads(json.dumps(header)), dict(arrays)
    change(header, arrays)
    write_archive(tmp_path / "v", kind="votes", version=1, header=header, arrays=arrays)
    with pytest.raises(BadFile) as caught:
        Votes.load(tmp_path / "v")
    assert str(tmp_path / "v") in str(caught.value)
    assert fact in str(caught.value)


def test_a_file_of_another_kind_or_version(votes, tmp_path):
    votes.save(tmp_path / "v")
    header, arrays = read_archive(tmp_path / "v", kind="votes", version=1)
    write_archive(tmp_path / "model", kind="labelmodel", version=1, header=header, arrays=arrays)
    write_archive(tmp_path / "new", kind="votes", version=2, header=header, arrays=arrays)
    with pytest.raises(BadFile, match="'labelmodel', not 'votes'"):
        Votes.load(tmp_path / "model")
    with pytest.raises(BadFile, match="newer"):
        Votes.load(tmp_path / "new")
    with pytest.raises(BadFile, match="does not exist"):
        Votes.load(tmp_path / "none")


def test_codes_are_copied_even_where_they_cannot_be_written_to():
    mine = np.asfortranarray([[0, 1], [1, 0]], np.uint8)
    view = mine[:]
    mine.flags.writeable = False
    votes = Votes(mine, [["a"], ["b"]], ["a", "b"])
    view[:] = 0
    assert votes.codes.tolist() == [[0, 1], [1, 0]]


@pytest.mark.parametrize("make", [
    lambda votes: votes[:, [1, 0]],
    lambda votes: votes[[1, 0]],
    lambda votes: votes[:1],
    lambda votes: Votes.beside([votes[:, [0]], votes[:, [1]]]),
])  # fmt: skip
def test_parts_of_votes_cannot_be_written_to_and_lie_by_column(make):
    whole = Votes([[0, 1], [1, 0]], [["a"], ["b"]], ["a", "b"])
    codes = make(whole).codes
    assert codes.flags.f_contiguous
    assert type(codes) is np.ndarray
    assert not np.shares_memory(codes, whole.codes)
    with pytest.raises(ValueError, match="read-only"):
        codes[0, 0] = 1


def test_a_class_that_holds_a_comma_is_told_from_two():
    votes = Votes([[1], [2]], [[{"a, b"}, {"a, b", "c"}]], ["a, b", "c", 'say "x"'])
    assert """over 3 classes ("a, b", c, say "x")""" in repr(votes)
    assert '{"a, b", c}' in repr(votes)


# -- concatenation: more rows, more labelers -------------------------------------------------------------


ABC = LabelSpace(["a", "b", "c"])


def inferred(*says):
    return Codomain.declare(says, ABC, inferred=True)


def test_rows_after_rows():
    one = Votes([[1, 0]], [["a"], ["b", "c"]], ABC, ["x", "y"], ids=["p"], failures=[Failure(2, "first"), None])
    two = Votes([[0, 2]], [["a"], ["b", "c"]], ABC, ["x", "y"], ids=["q"], failures=[Failure(3, "second"), None])
    both = Votes.concat(iter([one, two]))
    assert both.codes.tolist() == [[1, 0], [0, 2]]
    assert both.ids.tolist() == ["p", "q"]
    assert both.failures == (Failure(5, "first"), None)
    assert both.codomains == one.codomains


def test_ids_are_kept_only_when_every_part_has_them():
    one = Votes([[1]], [["a"]], ABC, ids=["p"])
    assert Votes.concat([one, Votes([[1]], [["a"]], ABC)]).ids is None


def test_inferred_codomains_are_united_and_the_dummy_goes_when_it_is_said():
    one = Votes([[1], [0]], [inferred("a")], ABC)  # dummy {b, c}
    two = Votes([[1], [2]], [inferred({"b", "c"}, "b")], ABC)  # dummy {a}
    both = Votes.concat([one, two])
    assert both.codomains == (inferred("a", "b", {"b", "c"}),)
    assert both.codomains[0].dummies == frozenset()
    assert [both.shortlist(a, 0) for a in range(4)] == [{"a"}, None, {"b", "c"}, {"b"}]


def test_a_dummy_that_was_voted_for_is_not_dropped():
    """A simulator may draw the dummy; putting rows together must not turn that into an abstention."""
    one = Votes([[3]], [inferred({"a", "b"}, {"a", "c"})], ABC)  # voted for the dummy {b, c}
    two = Votes([[1]], [inferred("b")], ABC)
    both = Votes.concat([one, two])
    assert both.shortlist(0, 0) == {"b", "c"}
    assert both.shortlist(1, 0) == {"b"}


@pytest.mark.parametrize(
    ("other", "facts"),
    [
        (Votes([[1]], [["b"]], ABC, ["x"]), ["'x' has different codomains", "a | dummy {b, c}", "b | dummy {a, c}"]),
        (Votes([[1]], [["a"]], ABC, ["z"]), ["labelers differ", "['x']", "['z']"]),
        (Votes([[1]], [["a"]], ["a", "b"], ["x"]), ["label spaces differ", "['a', 'b', 'c']", "['a', 'b']"]),
        (Votes([[1]], [inferred("b")], ABC, ["x"]), ["different codomains"]),
    ],
)
def test_rows_that_do_not_fit(other, facts):
    with pytest.raises(BadVotes) as caught:
        Votes.concat([Votes([[1]], [["a"]], ABC, ["x"]), other])
    assert all(fact in str(caught.value) for fact in facts)


def test_nothing_to_put_together():
    for verb in (Votes.concat, Votes.beside):
        with pytest.raises(BadVotes, match="nothing"):
            verb([])


def test_labelers_beside_labelers():
    one = Votes([[1], [0]], [["a"]], ABC, ["x"])
    two = Votes([[2], [1]], [["b", "c"]], ABC, ["y"], ids=["p", "q"], failures=[Failure(1, "t")])
    both = Votes.beside(iter([one, two]))
    assert both.codes.tolist() == [[1, 2], [0, 1]]
    assert both.names == ("x", "y")
    assert both.ids.tolist() == ["p", "q"]  # whoever knows the ids tells them
    assert both.failures == (None, Failure(1, "t"))


@pytest.mark.parametrize(
    ("other", "facts"),
    [
        (Votes([[1]], [["a"]], ABC, ["y"]), ["same rows: 2 and 1"]),
        (Votes([[1], [1]], [["a"]], ABC, ["x"]), ["two labelers are called 'x'"]),
        (Votes([[1], [1]], [["a"]], ["a", "b"], ["y"]), ["label spaces differ"]),
        (Votes([[1], [1]], [["a"]], ABC, ["y"], ids=["p", "r"]), ["row 1 has the ids 'q' and 'r'"]),
        (Votes([[1], [1]], [["a"]], ABC, ["y"], ids=[1, 2]), ["row 0 has the ids 'p' and 1"]),
    ],
)
def test_labelers_that_do_not_fit(other, facts):
    with pytest.raises(BadVotes) as caught:
        Votes.beside([Votes([[1], [0]], [["a"]], ABC, ["x"], ids=["p", "q"]), other])
    assert all(fact in str(caught.value) for fact in facts), caught.value


@given(any_votes(), st.data())
def test_cutting_rows_and_putting_them_together_is_the_identity(votes, data):
    cuts = sorted(data.draw(st.lists(st.integers(0, len(votes)), max_size=3)))
    parts = [votes[a:b] for a, b in zip([0, *cuts], [*cuts, len(votes)], strict=True)]
    whole = Votes.concat(parts)
    np.testing.assert_array_equal(whole.codes, votes.codes)
    assert (whole.codomains, whole.names, whole.space) == (votes.codomains, votes.names, votes.space)
    assert (whole.ids is None) == (votes.ids is None)
    assert votes.ids is None or whole.ids.tolist() == votes.ids.tolist()
    assert Votes.concat([votes]) == votes


@given(any_votes(), st.data())
def test_cutting_labelers_and_putting_them_together_is_the_identity(votes, data):
    cut = data.draw(st.integers(0, len(votes.names)))
    assert Votes.beside([votes[:, :cut], votes[:, cut:]]) == votes


@given(st.data())
def test_what_was_said_survives_uniting_inferred_codomains(data):
    space = data.draw(spaces)
    n = data.draw(st.integers(0, 3))
    parts = data.draw(st.lists(any_votes(space=space, n=n, inferred=True, max_rows=4), min_size=1, max_size=3))
    whole = Votes.concat(parts)
    said = [part.said(a) for part in parts for a in range(len(part))]
    assert [whole.said(a) for a in range(len(whole))] == said
    if len({part.codomains for part in parts}) > 1:  # the order of the parts does not matter to the codomain
        assert Votes.concat(parts[::-1]).codomains == whole.codomains
