"""Shared by all tests: where the real data is, and how hard hypothesis tries."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

# Some virtual machines announce AMX and do not let it be used: bf16 on the CPU would end in an illegal instruction.
os.environ.setdefault("ONEDNN_MAX_CPU_ISA", "AVX512_CORE_BF16")

settings.register_profile("house", deadline=None)  # the machines are shared: a slow example is not a failure
settings.load_profile("house")


@pytest.fixture(scope="session")
def data_home() -> Path:
    """The folder of real data sets. Tests that need it are skipped where there is none, but never in CI."""
    home = os.environ.get("SHORTLIST_DATA")
    if home:
        return Path(home)
    if os.environ.get("CI"):
        pytest.fail("CI runs the tests on real data: SHORTLIST_DATA is not set")
    pytest.skip("set SHORTLIST_DATA to run the tests on real data")
