"""Recipes: how an encoder is fine-tuned on beliefs. Each is the options of a TransformerClassifier.

"paper" is the paper's, with its rate and epochs for each data set, and the epoch chosen on the labelled dev rows. All
others see no label, and are the same for every data set. The rest of the list takes one thing away from, or adds one
thing to, "gentle" or "steps", to say what each part buys.
"""

PAPER = {"schedule": "constant", "pooling": "cls", "dev": True}
GENTLE = {"epochs": 4, "lr": 1e-5}
STEPS = {"steps": 800, "lr": 1e-5, "head_lr": 1e-4}

RECIPES = {
    "paper": {
        "trec": PAPER | {"epochs": 25, "lr": 3e-5},
        "scicite": PAPER | {"epochs": 20, "lr": 3e-6},
        "agnews": PAPER | {"epochs": 20, "lr": 5e-7},
    },
    "long": {"epochs": 10, "lr": 5e-5},
    # how long, how fast
    "gentle": GENTLE,
    "gentle-head": GENTLE | {"head_lr": 1e-4},
    "gentle-fast-head": GENTLE | {"head_lr": 1e-3},
    "steps": STEPS,
    "steps-fast-head": STEPS | {"head_lr": 1e-3},
    "steps-400": STEPS | {"steps": 400},
    "fast-head-400": STEPS | {"steps": 400, "head_lr": 1e-3},
    "fast-head-200": STEPS | {"steps": 200, "head_lr": 1e-3},
    "fast-head-soft-400": STEPS | {"steps": 400, "head_lr": 1e-3, "power": 0.5},
    "2e-5-400": STEPS | {"steps": 400, "lr": 2e-5, "head_lr": 1e-3},
    "steps-1600": STEPS | {"steps": 1600},
    "steps-2e-5": STEPS | {"lr": 2e-5},
    "steps-3e-5": STEPS | {"lr": 3e-5},
    "frozen": {"frozen": True, "steps": 2000, "lr": 1e-3},
    # regularisation
    "steps-words": STEPS | {"word_dropout": 0.15},
    "steps-more-words": STEPS | {"word_dropout": 0.3},
    "words-1600": STEPS | {"steps": 1600, "word_dropout": 0.15},
    "more-words-1600": STEPS | {"steps": 1600, "word_dropout": 0.3},
    "most-words-1600": STEPS | {"steps": 1600, "word_dropout": 0.5},
    "more-words-3200": STEPS | {"steps": 3200, "word_dropout": 0.3},
    "most-words-3200": STEPS | {"steps": 3200, "word_dropout": 0.5},
    "steps-average": STEPS | {"average": 0.995},
    "steps-cls": STEPS | {"pooling": "cls"},
    # beliefs
    "steps-sharp": STEPS | {"power": 2.0},
    "steps-sharper": STEPS | {"power": 4.0},
    "steps-set": STEPS | {"loss": "set"},
    "steps-confidence": STEPS | {"weigh": "confidence"},
    "steps-uncovered": STEPS | {"uncovered": "keep"},
    # refinement
    "steps-round": STEPS | {"rounds": 1},
    "steps-rounds": STEPS | {"rounds": 2},
    "steps-words-round": STEPS | {"word_dropout": 0.15, "rounds": 1},
    "steps-words-sharp-round": STEPS | {"word_dropout": 0.15, "rounds": 1, "power": 2.0},
    "smoke": {"steps": 2, "batch_size": 4, "max_length": 16},
}


def options(recipe, task):
    """(options of the classifier, whether dev labels choose the epoch)."""
    chosen = dict(RECIPES[recipe].get(task, {})) if task in RECIPES[recipe] else dict(RECIPES[recipe])
    return chosen, chosen.pop("dev", False)
