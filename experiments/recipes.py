"""Recipes: how an encoder is fine-tuned on beliefs. Each is the options of a TransformerClassifier.

"paper" is the paper's, with its rate and epochs for each data set, and the epoch chosen on the labelled dev rows. All
others see no label, and are the same for every data set. "teach-words" is the classifier's default: a teacher for
uncovered rows, a head start, then everything, and a linear model of words beside it. "steps-400" and then "teach" were
the defaults before. The rest of the list changes one thing about "teach", "gentle" or "steps", to say what each part
buys.
"""

ONE_STAGE = {"uncovered": "drop", "head_steps": 0, "words": False}
PAPER = ONE_STAGE | {"schedule": "constant", "pooling": "cls", "head_lr": None, "dev": True}
GENTLE = ONE_STAGE | {"epochs": 4, "lr": 1e-5, "head_lr": None}
STEPS = ONE_STAGE | {"steps": 800, "lr": 1e-5, "head_lr": 1e-4}
BOTH = {"uncovered": "teach", "teacher_steps": 400, "head_steps": 400, "steps": 800, "lr": 1e-5, "head_lr": 1e-4}
TEACH = BOTH | {"words": False}

RECIPES = {
    "teach-words": BOTH | {"words": True},
    "teach-words-long": BOTH | {"steps": 1600, "words": True},
    "teach": TEACH,
    "teach-no-head": TEACH | {"head_steps": 0},
    "head-only": TEACH | {"uncovered": "drop"},
    "teach-short": TEACH | {"steps": 400},
    "teach-long": TEACH | {"steps": 1600},
    "teach-2e-5": TEACH | {"lr": 2e-5},
    "teach-3e-5": TEACH | {"lr": 3e-5},
    "teach-long-2e-5": TEACH | {"steps": 1600, "lr": 2e-5},
    "paper": {
        "trec": PAPER | {"epochs": 25, "lr": 3e-5},
        "scicite": PAPER | {"epochs": 20, "lr": 3e-6},
        "agnews": PAPER | {"epochs": 20, "lr": 5e-7},
    },
    "long": ONE_STAGE | {"epochs": 10, "lr": 5e-5, "head_lr": None},
    # how long, how fast
    "gentle": GENTLE,
    "gentle-head": GENTLE | {"head_lr": 1e-4},
    "gentle-fast-head": GENTLE | {"head_lr": 1e-3},
    "steps": STEPS,
    "steps-fast-head": STEPS | {"head_lr": 1e-3},
    "steps-400": STEPS | {"steps": 400},
    "fast-head-400": STEPS | {"steps": 400, "head_lr": 1e-3},
    "fast-head-200": STEPS | {"steps": 200, "head_lr": 1e-3},
    "2e-5-400": STEPS | {"steps": 400, "lr": 2e-5, "head_lr": 1e-3},
    "steps-1600": STEPS | {"steps": 1600},
    "steps-2e-5": STEPS | {"lr": 2e-5},
    "steps-3e-5": STEPS | {"lr": 3e-5},
    "frozen": ONE_STAGE | {"frozen": True, "steps": 2000, "head_lr": 1e-3},
    "steps-cls": STEPS | {"pooling": "cls"},
    "smoke": {"steps": 2, "teacher_steps": 2, "head_steps": 2, "batch_size": 4, "max_length": 16},
}


def options(recipe, task):
    """(options of the classifier, whether dev labels choose the epoch)."""
    chosen = dict(RECIPES[recipe].get(task.removesuffix("-titled"), RECIPES[recipe]))
    return chosen, chosen.pop("dev", False)
