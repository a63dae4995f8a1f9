"""Sample: the same rows for any cut into files and parts, evenly spread, with the few rows whose class is known."""

import numpy as np
import polars as pl
import pytest

from shortlist.project.counting import SomeRows, even_places, sample_rows
from shortlist.rows import RowFile
from tests.project.news import edit, rows
from tests.project.part_files import codes, make


def sample_of(session, most):
    known = session.evidence.weights[session.evidence.gold >= 0].sum()
    return sample_rows(session.rows, session.parts, session.gold_reader, known, most)


def sampled(folder, most, **cut):
    project = make(folder, **cut)
    project.run(["vote"])
    return sample_of(project.session, most)


@pytest.mark.parametrize(("m", "most"), [(10, 3), (300, 299), (1000, 100), (7, 7)])
def test_even_places_are_those_of_a_line_wherever_a_part_begins(m, most):
    line = [a * (m - 1) // (most - 1) for a in range(most)]
    for size in (1, 4, m):
        parts = [start + even_places(start, min(size, m - start), m, most) for start in range(0, m, size)]
        assert np.concatenate(parts).tolist() == line


def test_few_rows_are_all_looked_at(tmp_path):
    project = make(tmp_path / "p")
    project.run(["vote"])
    found = project.session.sample
    assert len(found.votes) == found.of == 300
    assert found.notes == []
    assert found.gold == rows()["label"].to_list()


def test_a_sample_holds_even_rows_with_their_votes_classes_and_names(tmp_path):
    found, table = sampled(tmp_path / "p", 30), rows()
    places = np.linspace(0, 299, 30).astype(np.int64)
    assert found.votes.ids.tolist() == table["id"][places].to_list()
    assert (found.votes.codes == codes(table[places])).all()
    assert found.gold == table["label"][places].to_list()
    assert found.notes == ["tables and examples are of 30 of 300 rows, evenly spread"]


def test_it_does_not_depend_on_the_cut(tmp_path):
    one = sampled(tmp_path / "one", 30)
    for number, cut in enumerate([{"files": 7}, {"part_rows": 11}, {"files": 4, "part_rows": 50}]):
        other = sampled(tmp_path / str(number), 30, **cut)
        assert other.votes == one.votes
        assert other.gold == one.gold
        assert other.rows.take([5, 0]).equals(one.rows.take([5, 0]))


def test_rows_of_known_class_are_added_where_they_are_few(tmp_path):
    project = make(tmp_path / "p", files=3)
    for path in sorted((project.folder / "rows").iterdir()):
        known = pl.when(pl.col("id").is_in(["doc3", "doc201"])).then("label")
        pl.read_parquet(path).with_columns(label=known).write_parquet(path)
    project.run(["vote"])
    found = sample_of(project.session, 20)
    assert len(found.votes) == 22
    named = dict(zip(found.votes.ids.tolist(), found.gold, strict=True))
    truth = dict(rows().select("id", "label").iter_rows())
    assert {name: known for name, known in named.items() if known} == {one: truth[one] for one in ("doc3", "doc201")}


def test_a_csv_file_is_read_once_for_the_known_classes_of_all_its_parts(tmp_path, monkeypatch):
    project = make(tmp_path / "p", part_rows=20)
    (project.folder / "rows" / "00.parquet").unlink()
    rows().write_csv(project.folder / "rows" / "00.csv")
    edit(project.folder / "shortlist.toml", "rows/*.parquet", "rows/*.csv")
    project.run(["fit"])
    read, batches = [], RowFile.batches

    def watched(self, columns=None, *options, **more):
        read.append(columns)
        return batches(self, columns, *options, **more)

    project.session.evidence  # noqa: B018  which reads them, too
    monkeypatch.setattr(RowFile, "batches", watched)
    found = sample_of(project.session, 30)
    assert found.gold == rows()["label"][np.linspace(0, 299, 30).astype(np.int64)].to_list()
    assert read.count(["label"]) == 1


def test_some_rows_are_numbered_from_0_and_taken_in_any_order(tmp_path):
    project = make(tmp_path / "p", files=4)
    project.run(["vote"])
    some = SomeRows(project.rows, np.array([4, 90, 250]))
    assert len(some) == 3
    assert some.take([2, 0], ["id"])["id"].to_list() == ["doc250", "doc4"]
