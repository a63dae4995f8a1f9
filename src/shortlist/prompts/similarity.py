"""similar(): rows like an example, as a labeler. Texts are compared by their vectors, which an encoder makes.

    similar(["Which goalie has the best record?"], yes="hockey", above=0.4)

An encoder reads each text once: in a project, vectors are kept for classifier, joint model and all such labelers.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from shortlist.errors import BadLabeler
from shortlist.labelers import Labeler, Parts, labeler_kind
from shortlist.labelers.answers import Ballot, Codebook, Said, checked_answer, plain_answer
from shortlist.labelers.features import Columns
from shortlist.labelers.labeler import AllRows
from shortlist.labelspace import Not, Shortlist, as_written
from shortlist.progress import Tell, silent
from shortlist.registry import parameters_known
from shortlist.rows import Chunk

if TYPE_CHECKING:
    from shortlist.classifier.embeddings import Hashes


@dataclass(frozen=True, repr=False, eq=False)
class SimilarLabeler(Labeler):
    """A labeler that compares texts with examples: `yes` if a cosine is `above` or more, else `no`.

    Made by `similar()`. Once it is prepared, `near` are hashes of the texts that are close: workers need no encoder.
    """

    name: str
    examples: tuple[str, ...]
    yes: Shortlist | Not
    no: Shortlist | Not | None
    above: float
    on: str | None
    encoder: str | None
    unnamed: bool = False
    hidden: Path | None = None  # the folder in which a project keeps vectors
    near: Hashes | None = None

    @property
    def says(self) -> Said:  # type: ignore[override]
        return (self.yes,) if self.no is None else (self.yes, self.no)

    def record(self) -> dict[str, Any]:
        """The arguments of the call that makes it, as plain data."""
        answers = {"yes": plain_answer(self.yes)} | ({} if self.no is None else {"no": plain_answer(self.no)})
        rest = {"above": self.above, "on": self.on, "encoder": self.encoder}
        record = {"kind": "similar", "name": self.name, "examples": list(self.examples), **answers, **rest}
        return {key: value for key, value in record.items() if value is not None}

    def fingerprint_parts(self) -> Parts:
        return Parts(self.record())

    def __repr__(self) -> str:
        no = "" if self.no is None else f", no={as_written(self.no)}"
        examples = [one if len(one) < 60 else f"{one[:59]}…" for one in self.examples]
        return f"similar({examples}, yes={as_written(self.yes)}{no}, above={self.above}, name={self.name!r})"

    def on_text(self, column: str) -> SimilarLabeler:
        return replace(self, on=column) if self.on is None else self

    def bind_to_project(self, hidden: Path, encoder: str | None = None) -> SimilarLabeler:
        return replace(self, hidden=hidden, encoder=self.encoder or encoder)

    def prepare(self, rows: AllRows) -> SimilarLabeler:
        """Let the encoder read the texts that it has not read yet, and note which ones are close to an example."""
        ballot = Ballot(Codebook(self.says, None))  # rows that cannot be read are told, or abstained on, by `vote`
        read = (ballot.read(chunk, self._texts, raise_errors=False) for chunk in rows.read()[0])
        texts = dict.fromkeys(text for part in read for text in part if text is not None)
        return replace(self, near=self._near(list(texts), rows.tell or silent))

    def vote(self, columns: Columns, codebook: Codebook) -> Ballot:
        from shortlist.classifier.embeddings import hashes_of

        ballot = Ballot(codebook)
        texts = list(ballot.read(columns.chunk, self._texts, raise_errors=columns.raise_errors))
        filled = [text or "" for text in texts]
        close = np.isin(hashes_of(filled), self._near(filled, silent) if self.near is None else self.near)
        codes = np.array([codebook.resolve(self.no), codebook.resolve(self.yes)], codebook.dtype)
        ballot.codes = codes[close.astype(int)]
        ballot.codes[[text is None for text in texts]] = 0
        return ballot

    def _texts(self, chunk: Chunk) -> list[str | None]:
        return chunk.text(self.on if chunk.columns else None).to_list()

    def _near(self, texts: Sequence[str], tell: Tell) -> Hashes:
        """Hashes of the texts that are close to an example."""
        from shortlist.classifier.embeddings import EXAMPLES, VECTORS, embed, hashes_of, vectors_kept_in

        if self.encoder is None:
            raise BadLabeler(
                f'labeler {self.name!r} needs an encoder: write encoder = "sentence-transformers/all-MiniLM-L6-v2", or '
                "its folder, under [classifier] of shortlist.toml, or encoder=… in similar(…)", labeler=self.name,
            )  # fmt: skip
        # Examples have a small file of their own: they change while a rule is typed.
        with vectors_kept_in(self.hidden and self.hidden / EXAMPLES, tell):
            examples = embed(self.encoder, self.examples)
        with vectors_kept_in(self.hidden and self.hidden / VECTORS, tell):
            vectors = embed(self.encoder, texts)
        cosines = (vectors @ examples.T).max(axis=1).round(3)  # vectors in half precision tell no more
        close = np.flatnonzero(cosines >= self.above)
        return hashes_of([texts[a] for a in close.tolist()])


@labeler_kind("similar")
@parameters_known(BadLabeler)
def similar(
    examples: str | Iterable[str],
    yes: Any,
    no: Any = None,
    *,
    above: float = 0.4,
    on: str | None = None,
    encoder: str | None = None,
    name: str | None = None,
) -> SimilarLabeler:
    """A labeler that says `yes` where a text is close to one of a few examples, and `no` where it is not.

    above      the least cosine of the vectors of text and example. How close texts are depends on the encoder
    no         without it, the labeler abstains on other texts
    encoder    a name on the Hugging Face hub, or a folder; in a project, that of [classifier] unless it is given.
               Needs the extra `transformers`
    """
    listed = (examples,) if isinstance(examples, str) else tuple(examples) if isinstance(examples, Iterable) else ()
    if not listed or not all(isinstance(one, str) and one.strip() for one in listed):
        raise BadLabeler(f"similar() takes a list of example texts; got {examples!r}", option=("examples",))
    unnamed, name = not name, name or " ".join(listed[0].split())[:60]
    if isinstance(above, bool) or not isinstance(above, int | float) or not 0 <= above <= 1:
        raise BadLabeler(
            f"similar {name!r}: above is a cosine from 0 to 1; got {above!r}", labeler=name, option=("above",)
        )
    for key, value in {"on": on, "encoder": encoder}.items():
        if value is not None and not (isinstance(value, str) and value):
            raise BadLabeler(f"similar {name!r}: {key} is a text; got {value!r}", labeler=name, option=(key,))
    close, far = checked_answer(yes, name, "yes"), None if no is None else checked_answer(no, name, "no")
    if close == far:
        raise BadLabeler(f"similar {name!r} says the same whether a text is close or not", labeler=name)
    return SimilarLabeler(name, listed, close, far, above, on, encoder, unnamed)
