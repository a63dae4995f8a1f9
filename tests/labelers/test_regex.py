"""The linear-time engine and Python's `re` agree on whether a text matches, on every text."""

import re
import sys
import unicodedata
import warnings

import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from shortlist import apply
from shortlist.labelers.regex import Inexpressible, linear
from shortlist.labelers.text_search import Keywords, Pattern, keywords, pattern

# Characters on which the two engines are known to differ when left to themselves: superscripts, combining accents,
# separators that only Python calls blank, letters with odd cases, joiners, newlines.
ODD = "²½Ⅷ\u0301\u0903\u200d\u203f\x1c\x1f\x85\xa0İıſKµςσßẞǅΩ\n\r𝟘𐐀_-"
CHARACTERS = st.one_of(st.sampled_from("abckisABCKIS019 .,\n" + ODD), st.characters(exclude_categories=["Cs", "Cn"]))
TEXTS = st.text(CHARACTERS, max_size=12)

ATOMS = st.one_of(
    st.sampled_from(
        [
            r"\w",
            r"\W",
            r"\d",
            r"\D",
            r"\s",
            r"\S",
            ".",
            r"[^\w]",
            r"[\d_k]",
            "[a-k]",
            "[^a-k]",
            r"[\s-]",
            r"[^\w-]",
            r"[^k\s]",
            r"[\Wı]",
            r"[^\dI-s]",
            r"[ΐ-ω\W]",
        ]
    ),
    st.sampled_from(
        [r"\b", "^", "$", r"\A", r"\Z", "(?i:k)", "(?i:[^i-s])", "(?-i:s)", r"(?a:\w)", "(?s:.)", "(?m:^)", "(?m:$)"]
    ),
    st.text(CHARACTERS, min_size=1, max_size=2).map(re.escape),
)
PATTERNS = st.recursive(
    ATOMS,
    lambda inner: st.one_of(
        st.lists(inner, min_size=2, max_size=3).map("".join),
        st.lists(inner, min_size=2, max_size=3).map(lambda parts: "(?:" + "|".join(parts) + ")"),
        st.tuples(inner, st.sampled_from(["*", "+", "?", "*?", "{2}", "{0,2}", "{1,}"])).map(
            lambda p: f"(?:{p[0]}){p[1]}"
        ),
        inner.map(lambda p: f"({p})"),
    ),
    max_leaves=6,
)


def compiles(regex: str) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            re.compile(regex)
    except (re.error, FutureWarning):
        return False
    return True


def matches(rule: Pattern | Keywords, texts: list[str]) -> list[int]:
    return apply(rule, pl.DataFrame({"text": texts}), space=["A", "B"]).codes[:, 0].tolist()


def by_python(rule: Pattern | Keywords, texts: list[str]) -> list[int]:
    return [int(rule.python.search(text) is not None) for text in texts]


@settings(max_examples=600, deadline=None)
@given(PATTERNS.filter(compiles), st.lists(TEXTS, min_size=1, max_size=5), st.booleans())
@example(r"\b(?m:^)k(?m:$)\b", ["²\nk\n²", "k\u0301\nk", "²k"], False)
@example(r"(?a:\b)é\b", ["aé²", "²é", "é\u0301"], False)
@example(r"\bk\b", ["k²", "k\u0301", "²k", "k", "kk"], False)
@example(r"k$", ["k\n", "k\n\n", "k", "\nk"], False)
@example("ſ", ["s", "S", "ſ"], True)
@example("i", ["İ", "ı", "I"], True)
@example(r"\s", ["\x1c", "\x85", "\u2028", "\u200b"], False)
@example(r"^$", ["", "\n"], False)
def test_the_two_ways_agree_on_every_row(regex, texts, ignore_case):
    rule = Pattern("rule", regex, yes=frozenset({"A"}), ignore_case=ignore_case)
    assert matches(rule, texts) == by_python(rule, texts)


