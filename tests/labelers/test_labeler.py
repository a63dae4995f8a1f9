"""@labeler, and what becomes of every kind of answer."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shortlist import LabelSpace, Not, apply, labeler
from shortlist.errors import BadLabeler, BadShortlist, LabelerFailed, ShortlistError, UnknownClass

SPACE = LabelSpace(["ABBR", "DESC", "ENTY", "HUM", "LOC", "NUM"])


@labeler(says=["HUM", "LOC", {"DESC", "NUM"}, Not("NUM")])
def first_word(question):
    match question.split()[0].lower():
        case "who":
            return "HUM"
        case "where":
            return "LOC"
        case "how":
            return {"DESC", "NUM"}
        case "name":
            return Not("NUM")


def test_names_sets_not_and_nothing():
    votes = apply(first_word, ["Who is it", "Where to", "How far?", "Name it", "Why?"], space=SPACE)
    said = [votes.shortlist(a, "first_word") for a in range(5)]
    assert said == [None if s is None else frozenset(s) for s in (
        {"HUM"}, {"LOC"}, {"DESC", "NUM"}, {"ABBR", "DESC", "ENTY", "HUM", "LOC"}, None)]  # fmt: skip


def test_a_labeler_can_be_called_on_a_row_and_keeps_its_name_and_doc():
    @labeler(says=["HUM"])
    def who(question):
        """Asks for a person."""
        return "HUM" if "who" in question else None

    assert who("who is it") == "HUM"
    assert who("what") is None
    assert (who.name, who.__doc__) == ("who", "Asks for a person.")
    assert "who" in repr(who)
    assert "'HUM'" in repr(who)


@pytest.mark.parametrize("answer", [["DESC", "NUM"], ("DESC", "NUM"), frozenset({"NUM", "DESC"}), {"DESC", "NUM"}])
def test_any_plain_collection_of_names_is_a_set_of_names(answer):
    votes = apply(labeler(says=[{"DESC", "NUM"}])(lambda row: answer), ["x"], space=SPACE)
    assert votes.codes.tolist() == [[1]]


def test_numpy_strings_are_names():
    votes = apply(labeler(says=["HUM"])(lambda row: np.str_("HUM")), ["x"], space=SPACE)
    assert votes.codes.tolist() == [[1]]


def test_says_may_be_left_out_and_is_then_inferred():
    @labeler
    def guess(row):
        return {"a": "HUM", "b": {"LOC", "NUM"}, "c": ["NUM", "LOC"]}.get(row)

    votes = apply([guess], list("xabcb"), space=SPACE)
    (codomain,) = votes.codomains
    assert codomain.inferred
    assert set(codomain.says) == {frozenset({"HUM"}), frozenset({"LOC", "NUM"})}
    assert codomain.dummies == {frozenset({"ABBR", "DESC", "ENTY"})}
    assert votes.codes[:, 0].tolist() == [0, 1, 2, 2, 2]
    assert votes.summary()["inferred"].to_list() == [True]
    assert "inferred" in repr(votes)


def test_without_a_space_the_classes_are_those_that_are_named():
    @labeler
    def guess(row):
        return {"a": "HUM", "b": Not("LOC")}.get(row)

    votes = apply([guess, labeler(says=["NUM", "LOC"])(lambda row: None)], list("ab"))
    assert votes.space == LabelSpace(["NUM", "LOC", "HUM"])
    assert votes.said(1) == {"guess": ("NUM", "HUM")}


def test_declared_labelers_give_the_space_in_order_of_appearance():
    votes = apply([labeler(says=["b", {"d", "c"}, "a"])(lambda row: "b")], [1])
    assert list(votes.space) == ["b", "c", "d", "a"]


# -- bad answers: the named error, never a wrong code --------------------------------------------------------


def answers_of(answer, **options):
    rule = labeler(says=["HUM", {"DESC", "NUM"}], name="rule")(lambda row: None if row < 3 else answer)
    return apply(rule, range(5), space=SPACE, **options)


def test_an_unknown_class_names_labeler_row_classes_and_the_nearest_name():
    with pytest.raises(UnknownClass) as error:
        answers_of("NUMM")
    for fact in ("'rule'", "row 3", "'NUMM'", "ABBR, DESC, ENTY, HUM, LOC, NUM", "Did you mean 'NUM'?"):
        assert fact in str(error.value)


@pytest.mark.parametrize(
    ("answer", "fact"),
    [
        (set(), "no class"),
        ([], "no class"),
        (set(SPACE), "every class"),
        (Not(*SPACE), "no class"),
        ("LOC", "not among"),
        ({"DESC", "HUM"}, "not among"),
        (Not("HUM"), "not among"),
        (3, "3 is not"),
        (True, "True is not"),
        (0.5, "0.5 is not"),
        (float("nan"), "nan is not"),
        ({"DESC": 1}, "is not"),
        ({"DESC", 3}, "is not"),
        (object(), "is not"),
    ],
)
def test_bad_answers_say_who_and_where(answer, fact):
    with pytest.raises(BadShortlist) as error:
        answers_of(answer)
    for part in ("'rule'", "row 3", fact):
        assert part in str(error.value)


NAMES = st.lists(st.text(min_size=1, max_size=3), min_size=2, max_size=6, unique=True)


@st.composite
def spaces_codomains_and_answers(draw):
    space = LabelSpace(draw(NAMES))
    proper = st.sets(st.sampled_from(space.names), min_size=1, max_size=len(space) - 1).map(frozenset)
    says = draw(st.lists(proper, min_size=1, max_size=4, unique=True))
    answers = draw(st.lists(st.one_of(st.none(), st.sampled_from(says)), min_size=1, max_size=8))
    return space, says, answers


@given(spaces_codomains_and_answers(), st.booleans())
def test_encoding_then_decoding_an_answer_is_the_identity(drawn, declare):
    space, says, answers = drawn
    rule = labeler(says=says if declare else None, name="rule")(lambda a: answers[a])
    votes = apply(rule, range(len(answers)), space=space)
    assert [votes.shortlist(a, 0) for a in range(len(answers))] == answers


@given(spaces_codomains_and_answers(), st.data())
def test_bad_answers_always_give_the_named_error(drawn, data):
    space, says, _ = drawn
    undeclared = st.sets(st.sampled_from(space.names), min_size=1).map(frozenset).filter(lambda s: s not in says)
    strange = st.one_of(st.just(frozenset()), st.text().filter(lambda w: w not in space), st.integers(), undeclared)
    answer = data.draw(strange)
    if isinstance(answer, str) or not isinstance(answer, frozenset):
        expected = UnknownClass if isinstance(answer, str) else BadShortlist
    else:
        expected = BadShortlist
    rule = labeler(says=says, name="rule")(lambda row: answer)
    with pytest.raises(expected) as error:
        apply(rule, ["x"], space=space)
    assert "'rule'" in str(error.value)
    assert "row 0" in str(error.value)


# -- bad labelers --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("says", [[], [set()], [3], 3, ["HUM", {"HUM"}], [["HUM", 3]]])
def test_says_that_cannot_be_used(says):
    with pytest.raises(BadLabeler) as error:
        labeler(says=says)(first_word.function)
    assert "'first_word'" in str(error.value)


def test_a_class_misspelt_in_says_is_found_before_it_is_asked():
    with pytest.raises(UnknownClass) as error:
        apply(labeler(says=["HUMM"], name="rule")(lambda row: pytest.fail("it was asked")), ["x"], space=SPACE)
    for fact in ("'rule'", "'HUMM'", "'HUM'"):
        assert fact in str(error.value)


def test_what_is_not_a_function_is_no_labeler():
    with pytest.raises(BadLabeler):
        labeler(says=["HUM"])(3)
    with pytest.raises(BadLabeler, match="no parameter"):
        apply(labeler(says=["HUM", "LOC"])(lambda: "HUM"), ["x"])


def test_an_error_in_a_labeler_names_it_and_keeps_the_cause():
    with pytest.raises(LabelerFailed) as error:
        apply(first_word, ["who", ""], space=SPACE)
    assert "'first_word'" in str(error.value)
    assert "row 1" in str(error.value)
    assert isinstance(error.value.__cause__, IndexError)


def test_stop_iteration_in_a_labeler_does_not_end_the_rows():
    def broken(row):
        return next(iter([])) if row == 1 else "HUM"

    with pytest.raises(LabelerFailed, match="StopIteration"):
        apply(labeler(says=["HUM"])(broken), range(4), space=SPACE)
    votes = apply(labeler(says=["HUM"])(broken), range(4), space=SPACE, on_error="abstain")
    assert votes.codes[:, 0].tolist() == [1, 0, 1, 1]
    assert votes.failures[0].count == 1


def test_all_our_errors_are_one_family():
    with pytest.raises(ShortlistError):
        answers_of("NUMM")


@pytest.mark.parametrize(
    ("make", "fact"),
    [
        (lambda: labeler("HUM"), "says="),
        (lambda: labeler(says={"HUM", "LOC"})(lambda row: None), "[{'HUM', 'LOC'}]"),
        (lambda: apply(None, ["x"]), "NoneType"),
        (lambda: apply([[labeler(lambda row: None)]], ["x"]), "unpacked with *"),
    ],
)
def test_slips_in_making_a_labeler_say_what_to_write(make, fact):
    with pytest.raises(BadLabeler) as error:
        make()
    assert fact in str(error.value)


def test_an_async_function_is_refused_when_it_is_marked():
    async def slow(row):
        return "HUM"

    with pytest.raises(BadLabeler, match="'slow' is async"):
        labeler(slow)


@pytest.mark.parametrize("space", [None, ["a", "b"]])
def test_the_full_set_is_an_error_however_the_space_is_known(space):
    with pytest.raises(BadShortlist, match="every class"):
        apply(labeler(lambda row: {"a", "b"} if row else "a"), [0, 1], space=space)


def test_an_answer_declared_twice_in_other_words_is_found_before_any_row_is_read():
    seen = []
    twice = labeler(says=["a", Not("b")], name="twice")(seen.append)
    with pytest.raises(BadShortlist, match=r"'twice'.*declared twice"):
        apply(twice, [1], space=["a", "b"])
    assert not seen


def test_fewer_than_two_classes_ask_for_the_space():
    for rule in (labeler(says=["a"])(lambda row: "a"), labeler(lambda row: None)):
        with pytest.raises(BadShortlist, match="space="):
            apply(rule, ["x"])


def test_a_labeler_may_ask_for_gpus():
    @labeler(says=["a"], gpus=0.5)
    def model(text):
        return "a"

    assert (model.gpus, labeler(len).gpus) == (0.5, 0)
    for wrong in (-1, True, "1", float("inf"), float("nan")):
        with pytest.raises(BadLabeler, match="gpus is a number from 0"):
            labeler(says=["a"], gpus=wrong)(len)
