"""The linear-time engine searches for what Python means; what it refuses is searched for by `re`, with a time limit."""

import re
import time
import warnings

import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from shortlist import apply
from shortlist.errors import LabelerFailed, SlowPattern
from shortlist.labelers import regex as regex_module
from shortlist.labelers.regex import TIMED_OUT, Inexpressible, linear, slow_search
from shortlist.labelers.text_search import TextLabeler, keywords, pattern

# -- the linear-time engine ------------------------------------------------------------------------------------

TEXTS = st.text(st.sampled_from("abckisABCKIS019 .,\n\r\t[]&~<>-_$+éÖß日本Жж"), max_size=12)
ATOMS = st.one_of(
    st.sampled_from([r"\w", r"\W", r"\d", r"\D", r"\s", r"\S", ".", r"[^\w]", r"[\d_k]", "[a-k]", "[^a-k]", r"[\s-]"]),
    st.sampled_from([r"[^\w-]", "[[a]", "[]a]", "[^]a]", "[a&&b]", "[a~~b]", r"[\]\[]", "[$^]", r"\<", r"\>", "[+-.]"]),
    st.sampled_from([r"\b", "^", r"\A", r"\Z", "(?i:k)", "(?i:[^i-s])", "(?-i:s)", "(?s:.)"]),
    TEXTS.filter(bool).map(lambda text: re.escape(text[:2])),
)
PATTERNS = st.recursive(
    ATOMS,
    lambda inner: st.one_of(
        st.lists(inner, min_size=2, max_size=3).map("".join),
        st.lists(inner, min_size=2, max_size=3).map(lambda parts: "(?:" + "|".join(parts) + ")"),
        st.tuples(inner, st.sampled_from(["*", "+", "?", "*?", "{2}", "{0,2}", "{,2}", "{1,}"])).map(
            lambda p: f"(?:{p[0]}){p[1]}"
        ),
        inner.map(lambda p: f"({p})"),
    ),
    max_leaves=6,
)


def compiles(regex: str) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            re.compile(regex)
    except re.error:
        return False
    return True


def matches(rule: TextLabeler, texts: list[str]) -> list[int]:
    return apply(rule, pl.DataFrame({"text": texts}), space=["A", "B"]).codes[:, 0].tolist()


def by_python(rule: TextLabeler, texts: list[str]) -> list[int]:
    found = re.compile(rule.python, re.IGNORECASE if rule.ignore_case else 0)
    return [int(found.search(text) is not None) for text in texts]


@settings(max_examples=600, deadline=None)
@given(PATTERNS.filter(compiles), st.sampled_from(["", "$"]), st.lists(TEXTS, min_size=1, max_size=5), st.booleans())
@example(r"\bk\b", "", ["k", "kk", "k é", "ék"], False)
@example("k", "$", ["k\n", "k\n\n", "k", "\nk"], False)
@example("(?m)k", "$", ["k\n", "k\n\n", "k\nb", "\nkb"], False)
@example(r"(?m:^)k", "", ["a\nk"], False)
@example("^", "$", ["", "\n"], False)
@example("[[:alpha:]]", "", ["a]", "a", ":]"], False)
@example(r"x\$\[[$\]]", "$", ["x$[$", "x$[]\n", "x$["], False)
@pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::shortlist.errors.SlowPattern")
def test_a_pattern_means_what_it_means_in_python(regex, end, texts, ignore_case):
    rule = pattern(regex + end, yes="A", ignore_case=ignore_case, name="rule")
    assert matches(rule, texts) == by_python(rule, texts)


@settings(max_examples=300, deadline=None)
@given(
    st.lists(TEXTS.filter(bool).map(lambda text: text[:3]), min_size=1, max_size=3),
    st.lists(TEXTS, min_size=1, max_size=5),
    st.booleans(),
    st.booleans(),
)
@example(["k"], ["ké", "kk k", "K", "a-k-b"], True, True)
@example(["c++"], ["c++", "c++x", "xc++", "c+++"], True, False)
def test_keywords_agree_too(words, texts, whole_words, ignore_case):
    rule = keywords(words, says="A", whole_words=whole_words, ignore_case=ignore_case)
    assert matches(rule, texts) == by_python(rule, texts)


def test_letters_and_words_are_those_of_unicode():
    rule = keywords(["km", "नम"], says="A")
    assert matches(rule, ["5 km²", "5 kms", "नमस्ते", "नम स्ते"]) == [1, 0, 0, 1]
    assert matches(pattern(r"^\w+$", yes="A"), ["cafe\u0301", "café", "a b"]) == [1, 1, 0]


