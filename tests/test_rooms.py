"""The rooms of the house: imports go downwards only, one noun a file, no cupboards."""

import ast
from pathlib import Path

import pytest

import shortlist

HOUSE = Path(shortlist.__file__).parent

# Lower rooms first; rooms on one floor do not know each other.
FLOORS = [
    {"errors", "wording", "arrays"},
    {"archive", "engines", "options", "progress", "registry", "beliefs"},
    {"labelspace", "attribute_table", "tensors"},
    {"votes", "rows", "models"},
    {"labelers", "labelmodel", "classifier"},
    {"uncertainty", "zeroshot", "datasets", "prompts"},
    {"identifiability"},
    {"analysis"},
    {"reporting"},
    {"project", "demo"},
    {"cli"},
]
FLOOR_OF = {room: floor for floor, rooms in enumerate(FLOORS) for room in rooms}
FILES = sorted(path for path in HOUSE.rglob("*.py") if path != HOUSE / "__init__.py")


def room_of(path: Path) -> str:
    return path.relative_to(HOUSE).with_suffix("").parts[0]


def imported_rooms(tree: ast.AST) -> set[str]:
    """Every room of shortlist that is imported anywhere in a file, inside functions too."""
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute, so that the rooms can be read off them"
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return {name.split(".")[1] for name in names if name.startswith("shortlist.")}


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(HOUSE)))
def test_imports_go_downwards_only(path):
    room = room_of(path)
    assert room in FLOOR_OF, f"{room} is no room of the house: give it a floor"
    for other in imported_rooms(ast.parse(path.read_text())) - {room}:
        assert FLOOR_OF[other] < FLOOR_OF[room], f"{path} reaches from {room} up or across to {other}"


def test_the_rule_can_be_broken():
    assert imported_rooms(ast.parse("def f():\n    from shortlist.cli import main")) == {"cli"}
    assert imported_rooms(ast.parse("import shortlist.votes.votes")) == {"votes"}


def test_there_is_no_cupboard():
    assert not [path for path in FILES if path.stem in ("utils", "util", "helpers", "misc", "common")]


def test_every_room_has_its_tests():
    tests = Path(__file__).parent
    for room in {room_of(path) for path in FILES}:
        assert (tests / f"test_{room}.py").exists() or (tests / room).is_dir(), f"no tests for {room}"
