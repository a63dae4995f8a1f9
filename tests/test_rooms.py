"""The rooms of the house: imports go downwards only, one noun a file, no cupboards."""

import ast
import re
from pathlib import Path

import pytest

import shortlist

HOUSE = Path(shortlist.__file__).parent

# Lower rooms first; rooms on one floor do not know each other.
FLOORS = [
    {"errors", "wording", "arrays"},
    {"archive", "engines", "progress", "registry", "beliefs"},
    {"labelspace", "tensors"},
    {"votes", "rows", "models"},
    {"labelers", "labelmodel", "classifier"},
    {"uncertainty", "zeroshot", "datasets", "prompts"},
    {"identifiability"},
    {"analysis"},
    {"reporting"},
    {"project", "demo"},
    {"browse"},
    {"studio"},
    {"cli"},
    {"__main__"},
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


# -- sizes -----------------------------------------------------------------------------------------------------

FILES_IN_A_FOLDER = 15
LINES_OF_A_FILE = 330
LINES_OF_A_FUNCTION = 15
SHARE_OF_FUNCTIONS = 0.9


def function_sizes(tree: ast.AST) -> list[int]:
    """The lines of every function from `def` to its end, without its docstring."""
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    return [lines(node) - (lines(node.body[0]) if ast.get_docstring(node) else 0) for node in functions]


def lines(node: ast.stmt) -> int:
    return int(node.end_lineno or 0) - node.lineno + 1


def files_by_folder(files: list[Path]) -> dict[Path, list[Path]]:
    """The modules of every folder, `__init__.py` not counted."""
    found: dict[Path, list[Path]] = {}
    for path in files:
        if path.name != "__init__.py":
            found.setdefault(path.parent, []).append(path)
    return found


def test_no_folder_holds_too_many_files():
    large = {str(folder.relative_to(HOUSE)): len(files) for folder, files in files_by_folder(FILES).items()}
    assert not {folder: count for folder, count in large.items() if count > FILES_IN_A_FOLDER}


def test_no_file_is_too_long():
    lengths = {str(path.relative_to(HOUSE)): len(path.read_text().splitlines()) for path in FILES}
    assert not {file: count for file, count in lengths.items() if count > LINES_OF_A_FILE}


def test_nine_functions_in_ten_are_short():
    sizes = [size for path in FILES for size in function_sizes(ast.parse(path.read_text()))]
    assert sum(size <= LINES_OF_A_FUNCTION for size in sizes) >= SHARE_OF_FUNCTIONS * len(sizes)


def test_sizes_are_counted():
    assert function_sizes(
        ast.parse('def f():\n    """One\n    two."""\n    def g():\n        pass\n\n    return g')
    ) == [5, 2]
    assert len(files_by_folder([Path("a/b.py"), Path("a/__init__.py"), Path("a/c/d.py")])[Path("a")]) == 1


def test_every_room_has_its_tests():
    tests = Path(__file__).parent
    for room in {room_of(path) for path in FILES}:
        assert (tests / f"test_{room}.py").exists() or (tests / room).is_dir(), f"no tests for {room}"


# -- the map ---------------------------------------------------------------------------------------------------

MAP = (Path(__file__).parent.parent / "docs" / "house.md").read_text("utf-8")


def named_files(page: str) -> list[str]:
    """What stands between backticks and looks like a file or folder of the package."""
    found = re.findall(r"`([\w/]+(?:\.py|/))`", page)
    return [name for name in found if not name.startswith(("tests/", "benchmarks/", "src/")) and name != "utils.py"]


def test_the_map_names_every_room():
    tree = MAP.split("```")[1]
    named = {name.strip("/").removesuffix(".py") for name in re.findall(r"[\w]+(?:/|\.py)", tree)}
    assert {room_of(path) for path in FILES} <= named


def test_every_file_on_the_map_is_there():
    assert len(named_files(MAP)) > 40
    assert not [name for name in named_files(MAP) if not (HOUSE / name).exists() and name not in ("labelers.py",)]


def test_rooms_lie_on_the_map_as_they_lie_on_their_floors():
    tree = MAP.split("```")[1]
    places = {room: re.search(rf"^(?:\S+ )*{room}(?:/|\.py)", tree, re.MULTILINE) for room in FLOOR_OF}
    order = sorted(FLOOR_OF, key=lambda room: places[room].start())
    floors = [FLOOR_OF[room] for room in order]
    assert floors == sorted(floors, reverse=True)
