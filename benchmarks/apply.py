"""How fast are labelers applied? `shortlist.apply` against Snorkel's `PandasLFApplier`, in one run.

    python benchmarks/apply.py --snorkel-python PATH     an interpreter that has snorkel 0.10.0
    python benchmarks/apply.py --snorkel-cache FOLDER    makes a virtual environment with it there, once

Both get the same pandas table (one column of text) and the same ten rules, with one worker and one thread each. The
rules run as declarative labelers (`pattern`) and as Python functions; Snorkel runs the same regular expressions and the
same Python functions as its labeling functions. All label matrices must be equal. The overhead of `apply` is what it
takes longer than `for f in functions: [f(row) for row in rows]` on a list of the same rows, per row and labeler.

All times are processor time (of all threads), so that what else runs on the machine favours nobody; the two take turns,
and of each the best of equally many runs counts.

The exit code is 1 when a label matrix differs or a figure misses its mark. Texts are news-like, drawn with a fixed
seed; with `--data-home`, they are the texts of AG-News, repeated.
"""

# ruff: noqa: SIM905 (lists of words read better as a sentence)

from __future__ import annotations

import argparse
import itertools
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

os.environ.setdefault("POLARS_MAX_THREADS", "1")  # one worker is one thread, too

SNORKEL = ("snorkel==0.10.0", "torch==2.13.0")
MARKS = {"declarative": 30.0, "functions": 3.0}  # times as fast as Snorkel
MARK_OVERHEAD = 1.0  # microseconds per row and labeler

CLASSES = ["World", "Sports", "Business", "Sci/Tech"]
# name: the regular expression, what it says where found, and (where it has two sides) where not
RULES = {
    "conflict": ("troops|militants?|hostage|peace talks", ["World"]),
    "minister": ("[Mm]inister|[Cc]hairman", ["World", "Business"]),
    "league": ("season|league|playoffs?|tournament", ["Sports"]),
    "score": (r"\b\d+-\d+\b", ["Sports"]),
    "money": (r"\$\d+(?:\.\d+)? (?:million|billion)", ["Business"], ["World", "Sports", "Sci/Tech"]),
    "profit": ("profit|earnings|shares", ["Business"]),
    "software": ("software.*(?:update|release)|browser|virus", ["Sci/Tech"]),
    "space": ("NASA|spacecraft|space station", ["Sci/Tech"]),
    "internet": ("[Ii]nternet|[Ww]eb|online", ["Business", "Sci/Tech"]),
    "agency": (r"^(?:AP|Reuters|AFP) - ", ["World", "Sports"]),
}


# -- the rules, twice: for Shortlist and for Snorkel -----------------------------------------------------


def shortlist_functions():
    """The rules as a user of Shortlist writes them in Python."""
    return {name: _shortlist_function(re.compile(rule[0]), *rule[1:]) for name, rule in RULES.items()}


def _shortlist_function(regex, yes, no=None):
    search, yes, no = regex.search, _answer(yes), no and _answer(no)

    def function(row):
        return yes if search(row["text"]) else no

    return function


def _answer(classes):
    """A class name where there is one, else a set: what a user would return."""
    return classes[0] if len(classes) == 1 else set(classes)


def snorkel_functions():
    """The rules as a user of Snorkel writes them: a number for each answer, −1 for none."""
    return {name: _snorkel_function(re.compile(rule[0]), 1 if len(rule) > 2 else -1) for name, rule in RULES.items()}


def _snorkel_function(regex, no):
    search = regex.search

    def function(x):
        return 0 if search(x.text) else no

    return function


# -- rows ------------------------------------------------------------------------------------------------

