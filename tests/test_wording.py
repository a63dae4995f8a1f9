"""The small sentences that messages share."""

from hypothesis import given
from hypothesis import strategies as st

from shortlist.wording import (
    did_you_mean,
    ended,
    first_duplicate,
    listed,
    nearest,
    number_of,
    percent,
    some_of,
    split_names,
    text_table,
    visible,
)


def test_the_nearest_word_is_found_whatever_its_case():
    assert nearest("Sprots", ["sports", "world"]) == "sports"
    assert nearest("zzz", ["sports", "world"]) is None


def test_an_unrelated_word_is_not_offered():
    """Newcomer: 'shipping' is no typing mistake for 'billing', though both end in "ing"."""
    assert nearest("shipping", ["account", "billing", "bug"]) is None
    assert nearest("acount", ["account", "billing", "bug"]) == "account"
    assert nearest("biling", ["account", "billing", "bug"]) == "billing"


def test_the_same_number_is_the_nearest():
    assert nearest("0", ["0.0", "1.0"]) == "0.0"
    assert nearest(1.0, ["0", "1"]) == "1"
    assert nearest("2", ["0.0", "1.0"]) is None
    assert nearest("nan", ["0.0", "1.0"]) is None


def test_did_you_mean_is_a_sentence_or_nothing():
    assert did_you_mean("twet", ["tweet", "news"]) == " Did you mean 'tweet'?"
    assert did_you_mean("zzz", ["tweet", "news"]) == ""


def test_a_long_list_is_cut():
    assert some_of("abc") == "a, b, c"
    assert some_of("abcdefgh") == "a, b, c, d, e, f and 2 more"
    assert some_of("abcd", 2, "; ") == "a; b and 2 more"


def test_one_thing_is_no_plural():
    assert [number_of(n, "row") for n in (0, 1, 2225)] == ["0 rows", "1 row", "2,225 rows"]


def test_the_first_word_that_is_given_twice():
    assert first_duplicate(["a", "b", "a", "b"]) == "a"
    assert first_duplicate(["a", "b"]) is None


def test_what_hides_or_turns_other_text_is_written_as_its_code():
    assert visible("a\u202egnp.exe\x1b[2J\r") == "a\\u202egnp.exe\\u001b[2J\\u000d"
    assert visible("עברית, ä, 字\n\t") == "עברית, ä, 字\n\t"


def test_a_sentence_ends_once():
    assert [ended(text) for text in ("No", "No.", "What?", "and so on…")] == ["No.", "No.", "What?", "and so on…"]


@given(
    st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=6), max_size=4),
    st.sampled_from([",", "|", " or "]),
)
def test_names_that_are_listed_are_split_again(names, sign):
    assert split_names(listed(names, sign), sign) == names
    assert split_names(listed(names, sign, gap=""), sign) == names


def test_names_as_people_write_them():
    assert split_names(' a , "Rock, hard",, b ') == ["a", "Rock, hard", "b"]
    assert split_names('say "x", "unclosed') == ['say "x"', '"unclosed']
    assert split_names(" , ") == split_names("") == []
    assert listed(["a", "b, c", 'say "x"']) == 'a, "b, c", say "x"'


# -- tables of text --------------------------------------------------------------------------------------


def test_words_to_the_left_and_figures_to_the_right():
    shown = text_table(["labeler", "votes"], [["a", "1,000"], ["longer", "7"], ["c", "–"]])
    assert shown.splitlines() == ["labeler  votes", "a        1,000", "longer       7", "c            –"]
    assert text_table(["a", "b"], []) == "a  b"


def test_shares():
    assert [percent(0.1234), percent(1, 0), percent(None), percent(float("nan"))] == ["12.3%", "100%", "–", "–"]