def test_most_patterns_people_write_run_by_column():
    written = [
        r"using|measuring|used|the method",
        r"similar result.*(found|observed|obtained)",
        r"\bhow (many|much)\b",
        r"(?i)^what\s+is\b",
        r"\d{4}-\d\d?",
        r"[A-Z]\w+, [A-Z]\w+$",
        r"(?P<name>a|b)+?c",
        r"\$\d{,3}",
        r"\Bx\Z",
    ]
    for regex in written:
        assert linear(regex)


@pytest.mark.parametrize(
    ("regex", "reason"),
    [
        (r"(?<=x)y", "look-around"),
        (r"x(?!y)", "look-around"),
        (r"(x)\1", "backreferences"),
        (r"(x)?(?(1)y|z)", "unrecognized"),
        (r"(?>x+)y", "unrecognized"),
        (r"x++y", "possessive"),
        (r"[+--]", "--"),
        (r"(?x) a  b # verbose", "verbose"),
        ("\ud800", "half a character"),
        (r"(?:\w{999}){999}", "too large"),
    ],
)
def test_what_cannot_be_expressed_says_why(regex, reason):
    with pytest.raises(Inexpressible) as refused:
        linear(regex)
    assert reason in str(refused.value)


def test_a_pattern_that_hangs_python_does_not_hang_here():
    rule = pattern(r"\b(a+)+b", yes="A")
    assert matches(rule, ["a" * 5000, "² " + "a" * 5000 + "!"]) == [0, 0]  # Python's re would need 2^5000 steps


# -- Python's re -----------------------------------------------------------------------------------------------

BOMB = "a" * 40 + "!"


@pytest.fixture
def impatient(monkeypatch):
    monkeypatch.setattr(regex_module, "TIME_LIMIT", 0.5)


def bomb():
    with pytest.warns(SlowPattern, match="look-around"):
        return pattern(r"(?=a)(a+)+$", yes="x", no="y", name="bad")


@settings(max_examples=15, deadline=None)
@given(st.lists(st.one_of(st.none(), st.text("ab ²\n", max_size=6)), max_size=6))
def test_a_slow_search_is_pythons(texts):
    column = pl.Series(texts, dtype=pl.String)
    regex = re.compile(r"(?s)(?<!A)B.*(a)?\1*", re.IGNORECASE)
    expected = [-1 if text is None else int(regex.search(text) is not None) for text in texts]
    assert slow_search(regex, column, 1).tolist() == expected


def test_the_row_on_which_it_was_given_up_is_named(impatient):
    with pytest.raises(LabelerFailed, match=r"given up after 0\.5 s") as error:
        apply(bomb(), ["aaa", "b", BOMB, "aaa"])
    assert (error.value.labeler, error.value.row) == ("bad", 2)


def test_where_errors_abstain_the_rows_after_it_are_searched(impatient):
    votes = apply(bomb(), ["aaa", BOMB, "b", None, "aaa"], on_error="abstain")
    assert votes.codes[:, 0].tolist() == [1, 0, 2, 0, 1]
    assert votes.failures[0].count == 1


def test_many_rows_that_take_too_long_end_the_vote(impatient, monkeypatch):
    monkeypatch.setattr("shortlist.labelers.text_search.MAX_TIMEOUTS", 2)
    with pytest.raises(LabelerFailed) as error:
        apply(bomb(), [BOMB] * 50, on_error="abstain")
    assert error.value.row == 0


def test_trying_one_out_ends_too(impatient):
    with pytest.raises(LabelerFailed, match="'bad'"):
        bomb()(BOMB)


def test_rows_after_the_last_that_is_waited_for_are_given_up_unseen(impatient):
    found = slow_search(re.compile(r"(?=a)(a+)+$"), pl.Series(["a", BOMB, None, "a"]), 1)
    assert found.tolist() == [1, TIMED_OUT, -1, TIMED_OUT]


def test_a_search_that_ends_otherwise_is_no_time_out(monkeypatch):
    monkeypatch.setattr(regex_module, "_SEARCHER", "raise MemoryError")
    with pytest.raises(RuntimeError, match="enough memory"):
        slow_search(re.compile("a(?=b)"), pl.Series(["a"]), 1)


def test_a_search_that_nobody_waits_for_ends():
    """Attack 21: it went on to the end of the chunk."""
    began = time.monotonic()

    def superseded():
        if time.monotonic() - began > 0.5:
            raise InterruptedError

    before = regex_module.still_wanted.set(superseded)
    try:
        with pytest.raises(InterruptedError):
            slow_search(re.compile(r"(?=a)(a+)+$"), pl.Series([BOMB] * 5), 5)
    finally:
        regex_module.still_wanted.reset(before)
    assert time.monotonic() - began < 5
