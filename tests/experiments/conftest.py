"""Where the real data lie: tests on them are skipped where there are none, and fail in CI."""

import os
from pathlib import Path

import pytest

from shortlist import datasets


@pytest.fixture(scope="session")
def data_home():
    given = os.environ.get("SHORTLIST_DATA")
    if given:
        return Path(given)
    if os.environ.get("CI") == "true":
        pytest.fail("SHORTLIST_DATA is not set, and in CI the tests on real data must run")
    pytest.skip("SHORTLIST_DATA is not set")


@pytest.fixture(scope="session")
def load(data_home):
    """A data set, read once."""
    read = {}

    def loaded(name):
        if name not in read:
            read[name] = datasets.load(name, data_home)
        return read[name]

    return loaded
