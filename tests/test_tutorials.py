"""The commands of a tutorial, pasted one by one, give what the page shows.

In a `console` block, lines that begin with "$ " are commands and what follows is what they print ("..." stands for
anything). A command that shows nothing need only succeed. A block after "Save this as `name`:" is that file, for the
commands that follow.
"""

import doctest
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.test_docs import ROOT, blocks

PAGES = sorted((ROOT / "docs" / "tutorials").glob("*.md"))
SLOW = pytest.mark.slow
LONG = ("project", "prompts")  # the pages that take more than a few seconds
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
NOT_RUN = ("pip ", "make ", "cd ")  # what installs, and what has no effect on the next command
FILE = re.compile(r"(?P<how>Save this as|Add this to) `(?P<name>[\w.]+)`:$")
SECONDS = re.compile(r"\b\d+(\.\d+)? ?(seconds|s|ms)\b")


def commands(code: str) -> list[tuple[str, str]]:
    """(command, what it is shown to print) of a console block."""
    found: list[tuple[str, str]] = []
    for line in code.splitlines():
        if line.startswith("$ "):
            found.append((line[2:], ""))
        elif found:
            found[-1] = (found[-1][0], found[-1][1] + line + "\n")
    return found


def plain(text: str) -> str:
    """Without what differs from run to run (how long it took) and trailing blanks."""
    return SECONDS.sub("0 s", "\n".join(line.rstrip() for line in text.splitlines()))


def paste(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    environment = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}",  # this tree, whatever is installed
        "COLUMNS": "120",
        "NO_COLOR": "1",
    }
    return subprocess.run(
        ["bash", "-c", command],
        cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True, timeout=300, check=False,
    )  # fmt: skip


@pytest.mark.parametrize(
    "page", [pytest.param(p, marks=SLOW if p.stem in LONG else ()) for p in PAGES], ids=lambda p: p.stem
)
def test_the_commands_of_a_tutorial_give_what_it_shows(page, tmp_path):
    text = page.read_text().splitlines()
    for line, language, code in blocks(page):
        write_file(" ".join(text[max(line - 4, 0) : line - 1]), code, tmp_path)
        for command, shown in commands(code) if language == "console" else []:
            if command.startswith(NOT_RUN):
                continue
            done = paste(command, tmp_path)
            assert done.returncode == 0, f"{page.name}:{line}: $ {command}\n{done.stdout}"
            if shown.strip():
                check(shown, done.stdout, f"{page.name}:{line}: $ {command}")


def write_file(before: str, code: str, folder: Path) -> None:
    """A block after "Save this as `name`:" is that file; after "Add this to `name`:" it is its end."""
    if found := FILE.search(before.strip()):
        with (folder / found["name"]).open("a" if found["how"].startswith("Add") else "w") as file:
            file.write(code)


def check(shown: str, printed: str, where: str) -> None:
    shown, printed = plain(shown), plain(printed)
    if not doctest.OutputChecker().check_output(shown + "\n", printed + "\n", FLAGS):
        raise AssertionError(f"{where}\n--- the page shows\n{shown}\n--- it printed\n{printed}")


def test_a_page_that_shows_something_else_fails():
    ((command, shown),) = commands("$ echo one\ntwo\n")
    with pytest.raises(AssertionError, match="two"):
        check(shown, paste(command, Path.cwd()).stdout, "here")


def test_time_may_differ():
    check("9 seconds in all.", "12 seconds in all.", "here")
