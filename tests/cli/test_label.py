"""The summary of a session of `shortlist label`."""

from pathlib import Path

import pytest

from shortlist.cli.label import summary
from shortlist.project.gold import Entry

ONE_CLASS = "`shortlist run` uses rows with one class"


@pytest.mark.parametrize(
    ("sizes", "line"),
    [
        ([], "nothing labelled"),
        ([1], "1 labelled → gold.jsonl. `shortlist run` uses it"),
        ([1, 1], "2 labelled → gold.jsonl. `shortlist run` uses them"),
        ([1, 2], f"1 labelled, 1 with several classes → gold.jsonl. {ONE_CLASS}"),
        ([1, 1, 0], "2 labelled, 1 skipped → gold.jsonl. `shortlist run` uses them"),
        ([2, 0], f"1 with several classes, 1 skipped → gold.jsonl. {ONE_CLASS}"),
        ([0], "1 skipped → gold.jsonl"),
    ],
)
def test_only_rows_with_one_class_are_said_to_be_used(sizes, line):
    """One class and one shortlist: "2 labelled. `shortlist run` uses them"."""
    entries = [Entry(("id", str(a)), ("a", "b")[:size]) for a, size in enumerate(sizes)]
    assert summary(entries, Path("gold.jsonl")) == line
