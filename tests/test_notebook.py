"""The notebook of the tutorials, cell by cell: it runs, and shows what it is stored with."""

import json
import runpy

from tests.test_docs import ROOT

RUNNER = runpy.run_path(str(ROOT / "docs" / "_site" / "notebook.py"))
NOTEBOOK = json.loads(RUNNER["NOTEBOOK"].read_text("utf-8"))


def shown(outputs):
    return ["".join(one.get("text") or one["data"]["text/plain"]) for one in outputs]


def test_every_cell_shows_what_is_stored():
    cells = RUNNER["code_cells"](NOTEBOOK)
    for cell, outputs in zip(cells, RUNNER["run"](NOTEBOOK), strict=True):
        source = "".join(cell["source"])
        assert shown(outputs) == shown(cell["outputs"]), f"python docs/_site/notebook.py writes it again\n{source}"


def test_it_is_a_notebook_that_others_read():
    assert NOTEBOOK["nbformat"] == 4
    assert len({cell["id"] for cell in NOTEBOOK["cells"]}) == len(NOTEBOOK["cells"])
    assert {cell["cell_type"] for cell in NOTEBOOK["cells"]} == {"markdown", "code"}


def test_a_cell_is_run_as_notebooks_do():
    (printed, value) = RUNNER["run_cell"]("print('a')\nx = 2\nx + 1", {})
    assert (printed["text"], value["data"]) == (["a\n"], {"text/plain": ["3"]})
    assert RUNNER["run_cell"]("x = 1", {}) == []
