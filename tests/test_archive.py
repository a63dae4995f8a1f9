"""Archive: atomic writing, and a clear error for every file that is not one of ours."""

import json
import os
import pickle
import zipfile

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from shortlist import LabelModel, Votes
from shortlist.archive import atomic, put_same, read_archive, write_archive
from shortlist.errors import BadFile

ARRAYS = {"codes": np.arange(6).reshape(2, 3), "ids": np.array(["ä", "狗"]), "none": np.zeros((0, 2))}


class Trap:
    """Unpickling one of these is a failure."""

    sprung = False

    def __reduce__(self):
        return (_spring, ())


def _spring():
    Trap.sprung = True


def write(path, **changes):
    record = {"kind": "votes", "version": 1, "header": {"classes": ["ä", "\ud800"]}, "arrays": ARRAYS}
    write_archive(path, **{**record, **changes})


def read(path):
    """Header and arrays, all of them unpacked."""
    header, arrays = packed(path)
    return header, dict(arrays)


def packed(path):
    return read_archive(path, kind="votes")


def complaint(path):
    with pytest.raises(BadFile) as caught:
        read(path)
    assert str(path) in str(caught.value)
    return str(caught.value)


def test_what_was_written_is_read(tmp_path):
    path = tmp_path / "no suffix is added"
    write(path)
    header, arrays = read(str(path))
    assert header == {"kind": "votes", "version": 1, "classes": ["ä", "\ud800"]}  # even half a surrogate pair
    assert list(arrays) == list(ARRAYS)
    for name, array in ARRAYS.items():
        assert arrays[name].dtype == array.dtype
        np.testing.assert_array_equal(arrays[name], array)
    assert os.listdir(tmp_path) == ["no suffix is added"]


def test_the_header_cannot_lie_about_what_the_file_is(tmp_path):
    write(tmp_path / "x", header={"kind": "model", "version": 99})
    assert read(tmp_path / "x")[0] == {"kind": "votes", "version": 1}


def test_an_older_version_is_read(tmp_path):
    write(tmp_path / "x")
    assert read_archive(tmp_path / "x", kind="votes", version=5)[0]["version"] == 1


def test_a_newer_version_says_upgrade(tmp_path):
    write(tmp_path / "x", version=3)
    said = complaint(tmp_path / "x")
    assert "format 3" in said
    assert "up to 1" in said
    assert "upgrade" in said


def test_another_kind_is_named(tmp_path):
    write(tmp_path / "x", kind="model")
    assert "'model', not 'votes'" in complaint(tmp_path / "x")


def test_a_missing_file_and_a_folder(tmp_path):
    assert "does not exist" in complaint(tmp_path / "nothing.npz")
    assert "cannot be read" in complaint(tmp_path)


@pytest.mark.parametrize("content", [b"", b"hello, I am text", b"PK\x03\x04 not really a zip", b"\x93NUMPY"])
def test_a_file_of_something_else(tmp_path, content):
    (tmp_path / "x").write_bytes(content)
    assert "not a shortlist file" in complaint(tmp_path / "x")


def test_a_foreign_npz_has_no_header(tmp_path):
    np.savez(tmp_path / "x.npz", a=np.zeros(3))
    assert "no header" in complaint(tmp_path / "x.npz")


@pytest.mark.parametrize("header", [b"{", b"[1]", b'"votes"', b"\xff\xfe", b'{"kind": "votes"}'])
def test_a_header_that_is_not_ours(tmp_path, header):
    with (tmp_path / "x").open("wb") as file:
        np.savez(file, **{"header.json": np.frombuffer(header, np.uint8)})
    complaint(tmp_path / "x")


def test_a_version_that_is_not_a_number(tmp_path):
    header = json.dumps({"kind": "votes", "version": "one"}).encode()
    with (tmp_path / "x").open("wb") as file:
        np.savez(file, **{"header.json": np.frombuffer(header, np.uint8)})
    assert "not a shortlist file" in complaint(tmp_path / "x")


