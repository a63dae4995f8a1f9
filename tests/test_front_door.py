"""`import shortlist` is lazy and quick, and every name behind it is there."""

import ast
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import shortlist

ROOT = Path(__file__).parents[1]
WITH_SKLEARN = {"sklearn", "joblib", "threadpoolctl"}  # scikit-learn itself, and what it always brings

HEAVY = ["sklearn", "scipy", "polars", "pandas", "torch", "transformers", "spacy", "rich", "typer", "joblib"]


def processor_seconds(statement: str) -> float:
    """What a statement costs in a fresh interpreter, with bytecode kept as it is on a user's machine."""
    code = f"import time; t = time.process_time(); {statement}; print(time.process_time() - t)"
    env = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    return float(subprocess.check_output([sys.executable, "-c", code], env=env))


def test_importing_takes_at_most_150_ms_more_than_numpy():
    """Processor time, the best of several in turn: the machine may be busy with something else."""
    both, numpy_alone = zip(
        *((processor_seconds("import numpy, shortlist"), processor_seconds("import numpy")) for _ in range(5)),
        strict=True,
    )
    assert min(both) - min(numpy_alone) < 0.15


def test_importing_loads_nothing_heavy():
    code = "import shortlist, sys; print(*sorted({name.split('.')[0] for name in sys.modules}))"
    loaded = subprocess.check_output([sys.executable, "-c", code], text=True).split()
    assert "shortlist" in loaded
    assert not set(HEAVY) & set(loaded)


def test_what_stays_light_once_used():
    """Votes are numpy; no classifier library is needed to make or read them."""
    code = "import shortlist, sys; shortlist.Votes; print(*sorted({name.split('.')[0] for name in sys.modules}))"
    loaded = subprocess.check_output([sys.executable, "-c", code], text=True).split()
    assert not {"sklearn", "torch", "polars", "pandas"} & set(loaded)


def test_every_name_is_there():
    for name in shortlist.__all__:
        assert getattr(shortlist, name) is not None
    assert set(shortlist.__all__) <= set(dir(shortlist))


def test_an_unknown_name_is_an_attribute_error():
    assert not hasattr(shortlist, "LabelModle")


def imported(path: Path) -> set[str]:
    """The packages that a file imports, wherever in it."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module.split(".")[0])
    return found


def test_every_package_that_is_imported_is_declared():
    """`shortlist label` imported click, which came with typer until it did not."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    declared = [
        *project["dependencies"],
        *(name for extra in project["optional-dependencies"].values() for name in extra),
    ]
    known = {re.split(r"[^\w.-]", name)[0].lower().replace("-", "_") for name in declared} | WITH_SKLEARN
    known |= sys.stdlib_module_names | {"shortlist"}
    unknown = {path.name: names for path in (ROOT / "src").rglob("*.py") if (names := imported(path) - known)}
    assert not unknown
