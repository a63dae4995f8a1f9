"""Functions marked with @cache travel: by name where they can be imported, else with their code and without memory."""

import fnmatch
import pickle
import types

from shortlist.engines.pickling import to_bytes

CODE = """
from functools import cache, lru_cache

calls = []

@cache
def fibonacci(n):
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)

@lru_cache(maxsize=3)
def loaded(n):
    calls.append(n)
    return fibonacci(n)

def labeler(n):
    return loaded(n), len(calls)
"""


def test_of_a_module_that_workers_cannot_import_the_code_travels():
    module = types.ModuleType("nobody_can_import_this")
    exec(CODE, module.__dict__)
    assert module.labeler(10) == (55, 1)
    there = pickle.loads(to_bytes(module.labeler))
    assert there(10) == (55, 2)  # what was remembered here is not known there
    assert there(10) == (55, 2)
    assert there.__globals__["loaded"].cache_parameters() == {"maxsize": 3, "typed": False}


def test_of_an_installed_module_the_name_travels():
    function = fnmatch._compile_pattern
    assert pickle.loads(to_bytes(function)) is function
