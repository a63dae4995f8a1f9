"""Recipes: how an encoder is fine-tuned on beliefs. Each is the options of a TransformerClassifier.

"teach-words" is the classifier's default: a teacher for uncovered rows, a head start, then everything, and a linear
model of words beside it. The others leave one thing out, to say what it buys. Results of more recipes, the paper's
among them, are kept; `results/README.md` says which commit had their options.
"""

RECIPES = {
    "teach-words": {},
    "teach": {"words": False},
    "head-only": {"words": False, "uncovered": "drop"},
    "teach-2e-5": {"words": False, "lr": 2e-5},
    "frozen": {"words": False, "frozen": True, "steps": 2000},
    "smoke": {"steps": 4, "batch_size": 4, "max_length": 16},
}
