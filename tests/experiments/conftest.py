"""The real data sets, each read once."""

import pytest

from experiments import datasets
from tests.classifier.conftest import _one_thread, tiny_encoder  # noqa: F401


@pytest.fixture(scope="session")
def load(data_home):
    """A function from the name of a data set to the data set."""
    read = {}

    def loaded(name):
        if name not in read:
            read[name] = datasets.load(name, data_home)
        return read[name]

    return loaded