def test_an_npy_file(tmp_path):
    np.save(tmp_path / "x.npy", np.zeros(3))
    assert "not a shortlist file" in complaint(tmp_path / "x.npy")


def test_a_pickle_is_never_loaded(tmp_path):
    (tmp_path / "bare").write_bytes(pickle.dumps(Trap()))
    header = np.frombuffer(json.dumps({"kind": "votes", "version": 1}).encode(), np.uint8)
    with (tmp_path / "inside").open("wb") as file:
        np.savez(file, **{"header.json": header, "codes": np.array([Trap()], object)})
    np.save(tmp_path / "x.npy", np.array([Trap()], object))
    for name in ["bare", "inside", "x.npy"]:
        complaint(tmp_path / name)
    assert not Trap.sprung


def test_objects_are_never_written(tmp_path):
    with pytest.raises(TypeError, match="'ids' holds Python objects"):
        write(tmp_path / "x", arrays={"ids": np.array([{}], object)})
    assert os.listdir(tmp_path) == []


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_a_truncated_or_damaged_file_is_never_read_as_something_else(tmp_path, data):
    path = tmp_path / "x"
    write(path)
    whole = path.read_bytes()
    if data.draw(st.booleans()):
        path.write_bytes(whole[: data.draw(st.integers(0, len(whole) - 1))])
        complaint(path)
        return
    place = data.draw(st.integers(0, len(whole) - 1))
    path.write_bytes(whole[:place] + bytes([whole[place] ^ data.draw(st.integers(1, 255))]) + whole[place + 1 :])
    try:
        header, arrays = read(path)
    except BadFile:
        return
    assert header["classes"] == ["ä", "\ud800"]  # a byte that does not matter (a date, a flag of the zip)
    assert all(np.array_equal(arrays[name], ARRAYS[name]) for name in arrays)


def test_a_failure_halfway_leaves_the_old_file_and_no_droppings(tmp_path, monkeypatch):
    path = tmp_path / "x"
    write(path)
    before = path.read_bytes()

    def breaks(file, **_):
        file.write(b"half of it")
        raise KeyboardInterrupt

    monkeypatch.setattr(np, "savez_compressed", breaks)
    with pytest.raises(KeyboardInterrupt):
        write(path, version=2)
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["x"]


def test_a_file_takes_its_name_only_when_whole(tmp_path):
    path = tmp_path / "x"
    path.write_bytes(b"old")
    with atomic(path) as file:
        file.write(b"new")
        file.flush()
        assert path.read_bytes() == b"old"
    assert path.read_bytes() == b"new"
    assert os.listdir(tmp_path) == ["x"]


