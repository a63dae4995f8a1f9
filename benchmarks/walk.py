"""Which files does one `shortlist run` go through, and what does it do more than once?

    PYTHONPATH=src python benchmarks/walk.py                          # this source
    PYTHONPATH=src python benchmarks/walk.py --before OTHER/src       # and another one beside it

The news project of the tests (300 rows, four labelers, a linear classifier) is made in an empty folder, and all stages
are run once, with every call of the package traced. A file is touched where one of its functions is called; importing
it does not count. An edge leads from the file of the caller to the file of the called; where another package stands
between (a callback of polars, say), from the nearest caller in ours. "Back again" counts pairs of files that call each
other both ways. Rooms are the folders and files directly under `shortlist`.
"""

from __future__ import annotations

import argparse
import importlib.util
import inspect
import json
import os
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

ROOT = Path(__file__).parent.parent
ROWS = 300


def always(_: dict[str, Any]) -> bool:
    return True


# What may be done once in a run: (the function that does it, whether this call is one of them)
Counted = Callable[[dict[str, Any]], bool]
WORK: dict[str, list[tuple[str, Counted]]] = {
    "votes made": [("vote", lambda given: "cache" in given)],
    "votes loaded": [("VoteParts.open", always)],
    "label model fitted to all rows": [("LabelModel.fit", lambda given: len(given["votes"]) == ROWS)],
    "label model loaded": [("LabelModel.load", always)],
    "known classes read": [("Known.read", always)],
    "diagnoses": [("diagnose", lambda given: "votes_or_labelers" in given)],
    "beliefs of all rows computed": [
        ("Distinct.of", lambda given: len(given["votes"]) == ROWS),
        ("Predictor.predict_proba", lambda given: len(given["votes"]) == ROWS),
    ],
    "classifier loaded": [("NoiseAwareClassifier.load", always)],
}
KINDS = [(name, what, counts) for what, found in WORK.items() for name, counts in found]


class Tracer:
    """Called by Python at every call of a function."""

    def __init__(self, package: Path) -> None:
        self.package = f"{package}{os.sep}"
        self.files: set[str] = set()
        self.edges: set[tuple[str, str]] = set()
        self.work: Counter[str] = Counter()

    def __call__(self, frame: FrameType, event: str, _: Any) -> None:
        here = self.file(frame)
        if event != "call" or here is None or not frame.f_code.co_flags & inspect.CO_OPTIMIZED:
            return  # the bodies of modules and classes are run when a file is imported
        self.files.add(here)
        caller = self.caller(frame)
        if caller not in (here, None):
            self.edges.add((str(caller), here))
        for name, what, counts in KINDS:
            if frame.f_code.co_qualname == name and counts(frame.f_locals):
                self.work[what] += 1

    def file(self, frame: FrameType) -> str | None:
        """The file of the package that a frame is in."""
        name = frame.f_code.co_filename
        return name.removeprefix(self.package) if name.startswith(self.package) else None

    def caller(self, frame: FrameType) -> str | None:
        """The nearest file of the package that called; None where that is a file being imported."""
        back = frame.f_back
        while back is not None and self.file(back) is None:
            back = back.f_back
        return None if back is None or back.f_code.co_name == "<module>" else self.file(back)

    def figures(self) -> dict[str, int]:
        """All that was counted."""
        rooms = {(room(a), room(b)) for a, b in self.edges if room(a) != room(b)}
        there = {str(path.relative_to(self.package)) for path in Path(self.package).rglob("*.py")}
        return {
            "files of the package": len(there),
            "files touched": len(self.files),
            "edges between files": len(self.edges),
            "pairs of files, back again": sum((b, a) in self.edges for a, b in self.edges) // 2,
            "edges between rooms": len(rooms),
            **{what: self.work[what] for what in WORK},
        }


def room(file: str) -> str:
    return Path(file).with_suffix("").parts[0]


def traced() -> dict[str, int]:
    """The figures of one run of the project in the folder we are in, and of a rule that is kept in the studio then."""
    import shortlist.cli

    package = Path(shortlist.cli.__file__).parent.parent
    sys.argv = ["shortlist", "run", "--json"]
    figures = trace(Tracer(package), shortlist.cli.main).figures()
    return {**figures, "files touched by keeping a rule in the studio": len(trace(Tracer(package), kept_rule()).files)}


def kept_rule() -> Callable[[], Any]:
    """Keep a rule in the studio, which is open already."""
    earlier = importlib.util.find_spec("shortlist.studio.desk") is not None  # how it was called before 0.1.0
    studio, service = ("desk", "web.service") if earlier else ("open_project", "service")
    opened = importlib.import_module(f"shortlist.studio.{studio}")
    project = opened.Desk(".") if earlier else opened.OpenProject(".")
    (project.look if earlier else project.refresh)()
    page = importlib.import_module(f"shortlist.studio.{service}").Service(project)
    rule = {"kind": "keywords", "name": "of_the_walk", "words": ["the"], "says": "sports"}
    return lambda: page.save({"record": rule})


def trace(tracer: Tracer, job: Callable[[], Any]) -> Tracer:
    threading.setprofile(tracer)
    sys.setprofile(tracer)
    try:
        job()
    except SystemExit as end:
        if end.code:
            raise
    finally:
        sys.setprofile(None)
    return tracer


def walk(source: Path) -> dict[str, int]:
    """The figures of a source, measured in a process of its own on a project of its own."""
    with tempfile.TemporaryDirectory() as folder:
        make = f"import sys; sys.path.insert(0, {str(ROOT)!r}); from pathlib import Path; "
        make += f"from tests.project.news import make; make(Path('news'), m={ROWS})"
        environment = {**os.environ, "PYTHONPATH": str(source.resolve())}
        subprocess.run([sys.executable, "-c", make], cwd=folder, env=environment, check=True)
        command = [sys.executable, str(Path(__file__).resolve()), "--traced"]
        ran = subprocess.run(command, cwd=f"{folder}/news", env=environment, check=True, stdout=subprocess.PIPE)
    figures: dict[str, int] = json.loads(ran.stdout.splitlines()[-1])
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(description="Which files does one `shortlist run` go through?")
    parser.add_argument("--before", type=Path, help="the source folder of another version")
    parser.add_argument("--traced", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.traced:
        print(json.dumps(traced()))
        return
    columns = {"before": given.before, "now": ROOT / "src"} if given.before else {"now": ROOT / "src"}
    found = {name: walk(source) for name, source in columns.items()}
    print(f"| one run of the tests' news project | {' | '.join(found)} |\n|---|{'---:|' * len(found)}")
    for what in found["now"]:
        print(f"| {what} | {' | '.join(str(figures[what]) for figures in found.values())} |")


if __name__ == "__main__":
    main()
