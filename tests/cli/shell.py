"""The command line as others call it: in the same process for speed, or in one of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from shortlist.cli.app import app

COMMAND = [sys.executable, "-m", "shortlist"]


@dataclass(frozen=True)
class Ended:
    """A command that has ended."""

    code: int
    out: str
    err: str


def call(capfd: pytest.CaptureFixture[str], *arguments: str) -> Ended:
    """Run a command in this process."""
    capfd.readouterr()
    try:
        app(list(arguments), prog_name="shortlist")
        code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 1 if end.code else 0
    found = capfd.readouterr()
    return Ended(code, found.out, found.err)


def environment() -> dict[str, str]:
    """As on a user's machine: bytecode is kept, and few threads are started."""
    kept = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "POLARS_MAX_THREADS": "1"}


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a command in a process of its own."""
    return subprocess.run([*COMMAND, *arguments], cwd=folder, capture_output=True, text=True, env=environment())
