"""pattern() and keywords()."""

import re

import polars as pl
import pytest

from shortlist import Not, apply, from_classifier, keywords, labeler, pattern
from shortlist.errors import BadLabeler, BadRows, SlowPattern
from shortlist.labelers.labeler import from_record
from shortlist.labelers.text_search import Piece, Span, pieces, spans

SPACE = ["business", "sports", "world"]


def test_two_sided_and_one_sided():
    two = pattern("goal", yes="sports", no={"business", "world"}, name="two")
    one = pattern("goal", yes="sports", name="one")
    absent = pattern("goal", no=Not("sports"), name="absent")
    votes = apply([two, one, absent], ["a goal", "a vote", None], space=SPACE)
    assert votes.codes.tolist() == [[1, 1, 0], [2, 0, 1], [0, 0, 0]]
    assert votes.codomains[0].dummies == frozenset()
    assert votes.codomains[1].dummies == {frozenset({"business", "world"})}


def test_keywords_are_whole_words_whatever_their_case_unless_told_otherwise():
    rows = ["An apple", "APPLES", "pineapple", "apple-pie", "appleé"]
    whole = keywords(["apple", "pie"], says="business", name="whole")
    parts = keywords(["apple"], says="business", whole_words=False, name="parts")
    cased = keywords(["apple"], says="business", ignore_case=False, name="cased")
    votes = apply([whole, parts, cased], rows, space=SPACE)
    assert votes.codes.tolist() == [[1, 1, 1], [0, 1, 0], [0, 1, 0], [1, 1, 1], [0, 1, 0]]


def test_keywords_of_scripts_without_spaces_are_found_anywhere():
    """No word of such a sentence is whole: nothing parts it from the next."""
    rows = ["今天股票大涨", "これは株です", "วันนี้ฝนตกหนัก", "the AI chips", "MAIL", "用AI芯片"]
    rule = keywords(["股票", "株", "ฝนตก", "AI", "AI芯片"], says="business", name="rule")
    assert apply(rule, rows, space=SPACE).codes[:, 0].tolist() == [1, 1, 1, 1, 0, 1]
    assert [bool(re.search(rule.python, row, re.IGNORECASE)) for row in rows] == [True] * 4 + [False, True]
    assert [found(rule, row) for row in rows] == [["股票"], ["株"], ["ฝนตก"], ["AI"], [], ["AI芯片"]]


def test_signs_in_keywords_are_only_signs():
    votes = apply(keywords(["c++", "a.b"], says="sports"), ["in c++ it is", "a.b", "axb", "cc"], space=SPACE)
    assert votes.codes[:, 0].tolist() == [1, 1, 0, 0]


@pytest.mark.parametrize(
    "rows",
    [
        [{"title": "goal", "body": "x"}, {"title": "x", "body": "goal"}, {"title": None, "body": "goal"}],
        pl.DataFrame({"title": ["goal", "x", None], "body": ["x", "goal", "goal"]}),
    ],
)
def test_on_names_the_column(rows):
    assert apply(pattern("goal", yes="sports", on="title"), rows, space=SPACE).codes[:, 0].tolist() == [1, 0, 0]


def test_the_only_column_of_text_needs_no_name():
    rows = pl.DataFrame({"text": ["goal"], "number": [1]})
    assert apply(pattern("goal", yes="sports"), rows, space=SPACE).codes.tolist() == [[1]]


@pytest.mark.parametrize(
    ("rows", "on", "facts"),
    [
        (pl.DataFrame({"a": ["x"], "b": ["y"]}), None, ["on=", "a, b"]),
        (pl.DataFrame({"title": ["x"]}), "titel", ["'titel'", "Did you mean 'title'?"]),
        (pl.DataFrame({"title": [1]}), "title", ["'title'", "Int64"]),
        ([{"title": "x"}, {"titel": "x"}], "title", ["row 1", "'title'", "'titel'"]),
        ([{"title": "x"}, {"title": 3}], "title", ["row 1", "int"]),
        ([{"title": "x"}], None, ["row 0", "on="]),
        ([3], None, ["row 0", "int"]),
        (["x"], "title", ["row 0", "'title'", "str"]),
        (["\ud800"], None, ["Unicode"]),
    ],
)
def test_rows_it_cannot_read(rows, on, facts):
    with pytest.raises(BadRows) as error:
        apply(pattern("x", yes="sports", on=on), rows, space=SPACE)
    for fact in facts:
        assert fact in str(error.value)


