"""RemoteFiles: data files given by URL (`s3://…`, `gs://…`, `https://…`), downloaded into .shortlist/stores.

fsspec lists and downloads them. A file is downloaded once, and again when its store says that it has changed.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shortlist.errors import BadFile, MissingPackage, ShortlistError, require
from shortlist.project.cache import read_json, sweep, write_json

if TYPE_CHECKING:
    from shortlist.engines import Engine


def is_url(name: str) -> bool:
    return "://" in name


Download = tuple[str, Path]  # the URL of a file, and the path of its copy


class RemoteFiles:
    """The copies of a project: each in a folder of its own, named after the URL and the version of the file."""

    def __init__(self, hidden: Path) -> None:
        self.folder, self.list = hidden.absolute() / "stores", hidden / "stores.json"

    def files(self, pattern: str) -> list[Path]:
        """Copies of all files that a URL matches, as they were downloaded last."""
        record = read_json(self.list) or {}
        paths = [self.folder / name for name in record.get("files", {}).get(pattern, ())]
        if not paths or not all(path.exists() for path in paths):
            raise BadFile(f"{pattern} is not fetched yet: `shortlist run` fetches it")
        return paths

    def fetch(self, patterns: Sequence[str], engine: Engine) -> None:
        """Download what these URLs match, if it is not here yet, with the workers of the engine. Delete old copies."""
        matches = {pattern: [self._copy(*one) for one in listed(pattern)] for pattern in patterns}
        copies = {path: url for group in matches.values() for url, path in group}
        missing = [(url, path) for path, url in copies.items() if not path.exists()]
        with closing(engine.map(fetch_file, enumerate(missing))) as results:
            list(results)
        names = {key: [str(path.relative_to(self.folder)) for _url, path in group] for key, group in matches.items()}
        write_json(self.list, {"version": 1, "files": names})
        for folder in self.folder.iterdir():
            sweep(folder)
            if folder not in {path.parent for path in copies}:
                shutil.rmtree(folder, ignore_errors=True)

    def _copy(self, url: str, version: str) -> Download:
        key = hashlib.sha256(f"{url}\n{version}".encode()).hexdigest()[:32]
        return url, self.folder / key / url.rsplit("/", 1)[-1]


def listed(pattern: str) -> list[tuple[str, str]]:
    """(URL, version) of all files that a URL matches, in order."""
    with _explained(pattern):
        store, path = require("fsspec", extra="stores").url_to_fs(pattern)
        store.invalidate_cache()
        names = sorted(store.glob(path)) if any(sign in path for sign in "*?[") else [path]
        if not names:
            raise BadFile(f"no file is called {pattern}")
        return [(store.unstrip_protocol(name), _version(store.info(name))) for name in names]


def _version(info: dict[str, Any]) -> str:
    keys = ("size", "ETag", "etag", "md5Hash", "mtime", "LastModified", "last_modified", "created")
    return json.dumps({key: str(info[key]) for key in keys if info.get(key) is not None}, sort_keys=True)


def fetch_file(copy: Download) -> None:
    """Download one file. It gets its name once it is complete."""
    from shortlist.archive import atomic

    url, target = copy
    target.parent.mkdir(parents=True, exist_ok=True)
    with _explained(url), atomic(target) as file:
        store, path = require("fsspec", extra="stores").url_to_fs(url)
        store.get_file(path, file.name)


@contextmanager
def _explained(name: str) -> Iterator[None]:
    try:
        yield
    except ShortlistError:
        raise
    except ImportError as error:
        raise MissingPackage(f"{name} cannot be read: {error}") from error
    except FileNotFoundError as error:
        raise BadFile(f"{name} does not exist") from error
    except Exception as error:
        raise BadFile(f"{name} cannot be read: {type(error).__name__}: {error}") from error
