"""Answers of people: one class each, or sets of classes."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shortlist import LabelModel
from shortlist.errors import BadShortlist, BadVotes, UnknownClass
from shortlist.labelspace import LabelSpace, Not
from shortlist.votes import Codomain, Votes
from tests.votes.drawing import label_matrices, spaces, words

ABC = LabelSpace(["a", "b", "c"])

ANSWERS = {"item": [5, 5, 3], "worker": ["w2", "w1", "w2"], "label": [10, 2, 2]}


@pytest.mark.parametrize("make", [dict, pl.DataFrame, pd.DataFrame])
def test_crowd_by_hand(make):
    votes = Votes.from_crowd(make(ANSWERS))
    assert list(votes.space) == ["2", "10"]  # as numbers are sorted, not as text is
    assert votes.ids.tolist() == [5, 3]  # in order of appearance
    assert votes.names == ("w2", "w1")
    assert votes.said(0) == {"w2": ("10",), "w1": ("2",)}
    assert votes.said(1) == {"w2": ("2",)}
    assert votes.codomains[1].show(votes.space) == "2 | 10"  # a worker may say every class
    assert votes.to_crowd().to_dict(as_series=False) == {
        "item": [5, 5, 3],
        "worker": ["w2", "w1", "w2"],
        "label": ["10", "2", "2"],
    }


def test_items_and_workers_without_an_answer_can_be_given():
    votes = Votes.from_crowd(ANSWERS, ["2", "10"], items=[3, 4, 5], workers=["w1", "w2", "w3"])
    assert votes.ids.tolist() == [3, 4, 5]
    assert votes.names == ("w1", "w2", "w3")
    assert [votes.said(a) for a in range(3)] == [{"w2": ("2",)}, {}, {"w2": ("10",), "w1": ("2",)}]
    with pytest.raises(BadVotes, match="item 3 has answers, but is not among the items given"):
        Votes.from_crowd(ANSWERS, items=[5])
    with pytest.raises(BadVotes, match="worker 'w1' has answers"):
        Votes.from_crowd(ANSWERS, workers=["w2"])


def test_a_worker_who_answers_twice():
    answers = {"item": [1, 1, 1, 2], "worker": ["w", "w", "v", "v"], "label": ["a", "b", "c", "a"]}
    with pytest.raises(BadVotes, match=r"'w' answers item 1 more than once.*repeated="):
        Votes.from_crowd(answers)
    assert Votes.from_crowd(answers, repeated="first").said(0) == {"w": ("a",), "v": ("c",)}
    assert Votes.from_crowd(answers, repeated="last").said(0) == {"w": ("b",), "v": ("c",)}


@pytest.mark.parametrize(
    ("answers", "error", "fact"),
    [
        ({"item": [1], "label": ["a"]}, BadVotes, "missing: worker"),
        ({"item": [1, 2], "worker": ["w", None], "label": ["a", "b"]}, BadVotes, "empty cells"),
        ({"item": [1, 2], "worker": ["w", "w"], "label": ["a", "d"]}, UnknownClass, "'d' is not a class"),
    ],
)
def test_bad_crowd_answers(answers, error, fact):
    with pytest.raises(error) as caught:
        Votes.from_crowd(answers, ABC)
    assert fact in str(caught.value)


def test_a_crowd_of_one_opinion_needs_the_classes():
    answers = {"item": [1], "worker": ["w"], "label": ["a"]}
    with pytest.raises(BadShortlist, match="at least two classes"):
        Votes.from_crowd(answers)
    assert Votes.from_crowd(answers, ABC).said(0) == {"w": ("a",)}


def test_classes_with_names_that_look_like_odd_numbers():
    answers = {"item": [1, 2, 3, 4], "worker": ["w"] * 4, "label": ["nan", "2", "inf", "1"]}
    assert list(Votes.from_crowd(answers).space) == ["1", "2", "inf", "nan"]


@given(st.data())
def test_crowd_and_back(data):
    space = data.draw(spaces)
    L = data.draw(label_matrices(space))
    ids = data.draw(st.lists(words, min_size=len(L), max_size=len(L), unique=True))
    votes = Votes.from_snorkel(L, space, says="all", ids=np.array(ids, str))
    table = votes.to_crowd()
    assert len(table) == (L >= 0).sum()
    assert Votes.from_crowd(table, space, items=votes.ids, workers=votes.names) == votes
    if (L >= 0).any(axis=1).all() and len(L):
        again = Votes.from_crowd(table, space)
        assert [again.said(a) for a in range(len(L))] == [votes.said(a) for a in range(len(L))]


@pytest.mark.parametrize(
    ("call", "fact"),
    [
        (lambda: Votes.from_crowd({"item": [1], "worker": ["w"], "label": ["a"]}, repeated="frist"), "'frist'"),
        (lambda: Votes.from_crowd([(1, "w", "a")]), "item, worker, label"),
    ],
)
def test_options_and_kinds_that_do_not_exist(call, fact):
    with pytest.raises(BadVotes) as error:
        call()
    assert fact in str(error.value)


# -- sets ---------------------------------------------------------------------------------------------------

SETS = {
    "item": [1, 1, 2, 2, 3],
    "worker": ["ann", "bob", "ann", "bob", "bob"],
    "label": [["a", "b"], ["b"], ["c"], ["b", "a"], ["a", "b"]],
}
JOINED = {**SETS, "label": ["a|b", "b", "c", "b | a", "a|b|"]}


@pytest.mark.parametrize("make", [dict, pl.DataFrame, pd.DataFrame])
def test_sets_by_hand(make):
    votes = Votes.from_crowd(make(SETS))
    assert list(votes.space) == ["a", "b", "c"]
    assert [votes.said(row) for row in range(3)] == [
        {"ann": ("a", "b"), "bob": ("b",)},
        {"ann": ("c",), "bob": ("a", "b")},
        {"bob": ("a", "b")},
    ]
    ann, bob = votes.codomains
    assert ann == Codomain.declare(["c", {"a", "b"}], ABC, inferred=True, open=True)
    assert bob.show(ABC) == "b | {a, b} | dummy c | … (inferred)"
    assert Votes.from_crowd(make(JOINED), separator="|") == votes


def test_python_s_sets_are_sets_too():
    assert Votes.from_crowd({**SETS, "label": [set(names) for names in SETS["label"]]}) == Votes.from_crowd(SETS)


@pytest.mark.parametrize("make", [dict, pd.DataFrame, lambda table: pd.DataFrame(table).to_dict("records")])
@pytest.mark.parametrize(
    "labels",
    [
        [Not("c"), "b", "c", {"a", "b"}, ["b", "a"]],  # Newcomer: "astuple() should be called on dataclass instances"
        ["a|b", {"b"}, ("c",), Not("c"), Not("c")],
        [Not("c"), Not("a", "c"), Not("a", "b"), Not("c"), Not("c")],  # a panic of polars
    ],
)
def test_names_sets_and_not_may_stand_in_one_column(make, labels):
    labels = [{"a", "b"} if label == "a|b" else label for label in labels]
    assert Votes.from_crowd(make({**SETS, "label": labels}), ABC) == Votes.from_crowd(SETS)


def test_numbers_and_sets_of_numbers_may_stand_in_one_column():
    """Newcomer: "Hint: Try setting `strict=False`"."""
    votes = Votes.from_crowd({"item": [1, 2, 3], "worker": ["w"] * 3, "label": [0, 2, {0, 1}]})
    assert list(votes.space) == ["0", "1", "2"]
    assert [votes.said(row)["w"] for row in range(3)] == [("0",), ("2",), ("0", "1")]
    mixed = Votes.from_crowd({"item": [1, 2], "worker": ["w"] * 2, "label": [0, "yes"]})
    assert list(mixed.space) == ["0", "yes"]


def test_a_name_among_sets_is_one_class_and_not_its_letters():
    votes = Votes.from_crowd({"item": [1, 2], "worker": ["w"] * 2, "label": [{"bug"}, "pay"]})
    assert list(votes.space) == ["bug", "pay"]


@pytest.mark.parametrize("label", [object(), {"a": 1}, {("a", "b")}, [["a"]]])
def test_what_cannot_be_a_label_is_told_in_plain_words(label):
    with pytest.raises(BadVotes, match=r"is not a label: labels are class names, sets of class names, or Not"):
        Votes.from_crowd({"item": [1, 2], "worker": ["w"] * 2, "label": ["a", label]}, ABC)


@pytest.mark.parametrize(("label", "separator"), [("a|b", "|"), ("a, b", ","), ("c;a", ";")])
def test_several_classes_in_one_text_name_the_separator(label, separator):
    answers = {"item": [1, 2], "worker": ["w"] * 2, "label": [label, "b"]}
    with pytest.raises(UnknownClass, match=rf"is not a class\. To read it as the set .* separator='\{separator}'$"):
        Votes.from_crowd(answers, ABC)
    assert len(Votes.from_crowd(answers, ABC, separator=separator).said(0)["w"]) == 2


def test_all_classes_and_none_are_ways_to_abstain():
    answers = {"item": [1, 2, 3, 4], "worker": ["ann"] * 4, "label": [["a", "b", "c"], [], None, ["b"]]}
    votes = Votes.from_crowd(answers, ABC)
    assert [votes.said(row) for row in range(4)] == [{}, {}, {}, {"ann": ("b",)}]
    joined = {**answers, "label": ["c|b|a", "", None, "b"]}
    assert Votes.from_crowd(joined, ABC, separator="|") == votes


def test_single_answers_with_a_separator_are_of_people_who_may_say_any_set():
    answers = {"item": [1, 2], "worker": ["ann", "ann"], "label": ["a", "b"]}
    (closed,), (open_,) = (Votes.from_crowd(answers, ABC, separator=s).codomains for s in (None, "|"))
    assert (closed.inferred, closed.open) == (False, False)
    assert (open_.inferred, open_.open) == (True, True)


def test_only_the_answer_that_counts_was_heard():
    answers = {"item": [1, 1], "worker": ["ann", "ann"], "label": [["a"], ["b", "c"]]}
    with pytest.raises(BadVotes, match="'ann' answers item 1 more than once"):
        Votes.from_crowd(answers, ABC)
    last = Votes.from_crowd(answers, ABC, repeated="last")
    assert last.said(0) == {"ann": ("b", "c")}
    assert last.codomains[0].says == (frozenset({"b", "c"}),)
    assert Votes.from_crowd(answers, ABC, repeated="first").said(0) == {"ann": ("a",)}


@pytest.mark.parametrize(
    ("answers", "options", "error", "facts"),
    [
        (SETS, {"separator": "|"}, BadVotes, ["lists of names already", "'|'"]),
        (JOINED, {"separator": ""}, BadVotes, ["separator", "empty"]),
        (SETS, {"space": ["a", "b", "d"]}, UnknownClass, ["'ann'", "'c' is not a class"]),
        ({**SETS, "worker": ["ann", None, "ann", "bob", "bob"]}, {}, BadVotes, ["empty cells under item or worker"]),
    ],
)
def test_bad_sets(answers, options, error, facts):
    with pytest.raises(error) as caught:
        Votes.from_crowd(answers, **options)
    assert all(fact in str(caught.value) for fact in facts)


def test_what_is_open_stays_open_in_files_parts_and_wholes(tmp_path):
    votes = Votes.from_crowd(SETS)
    votes.save(tmp_path / "votes.npz")
    assert Votes.load(tmp_path / "votes.npz") == votes
    more = Votes.from_crowd({"item": [4], "worker": ["bob"], "label": [["a", "c"]]}, ABC, workers=["ann", "bob"])
    both = Votes.concat([votes, more])
    assert both.codomains[1] == Codomain.declare(["b", {"a", "b"}, {"a", "c"}], ABC, inferred=True, open=True)
    assert both.said(3) == {"bob": ("a", "c")}
    assert all(codomain.open for codomain in (*both.codomains, *votes[:1, ["bob"]].codomains))


def test_lists_come_back_where_answers_are_sets():
    votes = Votes.from_crowd(SETS)
    table = votes.to_crowd()
    assert table["label"].to_list() == [["a", "b"], ["b"], ["c"], ["a", "b"], ["a", "b"]]
    assert Votes.from_crowd(table) == votes
    rules = Votes([[1, 1]], [["a"], [{"b", "c"}]], ABC, ["one", "two"])
    assert rules.to_crowd()["label"].to_list() == [["a"], ["b", "c"]]


@given(st.data())
def test_sets_and_back(data):
    space = data.draw(spaces)
    answer = st.sets(st.sampled_from(list(space)), max_size=len(space))
    cells = data.draw(st.dictionaries(st.tuples(st.integers(0, 5), st.sampled_from("vwx")), answer, min_size=1))
    items, workers = zip(*cells, strict=True)
    labels = [sorted(names) for names in cells.values()]
    answers = pl.DataFrame({"item": items, "worker": workers, "label": pl.Series(labels, dtype=pl.List(pl.String))})
    votes = Votes.from_crowd(answers, space)
    for (item, worker), names in cells.items():
        row = votes.ids.tolist().index(item)
        said = votes.said(row).get(worker, ())
        assert set(said) == (names if len(names) < len(space) else set())
    again = Votes.from_crowd(votes.to_crowd(), space, items=votes.ids, workers=votes.names)
    assert again == votes


def test_a_set_that_a_fitted_model_has_not_heard_asks_for_another_fit():
    answers = {
        "item": np.repeat(np.arange(30), 3),
        "worker": ["ann", "bob", "cid"] * 30,
        "label": [[["a"], ["a", "b"], ["a"], ["b"], ["b", "c"], ["b"]][line % 6] for line in range(90)],
    }
    heard = Votes.from_crowd(answers, ABC)
    model = LabelModel().fit(heard)
    for person in ("ann", "bob"):  # to Bob, {a, c} was added as a dummy
        new = Votes.from_crowd({"item": [30], "worker": [person], "label": [["a", "c"]]}, ABC, workers=heard.names)
        with pytest.raises(BadVotes, match=r"says \{a, c\} on row 0.*any set.*Votes.concat") as caught:
            model.predict_proba(new)
        assert (caught.value.labeler, caught.value.row) == (person, 0)
        both = Votes.concat([heard, new])
        assert LabelModel().fit(both).predict_proba(both)[-1].argmin() == 1


def test_a_name_in_quotation_marks_may_hold_the_separator():
    answers = {"item": [1, 2], "worker": ["w", "w"], "label": ['"a|b"|c', "c"]}
    votes = Votes.from_crowd(answers, ["a|b", "c", "d"], separator="|")
    assert [votes.said(a)["w"] for a in range(2)] == [("a|b", "c"), ("c",)]