def test_what_the_engine_cannot_express_runs_with_re_and_says_so():
    with pytest.warns(SlowPattern, match="look-around"):
        rule = pattern(r"(?<!own )goal", yes="sports", name="rule")
    assert rule.engine == "re (look-around)"
    assert "look-around" in repr(rule)
    votes = apply(rule, ["a goal", "own goal", None], space=SPACE)
    assert votes.codes[:, 0].tolist() == [1, 0, 0]


def test_they_print_as_they_are_written():
    rules = [
        pattern("a|b", yes="sports", no=Not("sports"), on="title", ignore_case=True, name="x"),
        keywords(["a", "b"], says={"world", "sports"}, whole_words=False, name="y"),
    ]
    for rule in rules:
        assert eval(repr(rule), {"pattern": pattern, "keywords": keywords, "Not": Not}) == rule


def test_they_are_compared_by_what_they_are():
    assert pattern("a", yes="sports") == pattern("a", yes={"sports"})
    assert pattern("a", yes="sports") != pattern("a", yes="world")
    assert len({pattern("a", yes="sports"), pattern("a", yes="sports")}) == 1


def test_calling_one_is_trying_it():
    assert pattern("a", yes="sports", no="world")("b") == frozenset({"world"})
    assert keywords(["a"], says="sports", on="t")({"t": "a"}) == frozenset({"sports"})
    assert pattern("a", yes="sports")(None) is None


@pytest.mark.parametrize(
    "make",
    [
        lambda: pattern("(", yes="sports"),
        lambda: pattern(3, yes="sports", name="x"),
        lambda: pattern("a"),
        lambda: pattern("a", yes="sports", no="sports"),
        lambda: pattern("a", yes=set()),
        lambda: keywords([], says="sports"),
        lambda: keywords([""], says="sports"),
        lambda: keywords([3], says="sports"),
        lambda: keywords(["a"], says=None),
    ],
)
def test_bad_ones_are_refused_when_written(make):
    with pytest.raises(BadLabeler):
        make()


@pytest.mark.parametrize("workers", [1, 2])
def test_rows_without_text_fail_and_the_rest_are_read_where_errors_do_not_end_all(workers):
    rows = ["x", 3, None, "y", b"x"]
    votes = apply(pattern("x", yes="a", no="b"), rows, on_error="abstain", workers=workers)
    assert votes.codes[:, 0].tolist() == [1, 0, 0, 2, 0]
    assert votes.failures[0].count == 2
    assert "row 1 holds int" in votes.failures[0].first


def test_rows_it_cannot_read_name_the_labeler():
    with pytest.raises(BadRows, match=r"labeler 'goal': .*Did you mean 'title'"):
        apply(pattern("x", yes="a", no="b", on="titel", name="goal"), [{"title": "x"}])


def test_a_compiled_pattern_and_several_columns_are_refused():
    with pytest.raises(BadLabeler, match="ignore_case"):
        pattern(re.compile("x"), yes="a")
    with pytest.raises(BadLabeler, match="one column"):
        pattern("x", yes="a", on=["title", "text"])


def test_keywords_may_say_something_where_no_word_is_found():
    rule = keywords(["film"], says="sports", no=Not("sports"), name="film")
    assert apply(rule, ["a film", "a vote", None], space=SPACE).codes[:, 0].tolist() == [1, 2, 0]
    assert rule("a vote") == Not("sports")
    assert eval(repr(rule), {"keywords": keywords, "Not": Not}) == rule
    assert from_record(rule.record()) == rule
    with pytest.raises(BadLabeler, match="the same"):
        keywords(["film"], says="sports", no="sports")


def flags(rule):
    return re.IGNORECASE if rule.ignore_case else 0


def test_asked_together_they_find_what_python_finds():
    texts = ["a goal", "GOAL!", "goalé", "é goal", "goal_", "goalkeeper", "ſoccer", "a c++ team", "éc++", "", None]
    rules = [
        keywords(["goal"], says="A", no="B", name="one word"),
        keywords(["soccer", "c++"], says="A", name="words and signs"),
        keywords(["oal"], says="A", whole_words=False, name="parts of words"),
        pattern(r"\bgoal\b", yes="A", no="B", name="boundaries"),
    ]
    votes = apply(rules, pl.DataFrame({"text": texts}), space=["A", "B"])
    for rule in rules:
        found = [
            None if text is None else rule.yes if re.search(rule.python, text, flags(rule)) else rule.no
            for text in texts
        ]
        assert [votes.shortlist(a, rule.name) for a in range(len(texts))] == found, rule.name


