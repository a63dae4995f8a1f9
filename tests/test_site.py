"""The documentation hangs together: every page can be found, and the reference holds all that is public."""

import importlib
import re
import runpy

import pytest

import shortlist
from tests.reporting.test_browser import browser  # noqa: F401  a fixture
from tests.test_docs import ROOT

DOCS = ROOT / "docs"
NAV = (ROOT / "mkdocs.yml").read_text().split("\nnav:\n")[1]
REFERENCE = [
    path
    for page in (DOCS / "reference").glob("*.md")
    for path in re.findall(r"^::: ([\w.]+)", page.read_text(), re.MULTILINE)
]
LISTED = set(re.findall(r"[\w/-]+\.md", NAV))


def test_every_page_is_listed_and_every_listed_page_is_there():
    there = {str(page.relative_to(DOCS)) for page in DOCS.rglob("*.md")}
    assert there - LISTED == set(), "list it in mkdocs.yml"
    assert LISTED - there == set()


def test_all_that_is_at_the_front_door_is_in_the_reference():
    described = {path.rsplit(".", 1)[-1] for path in REFERENCE}
    errors = set(vars(importlib.import_module("shortlist.errors")))
    assert not set(shortlist.__all__) - described - errors


def test_what_the_reference_describes_is_there():
    for path in REFERENCE:
        module, _, name = path.rpartition(".")
        assert hasattr(importlib.import_module(module), name), path


def test_the_page_of_commands_says_what_the_command_line_says():
    made = runpy.run_path(str(DOCS / "_site" / "commands.py"))
    assert "\n".join(made["page"]()) == made["PAGE"].read_text(), "python docs/_site/commands.py writes it again"


def test_docstrings_become_lists_and_code():
    pytest.importorskip("griffe", reason="make docs installs it")
    to_markdown = runpy.run_path(str(DOCS / "_site" / "docstrings.py"))["to_markdown"]
    options = "Fit.\n\nParameters\n----------\nC, tol : how\n    strict\nrows   what is\n       read"
    assert to_markdown(options) == "Fit.\n\n**Parameters**\n\n- `C, tol`: how strict\n- `rows`: what is read"
    assert "```pycon\n>>> 1 + 1\n2\n```" in to_markdown("Add.\n\n>>> 1 + 1\n2")
    assert to_markdown("Code:\n\n    a = b : c") == "Code:\n\n    a = b : c"


def test_nothing_on_the_pages_is_fetched_from_elsewhere():
    for page in [*DOCS.rglob("*.md"), *DOCS.rglob("*.css"), ROOT / "README.md"]:
        assert not re.search(r"!\[[^\]]*\]\(https?:|url\(https?:|@import", page.read_text()), page


def test_every_page_gets_the_worker_from_its_own_depth_once():
    with_worker = runpy.run_path(str(DOCS / "_site" / "offline.py"))["with_worker"]
    page = '<body><script src="../assets/javascripts/bundle.1.min.js"></script></body>'
    once = with_worker(page)
    assert once == page.replace("<script", '<script src="../assets/worker.js"></script><script', 1)
    assert with_worker(once) == once
    assert with_worker("<p>no theme</p>") == "<p>no theme</p>"


def test_search_works_on_pages_opened_from_disk(browser):  # noqa: F811
    """The newcomer's M11: Ctrl+K did nothing."""
    site = ROOT / "site"
    if not (site / "search.js").exists():
        pytest.skip("make docs builds the site; CI does before it tests")
    page = browser.new_page()
    page.goto((site / "tutorials" / "demo.html").as_uri())
    page.keyboard.press("Control+k")
    page.keyboard.type("imbalanced", delay=20)
    page.locator("a[href*='gold.html']", has_text="Imbalanced").first.wait_for(timeout=20_000)
    page.close()
