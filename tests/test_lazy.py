"""Names that a package imports when they are first used."""

import importlib

import pytest

ROOMS = ["shortlist", *(f"shortlist.{room}" for room in ("classifier", "labelmodel", "uncertainty", "zeroshot"))]


@pytest.mark.parametrize("room", ROOMS)
def test_every_name_of_the_stub_is_there(room):
    package = importlib.import_module(room)
    assert len(package.__all__) > 5
    assert all(getattr(package, name).__name__ == name for name in package.__all__)
    assert all(callable(getattr(package, name)) for name in package.__all__)  # none is the file of that name


@pytest.mark.parametrize("room", ROOMS)
def test_another_name_is_an_attribute_error(room):
    with pytest.raises(AttributeError, match=f"module '{room}' has no attribute 'nothing'"):
        importlib.import_module(room).nothing  # noqa: B018