def test_words_in_one_text_are_a_mistake():
    """Newcomer: "soup, bread" was one phrase, which no row has."""
    with pytest.raises(BadLabeler, match=r"a list of words, \['soup', 'bread'\]; 'soup, bread' is one phrase") as error:
        keywords("soup, bread", says="cooking")
    assert error.value.option == ("words",)
    assert keywords(["well, well"], says="a")("Well, well!") == {"a"}
    assert keywords("soup", says="a")("Soup") == {"a"}


@pytest.mark.parametrize(
    ("call", "wrong", "right"),
    [
        (lambda: keywords(["soup"], yes="a"), "yes", "says"),
        (lambda: pattern("soup", says="a"), "says", "yes"),
        (lambda: pattern("soup", yes="a", ignorecase=True), "ignorecase", "ignore_case"),
        (lambda: labeler(say=["a"]), "say", "says"),
        (lambda: from_classifier(len, {1: "a"}, treshold=0.5), "treshold", "threshold"),
    ],
)
def test_a_parameter_that_is_none_is_answered_with_the_right_one(call, wrong, right):
    """Newcomer: a bare TypeError."""
    with pytest.raises(BadLabeler, match=rf"has no parameter '{wrong}'\. Did you mean '{right}'\?") as error:
        call()
    assert error.value.option == (wrong,)


# -- spans ------------------------------------------------------------------------------------------------


def found(rule, text):
    return [text[start:end] for start, end in spans(rule, [text])[0]]


def test_whole_words_side_by_side_are_all_found():
    assert found(keywords(["goal", "match point"], says="a"), "Goal goal, goals: MATCH POINT!") == [
        "Goal",
        "goal",
        "MATCH POINT",
    ]


def test_parts_of_words_are_found_where_asked_for():
    assert found(keywords(["cat"], says="a", whole_words=False), "concat cat") == ["cat", "cat"]


@pytest.mark.parametrize("regex", [r"\bw\w+", r"[A-Z]\d*", r"é+", r"a|b$", r"(x)(y)?"])
@pytest.mark.parametrize("text", ["who wins W12 ééé x xy b", "", "naïve — w", "b"])
def test_patterns_are_found_where_python_finds_them(regex, text):
    assert found(pattern(regex, yes="a"), text) == [m.group() for m in re.finditer(regex, text) if m.group()]


def test_a_pattern_that_backtracks_takes_no_time():
    """Python's own engine would need 2^5000 steps here."""
    assert spans(pattern(r"(a+)+$", yes="a"), ["a" * 5000 + "b"]) == [[]]


@pytest.mark.filterwarnings("ignore:pattern")
def test_what_has_no_place_has_none():
    @labeler(says=["a"])
    def rule(text):
        return "a"

    assert spans(rule, ["one", "two"]) == [[], []]
    assert spans(pattern(r"a(?!b)", yes="a"), ["ac"]) == [[]]


def test_marks_in_the_text_do_no_harm():
    assert spans(keywords(["a"], says="x"), ["\ufdd0 a \ufdd1"]) == [[Span(2, 3)]]


def test_pieces_add_up_to_the_text():
    marks = [("one", Span(0, 3)), ("two", Span(2, 5))]
    cut = pieces("abcdefg", marks)
    assert cut == (Piece("ab", ("one",)), Piece("c", ("one", "two")), Piece("de", ("two",)), Piece("fg"))
    assert pieces("", []) == ()


def test_whole_words_and_parts_of_words_do_not_meet():
    """Both are searched for together, with the same pattern at first."""
    rules = [keywords(["oal"], says="A", name="whole"), keywords(["oal"], says="A", whole_words=False, name="part")]
    for chosen in (rules, rules[::-1]):
        votes = apply(chosen, ["goal", "oal", None], space=["A", "B"])
        assert votes[:, ["whole", "part"]].codes.tolist() == [[0, 1], [1, 1], [0, 0]]