def test_a_failure_of_the_last_step_leaves_no_droppings(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(28, "no space left")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(OSError, match="no space"), atomic(tmp_path / "x") as file:
        file.write(b"new")
    assert os.listdir(tmp_path) == []


def test_a_folder_that_is_not_there_is_named(tmp_path):
    with pytest.raises(BadFile) as caught:
        write(tmp_path / "no" / "x")
    assert f"no folder {tmp_path / 'no'}" in str(caught.value)


def test_a_header_that_json_cannot_hold_writes_nothing(tmp_path):
    with pytest.raises(ValueError):
        write(tmp_path / "x", header={"value": float("nan")})
    assert os.listdir(tmp_path) == []


def test_a_folder_is_no_file_to_write(tmp_path):
    with pytest.raises(BadFile, match="it is a folder"):
        write_archive(tmp_path, kind="votes", header={}, arrays={})


def test_only_arrays_that_are_asked_for_are_unpacked(tmp_path):
    """Attack F2: a file of 1 MB with an array nobody knows took 1.7 GB of memory."""
    import tracemalloc

    write(tmp_path / "bomb", arrays={**ARRAYS, "junk": np.zeros(1 << 26, np.uint8)})
    assert (tmp_path / "bomb").stat().st_size < 1 << 17
    tracemalloc.start()
    try:
        _, arrays = packed(tmp_path / "bomb")
        np.testing.assert_array_equal(arrays["codes"], ARRAYS["codes"])
        assert tracemalloc.get_traced_memory()[1] < 1 << 24
    finally:
        tracemalloc.stop()


def test_an_array_that_cannot_be_unpacked_is_told_when_it_is_asked_for(tmp_path):
    write(tmp_path / "x")
    with zipfile.ZipFile(tmp_path / "x", "a") as file:
        file.writestr("trap.npy", pickle.dumps(Trap()))
    _, arrays = packed(tmp_path / "x")
    with pytest.raises(BadFile, match="truncated"):
        arrays["trap"]
    assert not Trap.sprung


def test_arrays_of_one_prefix(tmp_path):
    write(tmp_path / "x", arrays={"a.one": np.ones(1), "a.two": np.ones(2), "b.one": np.ones(3)})
    _, arrays = packed(tmp_path / "x")
    inner = arrays.under("a.")
    assert (sorted(inner), len(inner)) == (["one", "two"], 2)
    assert inner["two"].tolist() == [1, 1]
    with pytest.raises(KeyError):
        inner["a.one"]


def test_a_file_has_a_second_name_that_outlives_the_first(tmp_path):
    source, target = tmp_path / "kept", tmp_path / "written"
    source.write_bytes(b"votes")
    target.write_bytes(b"old")
    for _again in range(2):  # the second time, the target is the same file already
        put_same(source, target)
        assert sorted(tmp_path.iterdir()) == [source, target]
    source.unlink()
    assert target.read_bytes() == b"votes"


def test_a_file_system_without_links_gets_a_copy(tmp_path, monkeypatch):
    def no_links(*_paths):
        raise OSError("not permitted")

    monkeypatch.setattr(os, "link", no_links)
    (tmp_path / "kept").write_bytes(b"votes")
    put_same(tmp_path / "kept", tmp_path / "written")
    assert (tmp_path / "written").read_bytes() == b"votes"
    assert len(list(tmp_path.iterdir())) == 2


def test_arrays_that_do_not_fit_are_not_unpacked(tmp_path):
    """Attack 23: 14 MB of zeros unpacked to 3.2 GB, and were then refused."""
    import tracemalloc

    votes = Votes([[1] * 3, [2] * 3], [["a", "b"]] * 3, ["a", "b"], ids=["x", "y"])
    votes.save(tmp_path / "votes")
    LabelModel().fit(votes).save(tmp_path / "model")
    bomb = np.zeros((1 << 13, 1 << 13), np.uint8)  # 64 MB
    for name, load, array in (
        ("votes", Votes.load, "codes"),
        ("votes", Votes.load, "ids"),
        ("model", LabelModel.load, "seen.codes"),
        ("model", LabelModel.load, "seen.weights"),
        ("model", LabelModel.load, "seen.gold"),
    ):
        with np.load(tmp_path / name) as old:
            np.savez_compressed(tmp_path / "bomb.npz", **{**old, array: bomb})
        tracemalloc.start()
        try:
            with pytest.raises(BadFile):
                load(tmp_path / "bomb.npz")
            assert tracemalloc.get_traced_memory()[1] < 1 << 25
        finally:
            tracemalloc.stop()


def test_a_private_file_stays_private(tmp_path):
    """Attack: after a label, a gold file of mode 0600 could be read by everybody."""
    path = tmp_path / "gold.jsonl"
    path.touch(0o600)
    with atomic(path) as file:
        assert next(tmp_path.glob(".*.tmp")).stat().st_mode & 0o777 == 0o600
        file.write(b"x")
    assert (path.read_bytes(), path.stat().st_mode & 0o777) == (b"x", 0o600)