@settings(max_examples=300, deadline=None)
@given(
    st.lists(st.text(CHARACTERS, min_size=1, max_size=3), min_size=1, max_size=3),
    st.lists(TEXTS, min_size=1, max_size=5),
    st.booleans(),
    st.booleans(),
)
@example(["k"], ["k²", "kk k", "K", "a-k-b"], True, True)
@example(["c++"], ["c++", "c++x", "xc++", "c+++"], True, False)
def test_keywords_agree_too(words, texts, whole_words, ignore_case):
    rule = keywords(words, says="A", whole_words=whole_words, ignore_case=ignore_case)
    assert matches(rule, texts) == by_python(rule, texts)


def test_most_patterns_people_write_run_by_column():
    written = [
        r"using|measuring|used|the method",
        r"similar result.*(found|observed|obtained)",
        r"\bhow (many|much)\b",
        r"(?i)^what\s+is\b",
        r"\d{4}-\d\d?",
        r"[A-Z]\w+, [A-Z]\w+$",
        r"(?P<name>a|b)+?c",
        r"(?x) a  b # verbose",
    ]
    for regex in written:
        assert linear(regex).pattern


@pytest.mark.parametrize(
    ("regex", "reason"),
    [
        (r"(?<=x)y", "look-around"),
        (r"x(?!y)", "look-around"),
        (r"(x)\1", "back-reference"),
        (r"(x)?(?(1)y|z)", "conditional"),
        (r"(?>x+)y", "atomic"),
        (r"x++y", "possessive"),
        (r"x$\n", "followed"),
        (r"\Bx", r"\B"),
        ("\ud800", "surrogate"),
        (r"(?:\w{999}){999}", "too large"),
    ],
)
def test_what_cannot_be_expressed_says_why(regex, reason):
    with pytest.raises(Inexpressible) as refused:
        linear(regex)
    assert reason in str(refused.value)


def test_a_pattern_that_hangs_python_does_not_hang_here():
    rule = Pattern("bomb", r"(a+)+b", yes=frozenset({"A"}))
    assert matches(rule, ["a" * 5000]) == [0]  # Python's re would need 2^5000 steps


@pytest.mark.parametrize(
    ("regex", "text"),
    [(r"\b(a+)+$", "² " + "a" * 5000 + "!"), (r"\b(\w+\s?)+$", "cafe\u0301 " + "a" * 5000 + "!")],
)
def test_characters_the_engines_dispute_do_not_bring_the_hang_back(regex, text):
    """Attack S1: rows with a superscript or a combining accent went to Python's `re`."""
    rule = pattern(regex, yes="x", no="y", name="rule")
    assert rule.engine == "polars"
    assert apply(rule, [text]).codes.tolist() == [[2]]
    assert rule(text) == frozenset({"y"})


CHARACTERS_OF_PYTHON = [
    chr(code) for code in range(sys.maxunicode + 1) if unicodedata.category(chr(code)) not in ("Cs", "Cn")
]


@pytest.mark.parametrize(
    "regex", [r"\w", r"\W", r"\d", r"\s", r"[^\w\s]", r"(?a:\w)", r"(?a:\s)", r"(?i:\w)", r"(?i:[\Wk])"]
)
def test_sets_hold_the_characters_that_python_finds_in_them(regex):
    """All characters that this Python knows. Those of a newer Unicode are letters to one engine only."""
    column, python = pl.Series(CHARACTERS_OF_PYTHON), re.compile(regex)
    matched = column.filter(column.str.contains(linear(regex).pattern)).to_list()
    assert matched == [letter for letter in CHARACTERS_OF_PYTHON if python.search(letter)]


def test_letters_are_equal_to_those_that_python_takes_for_equal():
    every = (letter for letter in CHARACTERS_OF_PYTHON if letter.lower() != letter.upper())
    cased = [*every, "\u0345"]
    together = "".join(cased)
    column = pl.Series(cased)
    for letter in [*cased[:200], *cased[200::7], "ı", "İ", "ſ", "ς", "\u0345"]:
        pattern = linear(re.escape(letter), re.IGNORECASE).pattern
        matched = column.filter(column.str.contains(pattern)).to_list()
        assert matched == re.findall(re.escape(letter), together, re.IGNORECASE), letter


def test_a_mark_in_the_text_does_not_hide_a_word():
    rule = pattern(r"\bk\b", yes="A")
    assert matches(rule, ["² k é", "²k é", "!k! ²", "aka ²", "\u0301k"]) == [1, 0, 1, 0, 1]
