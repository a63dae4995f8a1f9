"""Recipes: how an encoder is fine-tuned on beliefs. Each is the options of a TransformerClassifier.

"paper" is the paper's, with its rate and epochs for each data set, and the epoch chosen on the labelled dev rows. All
others see no label, and are the same for every data set. "steps-400" is the classifier's default. The rest of the list
changes one thing about "gentle" or "steps", to say what each part buys.
"""

PAPER = {"schedule": "constant", "pooling": "cls", "head_lr": None, "dev": True}
GENTLE = {"epochs": 4, "lr": 1e-5, "head_lr": None}
STEPS = {"steps": 800, "lr": 1e-5, "head_lr": 1e-4}

RECIPES = {
    "paper": {
        "trec": PAPER | {"epochs": 25, "lr": 3e-5},
        "scicite": PAPER | {"epochs": 20, "lr": 3e-6},
        "agnews": PAPER | {"epochs": 20, "lr": 5e-7},
    },
    "long": {"epochs": 10, "lr": 5e-5, "head_lr": None},
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
    "frozen": {"frozen": True, "steps": 2000, "head_lr": 1e-3},
    "steps-cls": STEPS | {"pooling": "cls"},
    # beliefs
    "steps-set": STEPS | {"loss": "set"},
    "set-400": STEPS | {"steps": 400, "loss": "set"},
    "steps-uncovered": STEPS | {"uncovered": "keep"},
    "smoke": {"steps": 2, "batch_size": 4, "max_length": 16},
}


def options(recipe, task):
    """(options of the classifier, whether dev labels choose the epoch)."""
    chosen = dict(RECIPES[recipe].get(task, {})) if task in RECIPES[recipe] else dict(RECIPES[recipe])
    return chosen, chosen.pop("dev", False)
