"""Source: the statements of a Python file, and the dependencies among them.

A piece of code depends on all statements that may do something when the file is loaded, and on those that only define
something (functions, labelers) that it names, by names, parameters or texts. After an edit, nothing else votes again.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import combinations
from pathlib import Path
from typing import Any

from shortlist.project.toml import BadProject, read_text

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


class Source:
    """The statements of a file; `namespace` is what they left behind, where the file was loaded."""

    def __init__(self, path: Path, text: str) -> None:
        self.path, self.text = path, text
        try:
            self.tree = ast.parse(text, str(path))
        except SyntaxError as error:
            raise BadProject(f"{error.msg}", file=path.name, line=error.lineno, offset=error.offset) from error
        except ValueError as error:  # a null byte
            raise BadProject(str(error), file=path.name) from error

    @classmethod
    def read(cls, path: Path) -> Source:
        return cls(path, read_text(path))

    @cached_property
    def dynamic(self) -> bool:
        """The file may look names up at run time."""
        lookups = {"globals", "locals", "vars", "eval", "exec", "compile", "__import__", "import_module", "modules"}
        return not lookups.isdisjoint(_words(self.tree, texts=False))

    def statement(self, line: int) -> ast.stmt | None:
        """The statement at a line; decorators belong to it."""
        for one in self.tree.body:
            first = min([one.lineno, *(decorator.lineno for decorator in getattr(one, "decorator_list", ()))])
            if first <= line <= (one.end_lineno or one.lineno):
                return one
        return None

    def needs(self, pieces: Sequence[ast.AST], namespace: Mapping[str, Any]) -> list[str]:
        """Dump everything that statements or expressions depend on, themselves included.

        Statements come in the order of the file, after the expressions.
        """
        acting, defining = self._sorted(namespace)
        needed: list[ast.AST] = [*pieces, *acting]
        kept: list[ast.AST] = []
        while needed:
            one = needed.pop()
            if any(one is earlier for earlier in kept):
                continue
            kept.append(one)
            for word in _words(one):
                needed += defining.get(word, [])
        within = [one for one in pieces if not isinstance(one, ast.stmt)]
        return [ast.dump(one) for one in (*within, *(s for s in self.tree.body if any(s is one for one in kept)))]

    def makers(self, thing: Any, namespace: Mapping[str, Any]) -> Sequence[ast.AST] | None:
        """The statements, or the one expression, that made an object of the file; None if that cannot be known."""
        named = [name for name, value in namespace.items() if value is thing]
        if named:
            changed = (node.names for node in ast.walk(self.tree) if isinstance(node, ast.Global))
            return None if any(named[0] in names for names in changed) else self._binding(named[0]) or None
        holding = [name for name, value in namespace.items() if any(one is thing for one in elements(value))]
        if any(self._touched(name, namespace) for name in holding):
            return None
        pieces = [piece for name in holding for piece in self._within(name, elements(namespace[name]), thing)]
        return next(([one] for one in pieces if not isinstance(one, (ast.Name, ast.Starred))), pieces[:1] or None)

    def _binding(self, name: str) -> list[ast.stmt]:
        return [statement for statement in self.tree.body if name in _bound(statement)]

    def _touched(self, name: str, namespace: Mapping[str, Any]) -> bool:
        """A list may have been changed after it was made: by a function or a statement that mentions it."""
        acting, _ = self._sorted(namespace)
        own = self._binding(name)
        others = [s for s in self.tree.body if isinstance(s, Definition) or any(s is one for one in acting)]
        return any(name in _words(s, texts=False) for s in others if not any(s is one for one in own))

    def _within(self, name: str, values: Sequence[Any], thing: Any) -> Sequence[ast.AST]:
        """The expression of one element of a collection, or the statement of the collection."""
        statements = self._binding(name)
        shown = getattr(statements[0], "value", None) if len(statements) == 1 else None
        if not isinstance(shown, (ast.List, ast.Tuple, ast.Dict)):
            return statements if len(statements) == 1 else []
        written = shown.values if isinstance(shown, ast.Dict) else shown.elts
        keys: Sequence[Any] = shown.keys if isinstance(shown, ast.Dict) else written
        starred = [i for i, key in enumerate(keys) if key is None or isinstance(key, ast.Starred)]
        index = next(i for i, one in enumerate(values) if one is thing)
        if not starred or index < starred[0]:
            return [written[index]] if starred or len(written) == len(values) else []
        if index - len(values) > starred[-1] - len(written):
            return [written[index - len(values)]]
        return [written[starred[0]]] if len(starred) == 1 else []

    def _sorted(self, namespace: Mapping[str, Any]) -> tuple[list[ast.stmt], dict[str, list[ast.stmt]]]:
        """Statements that may do anything, and those that only define names, by name."""
        acting: list[ast.stmt] = []
        defining: dict[str, list[ast.stmt]] = {}
        for statement in self.tree.body:
            names = _defined(statement, namespace)
            if names is None:
                acting.append(statement)
            for name in names or ():
                defining.setdefault(name, []).append(statement)
        return acting, defining

    def lost_function(self) -> tuple[ast.FunctionDef, ast.FunctionDef] | None:
        """A labeler or feature, and the function of the same name that replaces it before anything used it."""
        body = self.tree.body
        functions = [(i, one) for i, one in enumerate(body) if isinstance(one, ast.FunctionDef)]
        for (i, first), (j, second) in combinations(functions, 2):
            used = any(first.name in _words(one) for one in body[i + 1 : j])
            if first.name == second.name and not used and any(map(_harmless, first.decorator_list)):
                return first, second
        return None

    def unmarked(self) -> list[str]:
        """Functions of a row or its text that no decorator and no other statement uses: labelers, perhaps."""
        functions = [one for one in self.tree.body if isinstance(one, ast.FunctionDef) and one.args.args]
        of_rows = [one for one in functions if one.args.args[0].arg in ("row", "text") and not one.decorator_list]
        used = set(_words(self.tree))  # the name of a function is no word of its own definition
        return [one.name for one in of_rows if one.name not in used and not one.name.startswith("_")]

    def find_text(self, word: str, name: str | None = None) -> int | None:
        """Line of a text: in the definition of `name`, else anywhere."""
        own = [s for s in self.tree.body if isinstance(s, Definition) and s.name == name]
        for place in (*own, self.tree):
            for node in ast.walk(place):
                if isinstance(node, ast.Constant) and node.value == word:
                    return node.lineno
        return None

    def find_definition(self, name: str) -> int | None:
        """Line of the function, labeler or variable of that name."""
        for statement in self.tree.body:
            if isinstance(statement, Definition) and statement.name == name:
                return statement.lineno
        for node in ast.walk(self.tree):
            if isinstance(node, ast.keyword) and node.arg == "name" and getattr(node.value, "value", None) == name:
                return node.value.lineno
        bound = [statement.lineno for statement in self._binding(name) if isinstance(statement, ast.Assign)]
        return bound[0] if bound else self.find_text(name)


def elements(value: Any) -> Sequence[Any]:
    """Elements of a list, a tuple or a dict; none of other values."""
    return list(value.values()) if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else ()


def _bound(statement: ast.stmt) -> set[str]:
    if isinstance(statement, Definition):
        return {statement.name}
    nodes = list(ast.walk(statement))
    names = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    defined = {node.name for node in nodes if isinstance(node, Definition)}
    imported = {(node.asname or node.name).split(".")[0] for node in nodes if isinstance(node, ast.alias)}
    return names | defined | imported


def _defined(statement: ast.stmt, namespace: Mapping[str, Any]) -> list[str] | None:
    """Names that a statement defines, if that is all it does: a class or a decorator may do more."""
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
        return []  # a docstring
    if isinstance(statement, ast.If) and "__name__" in set(_words(statement.test)):
        return []
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return [statement.name] if all(_harmless(decorator) for decorator in statement.decorator_list) else None
    if isinstance(statement, ast.Assign) and all(isinstance(target, ast.Name) for target in statement.targets):
        names = [target.id for target in statement.targets if isinstance(target, ast.Name)]
        if all(_only_labelers(namespace.get(name)) for name in names):
            return names
    return None


def _harmless(decorator: ast.expr) -> bool:
    """A decorator that only changes the function itself."""
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    name = called.attr if isinstance(called, ast.Attribute) else called.id if isinstance(called, ast.Name) else ""
    return name in {"labeler", "feature", "cache", "lru_cache", "wraps"}


def _only_labelers(value: Any) -> bool:
    from shortlist.labelers import Labeler  # which imports polars

    inside = elements(value)
    return isinstance(value, Labeler) or (bool(inside) and all(isinstance(one, Labeler) for one in inside))


def _words(tree: ast.AST, *, texts: bool = True) -> Iterator[str]:
    """Words by which a piece of code may refer to something in its file."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Attribute):
            yield node.attr
        elif isinstance(node, ast.arg):
            yield node.arg
        elif texts and isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def local_files(path: Path) -> list[Path]:
    """The files beside a Python file that it imports, directly or through others."""
    folder, files, left = path.parent, {path}, [path]
    while left:
        one = left.pop()
        for name in _imported(one, read_text(one)):
            package = sorted((folder / name).rglob("*.py")) if (folder / name / "__init__.py").exists() else []
            modules = package or [file for file in [folder / f"{name}.py"] if file.is_file()]
            left += [module for module in modules if module not in files]
            files.update(modules)
    return sorted(files - {path})


@lru_cache(maxsize=256)
def _imported(path: Path, text: str) -> tuple[str, ...]:
    """Top-level names of the modules that a file imports. A watched project asks for them all the time."""
    names: list[str] = []
    for node in ast.walk(Source(path, text).tree):
        if isinstance(node, ast.Import):
            names += [alias.name.split(".")[0] for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.append(node.module.split(".")[0])
    return tuple(names)
