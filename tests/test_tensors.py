"""torch on a device, its random state, and tensors in files."""

import pytest

from shortlist.errors import BadFile, BadFit
from shortlist.tensors import own_randomness, put_under, read_tensors, torch_on, under, write_tensors

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.heavy


def test_a_device_that_is_not_there_is_named():
    for device in ("nowhere", "cuda:99"):
        with pytest.raises(BadFit, match=f"cannot compute on device '{device}'"):
            torch_on(device)


def test_auto_is_a_device_that_is_there():
    found, device = torch_on("auto")
    assert found is torch
    assert device == ("cuda" if torch.cuda.is_available() else "cpu")


def test_randomness_is_seeded_within_and_untouched_outside():
    before = torch.get_rng_state()
    with own_randomness(torch, 5, "cpu"):
        drawn = torch.rand(3)
    assert torch.equal(torch.get_rng_state(), before)
    with own_randomness(torch, 5, "cpu"):
        assert torch.equal(torch.rand(3), drawn)


def test_tensors_come_back_from_their_file(tmp_path):
    tensors = put_under("network", {"a": torch.arange(3), "b.c": torch.eye(2)}) | {"other": torch.ones(1)}
    write_tensors(tmp_path / "t", "a test", {"step": 1}, tensors)
    header, back = read_tensors(tmp_path / "t", "a test")
    assert header == {"step": 1}
    assert set(back) == {"network.a", "network.b.c", "other"}
    assert {name: t.tolist() for name, t in under("network", back).items()} == {"a": [0, 1, 2], "b.c": [[1, 0], [0, 1]]}


def test_files_of_another_kind_damaged_or_missing(tmp_path):
    path = tmp_path / "t"
    write_tensors(path, "a test", {}, {"a": torch.ones(2)})
    with pytest.raises(BadFile, match="'a test', not 'another'"):
        read_tensors(path, "another")
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(BadFile, match="truncated"):
        read_tensors(path, "a test")
    with pytest.raises(BadFile, match="does not exist"):
        read_tensors(tmp_path / "nothing", "a test")
