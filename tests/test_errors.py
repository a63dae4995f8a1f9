"""The one family of errors and their facts, "did you mean", and the door for optional packages."""

import inspect
import pickle

import pytest

from shortlist import errors
from shortlist.engines import Local, ordered
from shortlist.errors import (
    BadFile,
    BadFit,
    BadRows,
    MissingPackage,
    NotFitted,
    ShortlistError,
    ShortlistWarning,
    UnknownClass,
    about_option,
    require,
)
from shortlist.project import BadProject
from shortlist.wording import did_you_mean, nearest


def test_every_error_is_of_the_family_and_of_a_builtin_kind():
    family = [e for _, e in inspect.getmembers(errors, inspect.isclass) if issubclass(e, Exception)]
    family = [e for e in family if not issubclass(e, Warning) and e is not ShortlistError]
    assert len(family) >= 8
    for error in family:
        assert issubclass(error, ShortlistError)
        assert issubclass(error, (ValueError, TypeError, RuntimeError, ImportError))


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
    assert "pip install 'safetensors>=0.5' 'torch>=2.4'" in str(caught.value)
    assert isinstance(caught.value, ImportError)


FAILURES = [
    UnknownClass("'sprots' is not a class", word="sprots").about(labeler="goal", row=7),
    BadFit("accuracy_mean is a probability", option=("estimator", "accuracy_mean")),
    BadFile("does not exist", file="rows.csv"),
    BadRows("no column", column="title", rows=(3, 9)),
    NotFitted("not fitted"),
    MissingPackage("this needs torch"),
    BadProject("Invalid value", file="shortlist.toml", line=4, offset=9),
]


@pytest.mark.parametrize("error", FAILURES, ids=lambda error: type(error).__name__)
def test_errors_travel_with_their_facts(error):
    back = pickle.loads(pickle.dumps(error))
    assert type(back) is type(error)
    assert (str(back), back.facts, back.message) == (str(error), error.facts, error.message)


def failing(number):
    raise FAILURES[number]


def test_errors_come_back_from_other_processes_with_their_facts():
    for number, error in enumerate(FAILURES):
        with pytest.raises(type(error)) as caught:
            list(ordered(Local(2), failing, [number]))
        assert caught.value.facts == error.facts
        assert str(caught.value) == str(error)


def test_facts_stand_before_the_message_where_they_are_added():
    error = UnknownClass("'x' is not a class", word="x").about(labeler="goal", row=7)
    assert str(error) == "labeler 'goal', row 7: 'x' is not a class"
    assert error.facts == {"labeler": "goal", "row": 7, "word": "x"}
    assert (error.feature, error.option) == (None, ())


def test_places_stand_before_the_message():
    assert str(BadFile("does not exist", file="rows.csv")) == "rows.csv does not exist"
    assert str(BadFile("rows.csv does not exist")) == "rows.csv does not exist"
    place = BadProject("Invalid value", file="shortlist.toml", line=4, offset=9)
    assert str(place) == "shortlist.toml, line 4, column 9: Invalid value"
    assert place.message == "Invalid value"


def test_a_fact_nobody_knows_is_refused():
    with pytest.raises(TypeError, match="'labler' is no fact"):
        BadRows("x", labler="goal")


def test_options_within_options():
    with pytest.raises(BadFit) as caught, about_option("estimator"):
        raise BadFit("no", option=("accuracy_mean",))
    assert caught.value.option == ("estimator", "accuracy_mean")
