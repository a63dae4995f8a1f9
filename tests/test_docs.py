"""Every code block of README and docs is run, page by page, in order, and so is every example in a docstring."""

import doctest
import importlib
import os
import pkgutil
import re
import textwrap
import tomllib
from pathlib import Path

import pytest

import shortlist
from shortlist.project.stages.run import STAGES

ROOT = Path(__file__).parent.parent
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
FENCE = re.compile(r"^(?P<indent> *)```(?P<info>[^\n`]*)\n(?P<code>.*?)^(?P=indent)```", re.MULTILINE | re.DOTALL)
LANGUAGES = {"python", "console", "text", "toml", "json", "html"}  # any other is a block no one would run
SHOWN = {"py"}  # code of another library beside ours


def blocks(page: Path):
    """(line, language and marks, code) of every fenced block."""
    text = page.read_text()
    for block in FENCE.finditer(text):
        yield text.count("\n", 0, block.start()) + 1, block["info"].strip(), textwrap.dedent(block["code"])


def run(code: str, namespace: dict, page: Path, line: int) -> None:
    if ">>>" in code:
        test = doctest.DocTestParser().get_doctest(code, namespace, page.name, str(page), line)
        report: list[str] = []
        doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE).run(
            test, out=report.append, clear_globs=False
        )
        namespace.update(test.globs)
        assert not report, "".join(report)
    else:
        exec(compile("\n" * line + code, str(page), "exec"), namespace)


# A block of "python slow" or "python spark" starts a cluster. It runs with that mark only, after the plain blocks.
MARKED = [
    pytest.param(page, mark, marks=getattr(pytest.mark, mark), id=f"{page.relative_to(ROOT)}-{mark}")
    for mark in ("slow", "spark")
    for page in PAGES
    if f"```python {mark}\n" in page.read_text()
]


HEAVY = {"docs/classifier.md", "docs/zero-shot.md"}  # they need torch


def plain(page: Path):
    name = page.relative_to(ROOT).as_posix()
    return pytest.param(page, None, id=name, marks=[pytest.mark.heavy] if name in HEAVY else [])


@pytest.mark.parametrize(("page", "mark"), [*map(plain, PAGES), *MARKED])
def test_the_code_of_a_page_runs(page, mark, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setattr(STAGES, "added", {})  # a stage that a page adds is its own
    namespace: dict = {"__name__": "docs"}
    for line, language, code in blocks(page):
        assert language.split(" ")[0] in LANGUAGES | SHOWN, f"{page}:{line}: say what the block is written in"
        if language in ("python", f"python {mark}"):
            run(code, namespace, page, line)


def test_a_page_that_is_wrong_fails(tmp_path):
    page = tmp_path / "wrong.md"
    page.write_text("```python\n>>> 1 + 1\n3\n```\n")
    ((line, language, code),) = blocks(page)
    assert language == "python"
    with pytest.raises(AssertionError):
        run(code, {}, page, line)


MODULES = [m.name for m in pkgutil.walk_packages(shortlist.__path__, "shortlist.") if not m.name.endswith("__main__")]


@pytest.mark.parametrize("module", MODULES)
def test_the_examples_in_docstrings_hold(module):
    assert doctest.testmod(importlib.import_module(module), optionflags=doctest.ELLIPSIS).failed == 0


EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
EXTRA = re.compile(r"(?P<package>\.|shortlist)\[(?P<extras>[a-z]+(?:,[a-z]+)*)\](?! @ git\+)")


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_extras_are_installed_from_a_checkout_and_there(page):
    for package, extras in EXTRA.findall(page.read_text()):
        assert package == ".", f"{page}: there is no shortlist on PyPI: '.[{extras}]'"
        assert set(extras.split(",")) <= EXTRAS.keys() | {"extra"}, f"{page}: [{extras}]"


LINK = re.compile(r"\]\((?!https?:|#|mailto:)([^)#\s]+)")


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_links_between_pages_lead_somewhere(page):
    for target in LINK.findall(page.read_text()):
        assert os.path.exists(page.parent / target), f"{page}: {target} is not there"
