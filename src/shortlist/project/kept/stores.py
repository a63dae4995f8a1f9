"""Stores: data files that are elsewhere (`s3://…`, `gs://…`, `https://…`), kept as copies that all else works on.

fsspec finds and fetches them. A file is fetched once, and again when its store says that it is another one.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from shortlist.errors import BadFile, MissingPackage, ShortlistError, require
from shortlist.project.kept.lock import sweep
from shortlist.project.kept.state import write_json

if TYPE_CHECKING:
    from shortlist.engines import Engine

FORMAT = 1
MARKS = ("size", "ETag", "etag", "md5Hash", "mtime", "LastModified", "last_modified", "created")  # what stores tell


def is_url(given: str) -> bool:
    """Whether the settings name a file by a URL."""
    return "://" in given


class Copy(NamedTuple):
    """A file of a store, and where its copy is."""

    url: str
    path: Path


class Stores:
    """The copies of a project, in its hidden folder: in a folder each, named after the URL and what the store tells."""

    def __init__(self, hidden: Path) -> None:
        self.folder, self.list = hidden.absolute() / "stores", hidden / "stores.json"

    def files(self, given: str) -> list[Path]:
        """The copies of the file, or of all files, that a URL means, as they were fetched last."""
        try:
            record = json.loads(self.list.read_text("utf-8"))
            found = [self.folder / name for name in record["files"][given]] if record["version"] == FORMAT else []
        except (OSError, ValueError, LookupError, TypeError):
            found = []
        if not found or not all(path.exists() for path in found):
            raise BadFile(f"{given} is not fetched yet: `shortlist run` fetches it")
        return found

    def fetch(self, given: Sequence[str], engine: Engine) -> None:
        """Fetch what these URLs mean, where it is not here yet; the workers of the engine do it. Old copies go."""
        found = {name: [self._copy(*one) for one in listed(name)] for name in given}
        copies = {copy.path: copy for some in found.values() for copy in some}
        missing = [copy for copy in copies.values() if not copy.path.exists()]
        with closing(engine.map(fetch_file, enumerate(missing))) as results:
            for _ in results:
                pass
        names = {name: [str(copy.path.relative_to(self.folder)) for copy in some] for name, some in found.items()}
        write_json(self.list, {"version": FORMAT, "files": names})
        self._tidy({path.parent for path in copies})

    def _tidy(self, used: set[Path]) -> None:
        """Throw away copies that are no longer part of the data, and what a killed run left half fetched."""
        for folder in self.folder.iterdir():
            if folder in used:
                sweep(folder)
            else:
                shutil.rmtree(folder, ignore_errors=True)

    def _copy(self, url: str, mark: str) -> Copy:
        word = hashlib.sha256(f"{url}\n{mark}".encode()).hexdigest()[:32]
        return Copy(url, self.folder / word / url.rsplit("/", 1)[-1])


def listed(given: str) -> list[tuple[str, str]]:
    """(URL, what the store tells about it) of the file, or of all files, that a URL means; in order."""
    with _explained(given):
        store, path = require("fsspec", extra="stores").url_to_fs(given)
        store.invalidate_cache()
        names = sorted(store.glob(path)) if any(sign in path for sign in "*?[") else [path]
        if not names:
            raise BadFile(f"no file is called {given}")
        return [(store.unstrip_protocol(name), _mark(store.info(name))) for name in names]


def _mark(info: dict[str, Any]) -> str:
    return json.dumps({key: str(info[key]) for key in MARKS if info.get(key) is not None}, sort_keys=True)


def fetch_file(copy: Copy) -> None:
    """Fetch one file. It takes its name once it is whole."""
    from shortlist.archive import atomic

    copy.path.parent.mkdir(parents=True, exist_ok=True)
    with _explained(copy.url), atomic(copy.path) as file:
        store, path = require("fsspec", extra="stores").url_to_fs(copy.url)
        store.get_file(path, file.name)


@contextmanager
def _explained(given: str) -> Iterator[None]:
    """The errors of a store as ours. Stores have many kinds of them."""
    try:
        yield
    except ShortlistError:
        raise
    except ImportError as error:
        raise MissingPackage(f"{given} cannot be read: {error}") from error
    except FileNotFoundError as error:
        raise BadFile(f"{given} does not exist") from error
    except Exception as error:
        raise BadFile(f"{given} cannot be read: {type(error).__name__}: {error}") from error