WORDS = (
    "the a of in to and for on with at by as from after over said says will would could new first last two three year "
    "years week Monday Tuesday Friday company companies market prices oil shares profit earnings quarter sales $3.5 "
    "million billion deal bank stocks government president minister chairman talks peace troops militants attack "
    "city police election vote party country Iraq Israel China Europe team coach season league playoffs game games win "
    "21-14 3-1 victory tournament goal players fans software update release browser virus Internet Web online "
    "search phone computer users research scientists NASA spacecraft space station study report plan top record "
    "reported announced agreed expected killed beat signed launched won lost rose fell"
).split()


def texts_drawn(m, seed=0):
    """News-like texts of 60 to 180 characters."""
    draw = random.Random(seed)
    return [_text(draw) for _ in range(m)]


def _text(draw):
    length = draw.randint(60, 180)
    start = draw.choice(["", "", "", "AP - ", "Reuters - "])
    return (start + " ".join(draw.choices(WORDS, k=40)))[:length].strip()


def texts_read(m, data_home):
    """The texts of AG-News, repeated to as many rows as are asked for."""
    sys.path.insert(0, str(Path(__file__).parent.parent))  # experiments/ lies beside benchmarks/
    from experiments import datasets

    splits = datasets.load("agnews", data_home).splits.values()
    read = [text for split in splits for text in split.rows["string"]]
    return list(itertools.islice(itertools.cycle(read), m))


# -- timing ----------------------------------------------------------------------------------------------


def timed(function):
    """Processor seconds, and the result."""
    start = time.process_time()
    result = function()
    return time.process_time() - start, result


def best_of(repeats, **functions):
    """name → the quickest of its runs as (seconds, result); the functions, which time themselves, take turns."""
    runs = [{name: function() for name, function in functions.items()} for _ in range(repeats)]
    return {name: min((run[name] for run in runs), key=lambda run: run[0]) for name in functions}


def run_snorkel(python, given):
    """Seconds and label matrix of Snorkel, from a process of its own interpreter."""
    import numpy as np

    labels = given.with_name("labels.npy")
    command = [python, __file__, "--as-snorkel", str(given), str(labels)]
    answer = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    return json.loads(answer.splitlines()[-1])["seconds"], np.load(labels)


def as_snorkel(given, labels):
    """What runs in Snorkel's interpreter."""
    import numpy as np
    import pandas as pd
    from snorkel.labeling import LabelingFunction, PandasLFApplier

    table = pd.DataFrame({"text": json.loads(Path(given).read_text(encoding="utf-8"))})
    applier = PandasLFApplier([LabelingFunction(name, f) for name, f in snorkel_functions().items()])
    seconds, matrix = timed(lambda: applier.apply(table, progress_bar=False))
    np.save(labels, matrix)
    print(json.dumps({"seconds": seconds}))


def run_all(texts, python, repeats):
    """name → (seconds, label matrix or Votes), of Snorkel and of both kinds of labelers of Shortlist."""
    import pandas as pd

    from shortlist import apply, pattern

    table = pd.DataFrame({"text": texts})
    declared = [pattern(rule[0], *map(set, rule[1:]), on="text", name=name) for name, rule in RULES.items()]
    written = shortlist_labelers()
    with tempfile.TemporaryDirectory() as folder:
        given = Path(folder, "rows.json")
        given.write_text(json.dumps(texts), encoding="utf-8")
        return best_of(
            repeats,
            snorkel=lambda: run_snorkel(python, given),
            declarative=lambda: timed(lambda: apply(declared, table, space=CLASSES, progress=False)),
            functions=lambda: timed(lambda: apply(written, table, space=CLASSES, progress=False)),
        )


def shortlist_labelers():
    """The Python functions as labelers."""
    from shortlist import labeler

    functions = shortlist_functions().items()
    return [labeler(says=[set(said) for said in RULES[name][1:]], name=name)(f) for name, f in functions]


