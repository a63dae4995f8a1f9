"""How long from saving an edit to the answer? `shortlist watch` on 100,000 rows, as a person would use it.

    python benchmarks/watch.py [--data-home FOLDER] [--rows 100000] [--labelers 14]

A project of 14 labelers (keywords, patterns, Python functions, one of them with a feature) is watched by
`shortlist watch --json` in another process. More labelers than 14 are keywords of a class. Edits are saved one after
another; the time is from the moment a file takes its new content to the moment the answer (coverage, conflicts,
accuracy, rows whose label flipped) can be read. Beside the wall clock, which all that the machine does besides goes
into, stands the processor time that the watching process took (of all its threads; Linux only). Medians of three
rounds. The feature of the last two edits is `set(text.lower().split())`; what that takes as a plain loop is measured in
the same run.

Texts are news-like, drawn with a fixed seed; with `--data-home`, they are the texts of AG-News, repeated. The exit code
is 1 when an edit takes a second of processor time or more, what the user's own feature takes not counted.
"""

# ruff: noqa: SIM905 (lists of words read better as a sentence)

from __future__ import annotations

import argparse
import itertools
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import polars as pl
from projects import head

CLASSES = ["World", "Sports", "Business", "Sci/Tech"]
MARK = 1.0  # seconds
ROUNDS = 3
WORDS = {
    "World": "minister election troops peace iraq border treaty embassy rebels parliament".split(),
    "Sports": "coach season match goal team league cup striker inning playoff".split(),
    "Business": "profit shares market oil bank stocks merger quarter dollar earnings".split(),
    "Sci/Tech": "software internet microsoft space browser chip server nasa web wireless".split(),
}
TOML = (
    head(CLASSES, "news.parquet", text="text", id="id", gold="label")
    + """[output]
stages = ["vote", "fit", "export"]
"""
)
LABELERS = """from shortlist import Not, feature, keywords, labeler, pattern

rules = [
    keywords(["minister", "election", "troops"], says="World", name="power"),
    keywords(["iraq", "border", "treaty", "embassy"], says="World", name="abroad"),
    keywords(["coach", "season", "match"], says="Sports", name="play"),
    keywords(["league", "cup", "inning"], says="Sports", name="contest"),
    keywords(["profit", "shares", "bank"], says="Business", name="money"),
    keywords(["software", "internet", "microsoft"], says="Sci/Tech", name="computers"),
    keywords(["space", "nasa"], says={"Sci/Tech", "World"}, name="space"),
    keywords(["oil", "dollar"], says={"Business", "World"}, name="trade"),
    pattern(r"\\b(?:quarter|earnings)\\b", yes="Business", no=None, name="results"),
    pattern(r"\\bweb|wireless\\b", yes={"Sci/Tech", "Business"}, name="lines"),
]


@feature
def words(text):
    return set(text.lower().split())


@labeler(says=["Sports", Not("Sports")])
def team(words):
    if {"team", "striker", "playoff"} & words:
        return "Sports"
    if {"parliament", "merger", "browser"} & words:
        return Not("Sports")


@labeler(says=["World"])
def peace(text):
    if "peace" in text or "rebels" in text:
        return "World"


@labeler(says=[{"Business", "Sci/Tech"}])
def market(text):
    if "market" in text or "server" in text:
        return {"Business", "Sci/Tech"}


@labeler(says=["Sci/Tech"])
def chips(row):
    if "chip" in row.text:
        return "Sci/Tech"
"""
MORE = 'more = keywords(["stocks§"], says="Business", name="more")\n\n\n@feature'
EDITS = [  # what is edited, and how; § is a number that no round repeats, so that no answer is known already
    ("one word more in keywords", '"shares", "bank"]', '"shares", "bank", "stocks", "§"]'),
    ("a pattern", "quarter|earnings", "quarters?|earnings|§"),
    ("a function of the text", '"rebels" in text', '"rebels" in text or "§" in text'),
    ("a function of the row", '"chip" in row.text', '"chips" in row.text or "§" in row.text'),
    ("a new labeler", "@feature", MORE),
    ("a function with a feature", '{"team", "striker", "playoff"}', '{"team", "striker", "playoff", "goal", "§"}'),
    ("the feature itself", "text.lower().split()", "text.lower().replace('§', ' ').split()"),
]
PYTHON = ("a function with a feature", "the feature itself")  # what these take is the user's own code


def source(n: int) -> str:
    """labelers.py with n labelers: the 14, and keywords of two words of a class, then of three."""
    chosen = [places for size in (2, 3) for places in itertools.combinations(range(10), size)]
    found = [([WORDS[topic][i] for i in places], topic) for places in chosen for topic in CLASSES][: n - 14]
    more = [f'    keywords({words}, says="{topic}", name="more{i}"),\n' for i, (words, topic) in enumerate(found)]
    return LABELERS.replace("]\n\n\n@feature", f"{''.join(more)}]\n\n\n@feature")


