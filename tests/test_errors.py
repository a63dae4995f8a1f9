"""The one family of errors, "did you mean", and the door for optional packages."""

import inspect

import pytest

from shortlist import errors
from shortlist.errors import MissingPackage, ShortlistError, ShortlistWarning, require
from shortlist.wording import did_you_mean, nearest


def test_every_error_is_of_the_family_and_of_a_builtin_kind():
    family = [e for _, e in inspect.getmembers(errors, inspect.isclass) if issubclass(e, Exception)]
    family = [e for e in family if not issubclass(e, Warning) and e is not ShortlistError]
    assert len(family) >= 8
    for error in family:
        assert issubclass(error, ShortlistError)
        assert issubclass(error, (ValueError, RuntimeError, ImportError))


def test_every_warning_is_of_the_family():
    assert issubclass(errors.SlowPattern, ShortlistWarning)
    assert issubclass(errors.UselessLabeler, ShortlistWarning)
    assert issubclass(ShortlistWarning, UserWarning)


@pytest.mark.parametrize(
    ("word", "words", "best"),
    [
        ("sprots", ["business", "sports", "world"], "sports"),
        ("SPORTS", ["business", "sports"], "sports"),
        ("num", ["sum", "NUM"], "NUM"),  # another case of the same word beats a similar word
        ("zebra", ["business", "sports"], None),
        (7, ["17", "x"], "17"),
        ("x", [], None),
    ],
)
def test_nearest(word, words, best):
    assert nearest(word, words) == best
    assert nearest(word, iter(words)) == best  # one look at the words is enough


def test_did_you_mean_is_a_sentence_or_nothing():
    assert did_you_mean("sprots", ["sports"]) == " Did you mean 'sports'?"
    assert did_you_mean("qqq", ["sports"]) == ""


def test_require_gives_the_package_or_the_command_that_installs_it():
    assert require("json", extra="x").dumps([1]) == "[1]"
    with pytest.raises(MissingPackage) as caught:
        require("no_such_package.inside", extra="torch")
    assert "no_such_package:" in str(caught.value)
    assert "pip install 'shortlist[torch]'" in str(caught.value)
    assert isinstance(caught.value, ImportError)
