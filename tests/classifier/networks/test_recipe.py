"""The recipe: the options that decide what a trained network is, checked when it is made."""

import pytest

from shortlist.classifier import TransformerClassifier
from shortlist.classifier.networks.phases import head_phase, last_phase, teacher_phase
from shortlist.classifier.networks.recipe import Recipe
from shortlist.errors import BadFit

ELSEWHERE = {"encoder", "uncovered", "on", "device", "checkpoint", "cache", "progress"}


def recipe(**options):
    return Recipe.of(TransformerClassifier(**options).get_params(deep=False))


def test_every_option_is_in_the_recipe_or_says_nothing_about_the_network():
    assert set(recipe().identity()) | ELSEWHERE == set(TransformerClassifier().get_params())
    assert recipe(device="cpu", checkpoint="run") == recipe()
    assert recipe(seed=1).identity() != recipe().identity()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"pooling": "max"}, 'pooling is "mean" or "cls", not \'max\''),
        ({"schedule": "liner"}, 'schedule is "linear", "constant" or "plateau", not \'liner\''),
        ({"loss": "hinge"}, 'loss is "expected" or "set", not \'hinge\''),
        ({"precision": "fp8"}, 'precision is "auto", "fp32" or "bf16", not \'fp8\''),
        ({"steps": 0}, "steps is a whole number from 1, not 0"),
        ({"head_steps": -1}, "head_steps is a whole number from 0, not -1"),
    ],
)
def test_options_that_cannot_be(options, message):
    with pytest.raises(BadFit, match=f"^{message}$"):
        recipe(**options)


def test_epochs_replace_steps():
    assert last_phase(recipe(steps=0, epochs=2), "fp32").plan.epochs == 2


def test_precision_is_chosen_by_the_device():
    assert [recipe().precision_on(device) for device in ("cpu", "cuda:1")] == ["fp32", "bf16"]
    assert recipe(precision="fp32").precision_on("cuda") == "fp32"


def test_the_phases_of_a_recipe():
    made = recipe(lr=3e-5, head_lr=None, batch_size=8, clip=None)
    teacher, head, last = teacher_phase(made, "bf16"), head_phase(made), last_phase(made, "bf16")
    assert (teacher.lr, teacher.head_lr, teacher.plan.steps, teacher.plan.schedule) == (1e-5, 1e-4, 400, "linear")
    assert (head.head_alone, head.head_lr, head.batch_size, head.plan.precision) == (True, 1e-3, 256, "fp32")
    assert (last.lr, last.head_lr, last.head_alone, last.plan.precision) == (3e-5, 3e-5, False, "bf16")
    assert last_phase(recipe(frozen=True), "bf16").plan.precision == "fp32"  # only a head is trained