def run_overhead(texts, repeats, block=20_000):
    """Seconds of `apply` and of the bare loop on a list of rows: the best of each block, added up."""
    from shortlist import apply

    rows, written, functions = [{"text": text} for text in texts], shortlist_labelers(), shortlist_functions()
    applied = bare = 0.0
    for part in (rows[start : start + block] for start in range(0, len(rows), block)):
        best = best_of(
            repeats,
            applied=lambda part=part: timed(lambda: apply(written, part, space=CLASSES, progress=False)),
            bare=lambda part=part: timed(lambda: bare_loop(functions.values(), part)),
        )
        applied, bare = applied + best["applied"][0], bare + best["bare"][0]
    return applied, bare


def bare_loop(functions, rows):
    for f in functions:
        [f(row) for row in rows]


def snorkel_interpreter(cache):
    """An interpreter with Snorkel, in a virtual environment that is made when it is not there."""
    python = Path(cache, "bin", "python")
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", cache], check=True)
    if subprocess.run([python, "-c", "import snorkel"], capture_output=True).returncode:
        subprocess.run([python, "-m", "pip", "install", "--quiet", *SNORKEL], check=True)
    return str(python)


# -- the report ------------------------------------------------------------------------------------------


def report(m, best, overhead):
    """Print the figures; return whether all are as required."""
    seconds, matrix = best["snorkel"]
    print(f"{m:,} rows, {len(RULES)} rules, one worker each; {(matrix >= 0).sum():,} votes by Snorkel\n")
    print(f"{'':34}{'seconds':>9}{'rows/s':>13}{'× Snorkel':>11}{'required':>10}")
    print(f"{'Snorkel PandasLFApplier':34}{seconds:9.2f}{m / seconds:13,.0f}{1:11.1f}")
    results = [_ratio(name, mark, m, seconds, best[name][0]) for name, mark in MARKS.items()]
    results += [_overhead(m, *overhead), *(_equal(name, best[name][1], matrix) for name in MARKS)]
    print("\nall as required" if all(results) else "\nMISSED: see above")
    return all(results)


def _ratio(name, mark, m, snorkel, seconds):
    ratio, rate = snorkel / seconds, m / seconds
    print(f"{'shortlist.apply, ' + name:34}{seconds:9.2f}{rate:13,.0f}{ratio:11.1f}{f'≥ {mark:g}':>10}")
    return ratio >= mark


def _overhead(m, applied, bare):
    micro = (applied - bare) / (m * len(RULES)) * 1e6
    print(f"\nPython functions on a list of rows: apply {applied:.2f} s, bare loop {bare:.2f} s;")
    print(f"overhead {micro:.2f} µs per row and labeler (required: < {MARK_OVERHEAD:g})")
    return micro < MARK_OVERHEAD


def _equal(name, votes, matrix):
    """Whether the votes are Snorkel's: its −1, 0, 1 are the codes 0, 1, 2."""
    same = bool((votes.codes.astype(int) - 1 == matrix).all())
    verdict = "equal to" if same else "DIFFERENT FROM"
    print(f"label matrix of {name}: {(votes.codes > 0).sum():,} votes, {verdict} Snorkel's")
    return same


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    where = parser.add_mutually_exclusive_group(required=True)
    where.add_argument("--snorkel-python", help="an interpreter that has snorkel 0.10.0")
    where.add_argument("--snorkel-cache", help="a folder for a virtual environment with snorkel, made when not there")
    where.add_argument("--as-snorkel", nargs=2, help=argparse.SUPPRESS)
    parser.add_argument("--data-home", help="use the texts of AG-News from this data home")
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--repeats", type=int, default=3, help="the best of so many counts")
    options = parser.parse_args()
    if options.as_snorkel:
        as_snorkel(*options.as_snorkel)
        return
    python = options.snorkel_python or snorkel_interpreter(options.snorkel_cache)
    texts = texts_read(options.rows, options.data_home) if options.data_home else texts_drawn(options.rows)
    best, overhead = run_all(texts, python, options.repeats), run_overhead(texts, options.repeats)
    sys.exit(not report(len(texts), best, overhead))


if __name__ == "__main__":
    main()
