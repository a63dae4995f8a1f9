"""What could be published: a wheel that is whole, and from which the demo runs in an empty environment."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import shortlist
from tests.test_docs import ROOT

pytestmark = pytest.mark.slow


def call(*command, cwd):
    """Run it without this tree in sight."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "SHORTLIST"))}
    done = subprocess.run(
        list(map(str, command)), cwd=cwd, env={**environment, "NO_COLOR": "1"}, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """As `make dist` builds it, which checks more."""
    folder = tmp_path_factory.mktemp("wheel")
    call(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", folder, ROOT, cwd=folder)
    (found,) = folder.glob("*.whl")
    return found


def test_it_holds_all_files_of_the_package_and_no_others(wheel):
    package = ROOT / "src" / "shortlist"
    there = {
        f"shortlist/{path.relative_to(package).as_posix()}"
        for path in package.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    held = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    assert held == there
    assert wheel.name == f"shortlist-{shortlist.__version__}-py3-none-any.whl"


def test_the_demo_runs_from_it_in_an_empty_environment(wheel, tmp_path):
    call(sys.executable, "-m", "venv", tmp_path / "venv", cwd=tmp_path)
    programs = tmp_path / "venv" / ("Scripts" if os.name == "nt" else "bin")
    call(programs / "python", "-m", "pip", "install", "--quiet", f"{wheel}[demo]", cwd=tmp_path)
    assert "articles" in call(programs / "shortlist", "demo", cwd=tmp_path)
    assert (tmp_path / "shortlist-demo" / "report.html").exists()
    home = call(programs / "python", "-c", "import shortlist; print(shortlist.__file__)", cwd=tmp_path).strip()
    assert Path(home).is_relative_to(tmp_path)
