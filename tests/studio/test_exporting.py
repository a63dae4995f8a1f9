"""Files to take away: as the command line writes them, and labels in a file of one's own."""

import shlex

import polars as pl
import pytest

from shortlist.errors import ShortlistError
from shortlist.project.parts.extract import Extract
from shortlist.studio.exporting import command_of, export, export_own
from shortlist.studio.labelling import label_row
from shortlist.wording import split_names


def test_files_are_written_as_by_the_command_line(desk, folder):
    found = export(desk, "labels")
    assert found["command"] == "shortlist export"
    assert (folder / "out" / "labels.parquet").exists()
    with pytest.raises(ShortlistError):
        export(desk, "../etc")


def test_a_file_of_ones_own_has_the_text_of_believed_rows_and_plain_names(desk, folder):
    export_own(desk, {"to": "all.csv"})
    everything = pl.read_csv(folder / "all.csv")
    least = round(everything["belief"].median(), 3)
    given = {"to": "sure.csv", "columns": ["body"], "min_belief": least, "plain_names": True}
    found = export_own(desk, given)
    written = pl.read_csv(folder / "sure.csv")
    assert found["files"] == [str(folder / "sure.csv")]
    assert found["command"] == f"shortlist export --to sure.csv --columns body --min-belief {least:g} --plain-names"
    assert found["lines"] == [f"{len(written):,} rows"]
    assert 0 < len(written) == (everything["belief"] >= least).sum() < len(everything)
    assert written.columns[1] == "body"
    assert all(name.isidentifier() and name.islower() for name in written.columns)


NAMES = ["../labels.csv", "/etc/labels.csv", "out/labels.csv", ".hidden.csv", "", "labels.toml"]


@pytest.mark.parametrize("name", NAMES)
def test_a_file_of_ones_own_lies_in_the_project_folder_and_is_a_table(desk, name):
    with pytest.raises(ShortlistError):
        export_own(desk, {"to": name})


@pytest.mark.parametrize("least", [7, "0.5", True])
def test_a_belief_is_a_number_from_0_to_1(desk, folder, least):
    with pytest.raises(ShortlistError, match="0 to 1"):
        export_own(desk, {"to": "sure.csv", "min_belief": least})
    assert not (folder / "sure.csv").exists()


def test_labels_made_by_hand_are_not_overwritten(desk, folder):
    label_row(desk, 0, ["sports"])
    before = (folder / "gold.jsonl").read_bytes()
    with pytest.raises(ShortlistError, match="labels made by hand"):
        export_own(desk, {"to": "gold.jsonl"})
    assert (folder / "gold.jsonl").read_bytes() == before


def test_the_command_names_columns_as_the_shell_and_shortlist_read_them():
    """An unnamed column was printed as --columns '', which names none."""
    command = command_of("x.csv", Extract(("", "a, b", "c")))
    assert split_names(shlex.split(command)[-1]) == ["", "a, b", "c"]
