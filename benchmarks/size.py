"""How large is the house? Lines, files, names, import cycles and words of documentation, beside another checkout.

    python benchmarks/size.py                      # this checkout
    python benchmarks/size.py --before OTHER       # and another one beside it

Lines of code leave out blank lines, comments and docstrings. An import cycle is a set of files each of which imports,
directly or through others, every other one; imports inside functions count, those under TYPE_CHECKING do not.
"""

from __future__ import annotations

import argparse
import ast
import io
import re
import tokenize
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
SMALL = 60  # lines
ODD = re.compile(r"(What|How|Whether|Where|Of|The same)\b")  # how a docstring should not begin
LAYOUT = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}


def figures(root: Path) -> dict[str, int]:
    """Everything that is counted in a checkout."""
    house = root / "src" / "shortlist"
    texts = {path: path.read_text("utf-8") for path in sorted(house.rglob("*.py"))}
    trees = {path: ast.parse(text) for path, text in texts.items()}
    lines = {path: text.count("\n") for path, text in texts.items()}
    modules = [path for path in texts if path.name != "__init__.py"]
    cycles = [group for group in components(imports(trees, house)) if len(group) > 1]
    sizes = sorted(n.end_lineno - n.lineno + 1 for n in functions(trees))
    return {
        "lines": sum(lines.values()),
        "lines of code": sum(code_lines(text, trees[path]) for path, text in texts.items()),
        "files": len(texts),
        f"files under {SMALL} lines": sum(lines[path] < SMALL for path in modules),
        "longest file": max(lines.values()),
        "lines of nine functions in ten, at most": sizes[int(0.9 * len(sizes))],
        "upper-case constants": sum(len(constants(tree)) for tree in trees.values()),
        "file names in several rooms": repeated((path.name, path) for path in modules),
        "class names with two meanings": repeated(
            (name, path) for path, tree in trees.items() for name in classes(tree)
        ),
        "import cycles, lazy imports included": len(cycles),
        "files in the largest cycle": max(map(len, cycles), default=0),
        "docstrings that begin with What, How, Whether, Where, Of, The same": sum(map(odd_docstrings, trees.values())),
        **documentation(root),
    }


def functions(trees: dict[Path, ast.Module]) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for tree in trees.values():
        yield from (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


def code_lines(text: str, tree: ast.Module) -> int:
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    lines = {line for t in tokens if t.type not in LAYOUT for line in range(t.start[0], t.end[0] + 1)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and ast.get_docstring(
            node
        ):
            lines -= set(range(node.body[0].lineno, int(node.body[0].end_lineno or 0) + 1))
    return len(lines)


def constants(tree: ast.Module) -> list[str]:
    targets = [t for n in tree.body if isinstance(n, ast.Assign) for t in n.targets]
    targets += [n.target for n in tree.body if isinstance(n, ast.AnnAssign)]
    return [t.id for t in targets if isinstance(t, ast.Name) and t.id.isupper()]


def classes(tree: ast.Module) -> list[str]:
    return [node.name for node in tree.body if isinstance(node, ast.ClassDef)]


def repeated(pairs: Iterator[tuple[str, Path]]) -> int:
    """Number of names that stand in several files."""
    where = defaultdict(set)
    for name, path in pairs:
        where[name].add(path)
    return sum(len(paths) > 1 for paths in where.values())


def odd_docstrings(tree: ast.Module) -> int:
    nodes = [n for n in ast.walk(tree) if isinstance(n, ast.Module | ast.ClassDef | ast.FunctionDef)]
    return sum(bool(ODD.match(ast.get_docstring(node) or "")) for node in nodes)


# -- imports ----------------------------------------------------------------------------------------------------


def imports(trees: dict[Path, ast.Module], house: Path) -> dict[Path, set[Path]]:
    """The files that each file imports, anywhere in it."""
    modules = {module_name(path, house): path for path in trees}
    edges: dict[Path, set[Path]] = {path: set() for path in trees}
    for path, tree in trees.items():
        for name in imported(tree):
            target = modules.get(name) or modules.get(name.rpartition(".")[0])
            if target not in (None, path):
                edges[path].add(target)
    return edges


def module_name(path: Path, house: Path) -> str:
    return ".".join(path.relative_to(house.parent).with_suffix("").parts).removesuffix(".__init__")


def imported(tree: ast.Module) -> set[str]:
    names: set[str] = set()
    typing_only = {id(n) for block in ast.walk(tree) if under_type_checking(block) for n in ast.walk(block)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and id(node) not in typing_only:
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return {name for name in names if name.startswith("shortlist.")}


def under_type_checking(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def components(edges: dict[Path, set[Path]]) -> list[set[Path]]:
    """Strongly connected components: files that reach one another."""
    reach = {path: reachable(path, edges) for path in edges}
    groups: list[set[Path]] = []
    for path in edges:
        if not any(path in group for group in groups):
            groups.append({path} | {other for other in reach[path] if path in reach[other]})
    return groups


def reachable(path: Path, edges: dict[Path, set[Path]]) -> set[Path]:
    seen: set[Path] = set()
    waiting = [path]
    while waiting:
        new = edges[waiting.pop()] - seen
        seen |= new
        waiting += new
    return seen


# -- documentation ----------------------------------------------------------------------------------------------


def documentation(root: Path) -> dict[str, int]:
    pages = [root / "README.md", *(root / "docs").rglob("*.md")]
    return {
        "pages of documentation, reference left out": sum("reference" not in page.parts for page in pages),
        "words of README and docs, code left out": sum(map(words, pages)),
        **{f"words of {name}": words(root / name) for name in ("README.md", "CHANGELOG.md", "benchmarks/README.md")},
    }


def words(page: Path) -> int:
    """Words of prose: without code, and without the tables of figures that `kept.py` writes."""
    code_and_figures = r"```.*?```|<!-- table .*?<!-- /table -->"
    return len(re.sub(code_and_figures, "", page.read_text("utf-8"), flags=re.DOTALL).split())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--before", type=Path, help="the root of another checkout")
    options = parser.parse_args()
    columns = {"before": figures(options.before)} if options.before else {}
    columns["now"] = figures(ROOT)
    print(f"| | {' | '.join(columns)} |\n|---|{'---:|' * len(columns)}")
    for name in columns["now"]:
        print(f"| {name} | {' | '.join(f'{column[name]:,}' for column in columns.values())} |")


if __name__ == "__main__":
    main()
