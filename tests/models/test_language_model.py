"""A model of your own is a class with an id and scores."""

import numpy as np
import pytest

from shortlist.errors import BadLabeler, ModelFailed
from shortlist.models import Model, as_model, model_from_record, model_kind


class Coin(Model):
    id = "coin"

    def scores(self, prompts, choices):
        return np.full((len(prompts), len(choices)), np.log(1 / len(choices)))


def test_ten_lines_are_enough():
    answers = [one for some in as_model(Coin()).answers("abc", ("x", "y")) for _, one in some]
    assert [one.scores.tolist() for one in answers] == [[np.log(0.5)] * 2] * 3


def test_prompts_are_drawn_when_there_is_room():
    drawn = []
    source = (drawn.append(i) or str(i) for i in range(10 * 32))
    next(as_model(Coin()).answers(source, ("x", "y")))
    assert len(drawn) == 32


def test_nan_is_no_answer():
    class Mute(Model):
        id = "mute"

        def scores(self, prompts, choices):
            return np.full((len(prompts), 2), np.nan)

    ((_, one),) = next(Mute().answers(["a"], ("x", "y")))
    assert one.why == "outside"


def test_scores_of_a_wrong_shape():
    class Odd(Coin):
        def scores(self, prompts, choices):
            return np.zeros(len(prompts))

    with pytest.raises(ModelFailed, match="shape"):
        next(as_model(Odd()).answers(["a"], ("x", "y")))


def test_what_is_no_model():
    with pytest.raises(BadLabeler, match="id"):
        as_model(print)


def test_a_kind_of_your_own_can_be_written_in_a_file():
    model_kind("test coin")(Coin)
    assert model_from_record({"kind": "test coin"}).id == "coin"
    with pytest.raises(BadLabeler, match="'edge'") as raised:
        model_from_record({"kind": "test coin", "edge": 1})
    assert raised.value.option == ("edge",)
    with pytest.raises(BadLabeler, match="Did you mean 'http'"):
        model_from_record({"kind": "htpp"})
    with pytest.raises(BadLabeler, match="url and model"):
        model_from_record({"kind": "http"})


def test_a_model_without_an_id_is_told():
    class Nameless(Model):
        def scores(self, prompts, choices):
            return np.zeros((len(prompts), len(choices)))

    with pytest.raises(BadLabeler, match=r"is no language model: one is a subclass of Model with an id"):
        as_model(Nameless())
