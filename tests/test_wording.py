"""The small sentences that messages share."""

from shortlist.wording import did_you_mean, ended, given_twice, nearest, number_of, some_of, visible


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
    assert given_twice(["a", "b", "a", "b"]) == "a"
    assert given_twice(["a", "b"]) is None


def test_what_hides_or_turns_other_text_is_written_as_its_code():
    assert visible("a\u202egnp.exe\x1b[2J\r") == "a\\u202egnp.exe\\u001b[2J\\u000d"
    assert visible("עברית, ä, 字\n\t") == "עברית, ä, 字\n\t"


def test_a_sentence_ends_once():
    assert [ended(text) for text in ("No", "No.", "What?", "and so on…")] == ["No.", "No.", "What?", "and so on…"]