def texts(m: int, data_home: str | None) -> tuple[list[str], list[str | None]]:
    """Texts and gold labels: AG-News, or news-like ones."""
    if data_home:
        sys.path.insert(0, str(Path(__file__).parent.parent))  # experiments/ lies beside benchmarks/
        from experiments import datasets

        parts = list(datasets.load("agnews", data_home=data_home).splits.values())
        both = [pair for part in parts for pair in zip(part.rows["text"].to_list(), part.gold, strict=True)]
        repeated = [both[a % len(both)] for a in range(m)]
        return [text for text, _ in repeated], [label for _, label in repeated]
    draw = random.Random(0)
    filler = [f"{a}{b}" for a in "ba ke li mo nu pra stu".split() for b in "ter lin dor ma sen vik".split()]
    found: tuple[list[str], list[str | None]] = ([], [])
    for _ in range(m):
        topic = draw.choice(CLASSES)
        telling = draw.choices(WORDS[topic], k=2) + draw.choices(WORDS[draw.choice(CLASSES)], k=draw.random() < 0.2)
        words = [*draw.choices(filler, k=34), *telling]
        draw.shuffle(words)
        found[0].append(" ".join(words))
        found[1].append(topic)
    return found


def save(path: Path, text: str) -> float:
    """Save as editors do; the moment comes back."""
    draft = path.with_suffix(".draft")
    draft.write_text(text)
    os.replace(draft, path)
    return time.perf_counter()


def answer(watching: subprocess.Popen[str]) -> dict[str, Any]:
    """The next line that the command prints."""
    assert watching.stdout is not None
    found: dict[str, Any] = json.loads(watching.stdout.readline())
    return found


def timed(command: list[str], folder: Path) -> str:
    """How long a command took, by the clock and at work."""
    start, busy = time.perf_counter(), os.times()
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    now = os.times()
    worked = now.children_user + now.children_system - busy.children_user - busy.children_system
    return f"{time.perf_counter() - start:.2f} s, {worked:.2f} s at work"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--labelers", type=int, default=14, help="14 to 674")
    parser.add_argument("--data-home", default=None)
    options = parser.parse_args()
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    os.environ.clear()
    os.environ.update(environment)
    with tempfile.TemporaryDirectory() as home:
        folder = Path(home)
        rows, gold = texts(options.rows, options.data_home)
        pl.DataFrame({"id": range(len(rows)), "text": rows, "label": gold}).write_parquet(folder / "news.parquet")
        (folder / "shortlist.toml").write_text(TOML)
        (folder / "labelers.py").write_text(source(options.labelers))
        shortlist = [sys.executable, "-m", "shortlist"]
        whole = timed([*shortlist, "fit"], folder)
        timed([*shortlist, "run", "--json"], folder)
        again = timed([*shortlist, "run", "--json"], folder)
        print(f"{options.rows:,} rows, {options.labelers} labelers; imports and all,")
        print(f"vote and fit from nothing {whole}; `shortlist run` with nothing to do {again}")
        return watched(shortlist, folder, rows, source(options.labelers))


def watched(shortlist: list[str], folder: Path, rows: list[str], labelers: str) -> int:
    """Every edit, done and undone, in each round."""
    took: dict[str, list[tuple[float, float]]] = {what: [] for what, _, _ in EDITS}
    plain = []
    with subprocess.Popen([*shortlist, "watch", "--json"], cwd=folder, stdout=subprocess.PIPE, text=True) as watching:
        answer(watching)
        for turn, (what, old, new) in itertools.product(range(ROUNDS), EDITS):
            assert labelers.count(old) == 1, old
            for text in (labelers.replace(old, new.replace("§", f"turn{turn}")), labelers):
                time.sleep(2.0)  # the files of the last edit are written meanwhile
                busy = processor(watching.pid)
                start = save(folder / "labelers.py", text)
                found = answer(watching)
                both = (time.perf_counter() - start, processor(watching.pid) - busy)
                if text != labelers:
                    took[what].append(both)
                    edits = ", ".join(found["edits"])
                    print(
                        f"  {what:<28} {both[0]:5.2f} s, {both[1]:5.2f} s at work: {edits}; {found['flipped']:,} flips"
                    )
            start = time.process_time()
            for row in rows:
                set(row.lower().split())
            plain.append(time.process_time() - start)
        watching.terminate()
    return told(took, statistics.median(plain))


def processor(process: int) -> float:
    """Seconds of processor time that a process has taken so far."""
    ticks = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[11:13]
    return sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")


def told(took: dict[str, list[tuple[float, float]]], plain: float) -> int:
    """A table of it all, and whether every edit was answered in time."""
    print(f"\nthe feature of the last two, as a plain loop in Python: {plain:.2f} s of processor time")
    print("\n| edit | wall clock, s | processor, s | required |\n|---|---:|---:|---:|")
    late = False
    for what, times in took.items():
        wall, busy = (statistics.median(column) for column in zip(*times, strict=True))
        allowed = MARK + (plain if what in PYTHON else 0.0)
        late |= busy >= allowed
        print(f"| {what} | {wall:.2f} | {busy:.2f} | < {allowed:.2f} |")
    return int(late)


if __name__ == "__main__":
    sys.exit(main())
