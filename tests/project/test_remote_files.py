"""Data files in a store: found, fetched once, fetched again when they change, and told when they cannot be had."""

import json
import uuid
from pathlib import Path

import fsspec
import pytest

from shortlist.engines import Threads
from shortlist.errors import BadFile, MissingPackage
from shortlist.project import Project
from shortlist.project.remote_files import RemoteFiles, fetch_file, listed
from shortlist.project.toml import BadProject
from tests.engines.articles import TOML, make

ENGINE = Threads(2)


@pytest.fixture
def store():
    store = fsspec.filesystem("memory")
    store.store.clear()
    for name in ("b", "a"):
        store.pipe_file(f"/rows/{name}.csv", f"id,text\n1,{name}\n".encode())
    yield store
    store.store.clear()


def contents(stores, given="memory://rows/*.csv"):
    return [path.read_text().split(",")[-1].strip() for path in stores.files(given)]


def test_files_are_fetched_in_the_order_of_their_names(store, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    stores = RemoteFiles(Path())
    stores.fetch(["memory://rows/*.csv", "memory://rows/b.csv"], ENGINE)
    assert [path.name for path in stores.files("memory://rows/*.csv")] == ["a.csv", "b.csv"]
    assert contents(stores) == ["a", "b"]
    assert contents(stores, "memory://rows/b.csv") == ["b"]
    assert len(list(stores.folder.iterdir())) == 2  # a file that two names mean is fetched once


def test_only_what_has_changed_is_fetched_again(store, tmp_path):
    stores = RemoteFiles(tmp_path)
    stores.fetch(["memory://rows/*.csv"], ENGINE)
    first, _second = (path.stat().st_ino for path in stores.files("memory://rows/*.csv"))
    store.pipe_file("/rows/b.csv", b"id,text\n1,changed\n")
    store.pipe_file("/rows/c.csv", b"id,text\n1,new\n")
    stores.fetch(["memory://rows/*.csv"], ENGINE)
    assert contents(stores) == ["a", "changed", "new"]
    assert stores.files("memory://rows/*.csv")[0].stat().st_ino == first
    store.rm_file("/rows/a.csv")
    stores.fetch(["memory://rows/*.csv"], ENGINE)
    assert contents(stores) == ["changed", "new"]
    assert len(list(stores.folder.iterdir())) == 2  # copies that nobody needs are gone


def test_what_was_fetched_before_a_kill_is_not_fetched_again(store, tmp_path, monkeypatch):
    stores = RemoteFiles(tmp_path)
    stores.fetch(["memory://rows/a.csv"], ENGINE)
    stores.list.unlink()
    (copy,) = stores.folder.glob("*/a.csv")
    half = copy.with_name(f".a.csv.{uuid.uuid4().hex}.tmp")
    half.write_text("id,te")
    fetched = []

    def watched(copy):
        fetched.append(copy[1].name)
        fetch_file(copy)

    monkeypatch.setattr("shortlist.project.remote_files.fetch_file", watched)
    stores.fetch(["memory://rows/*.csv"], ENGINE)
    assert fetched == ["b.csv"]
    assert not half.exists()


@pytest.mark.parametrize("text", ["", "{}", "[]", json.dumps({"version": 9, "files": {}})])
def test_what_was_never_fetched_is_told(text, tmp_path):
    stores = RemoteFiles(tmp_path)
    stores.list.write_text(text)
    with pytest.raises(BadFile, match=r"memory://rows/\*.csv is not fetched yet: `shortlist run` fetches it"):
        stores.files("memory://rows/*.csv")


@pytest.mark.parametrize(
    ("given", "fact"),
    [
        ("memory://rows/z.csv", "z.csv does not exist"),
        ("memory://rows/*.parquet", "no file is called memory://rows/\\*.parquet"),
        ("nostore://rows/a.csv", "nostore://rows/a.csv cannot be read: ValueError: Protocol not known"),
    ],
)
def test_what_is_not_there_is_told(store, given, fact):
    with pytest.raises(BadFile, match=fact):
        listed(given)


def test_a_store_that_needs_a_package_says_which(monkeypatch):
    def missing(_url):
        raise ImportError("Install s3fs to access S3")

    monkeypatch.setattr(fsspec, "url_to_fs", missing)
    with pytest.raises(MissingPackage, match=r"s3://rows/a.csv cannot be read: Install s3fs"):
        listed("s3://rows/a.csv")


def test_a_project_runs_on_a_store_as_on_files(store, tmp_path):
    here = make(tmp_path / "here")
    here.run()
    for path in (here.folder / "rows").iterdir():
        store.pipe_file(f"/news/{path.name}", path.read_bytes())
    there = make(tmp_path / "there", toml=TOML.replace('"rows/*"', '"memory://news/*"'))
    there.run()
    assert there.labels.equals(here.labels)
    assert there.votes == here.votes
    store.rm_file("/news/a0.parquet")
    assert there.run()[0].status == "done"
    assert len(there.rows) == 300
    assert len(Project(there.folder).rows) == 300  # looked at again without the store


def test_a_mistake_is_told_at_its_line(store, tmp_path):
    project = make(tmp_path / "news", toml=TOML.replace('"rows/*"', '"memory://nowhere/*"'))
    with pytest.raises(BadProject, match="no file is called memory://nowhere") as error:
        project.run()
    assert error.value.line == 5
