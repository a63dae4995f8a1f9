"""No figure goes stale: tables on pages are those of the kept results, and these were measured with today's code."""

import json

import numpy as np
import pytest

from benchmarks.kept import ANSWERS, PAGES, PLACE, ROOT, TABLES, measured, written


@pytest.mark.parametrize(
    "page", [p for p in PAGES if PLACE.search(p.read_text())], ids=lambda p: str(p.relative_to(ROOT))
)
def test_the_tables_of_a_page_are_those_of_the_kept_results(page):
    assert page.read_text() == written(page.read_text()), "`make tables` writes them again"


def test_every_table_is_on_a_page():
    named = {place["name"] for page in PAGES for place in PLACE.finditer(page.read_text())}
    assert named == set(TABLES)


@pytest.fixture(scope="module")
def today():
    return measured(ANSWERS)


@pytest.mark.parametrize("kept", sorted({kept for kept, _ in TABLES.values()}))
def test_a_result_was_measured_with_what_is_here(kept, today):
    answers = json.loads((ROOT / kept).read_text())["measured"]
    assert answers, f"{kept} does not say what it measured"
    for name, answer in answers.items():
        difference = np.abs(np.subtract(answer, today[name])).max()
        assert difference < 1e-3, f"{name} has changed since {kept} was measured: measure it again"


def test_another_model_is_noticed(today):
    assert np.abs(np.subtract(today["label model"], today["paper"])).max() > 1e-3


def test_end_models_were_taught_by_the_label_models_of_the_page():
    """Runs on a GPU keep how right their teacher was by votes alone; the page has today's figure of the same."""
    results = ROOT / "experiments" / "results"
    lines = json.loads((results / "table1-votes.json").read_text())["lines"]
    for run in json.loads((results / "table1-end.json").read_text())["runs"]:
        if "by_votes" in run:
            then = [100 * run["by_votes"][metric] for metric in ("accuracy", "macro_f1")]
            assert then == pytest.approx(lines[run["method"]][run["task"]], abs=0.05), f"{run['task']}, {run['method']}"
