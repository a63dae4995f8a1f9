"""apply(labelers, rows) → Votes: stage 1 in one call."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, islice
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from shortlist.engines import Engine, chosen_engine, ordered
from shortlist.errors import BadLabeler, BadRows, BadShortlist, LabelerFailed, ShortlistError
from shortlist.labelers.answers import REMEDY, Ballot, Codebook, with_row
from shortlist.labelers.features import Columns, Feature, FeaturePlan
from shortlist.labelers.labeler import AllRows, FunctionLabeler, Labeler
from shortlist.labelspace import LabelSpace, Not, Shortlist
from shortlist.progress import Advance, progress_count, progress_lines
from shortlist.rows import Chunk, chunks
from shortlist.rows.chunk import no_column
from shortlist.votes import Codomain, Votes
from shortlist.votes.codomain import infer_codomain, merged_failure
from shortlist.wording import first_duplicate, lone_surrogate

OnError = Literal["raise", "abstain"]
ORDER = "labelers come first, then rows. Write apply(labelers, rows)"


def apply(
    labelers: Labeler | Callable[..., Any] | Iterable[Labeler | Callable[..., Any]],
    rows: Any,
    *,
    text: str | None = None,
    space: LabelSpace | Iterable[str] | None = None,
    features: Feature | Iterable[Feature] = (),
    engine: Engine | None = None,
    workers: int = 1,
    on_error: OnError = "raise",
    progress: bool | Advance | None = None,
) -> Votes:
    """Ask every labeler about every row.

    rows       a list, a pandas, polars or pyarrow table, a Hugging Face dataset, any iterable (streamed)
    text       the column of text, where it is not the only one: labelers without `on` read it, and parameters called
               `text` receive it. Of rows that are strings: the name under which parameters receive them
    space      the classes, in order; without it, every class some labeler names
    features   features to be asked for by name, besides those in the labelers' own modules
    engine     where the work is done: any object with `workers` and `map` (see `shortlist.engines`). The result does
               not depend on it
    workers    the short form of `engine=Local(workers)`: so many processes of this machine share the rows
    on_error   "raise" stops at the first row a labeler fails on; "abstain" goes on, and the Votes say how many
               rows failed for which labeler, and how the first time
    progress   a bar on a terminal (None), always or never; or a function that is told how many more rows are done
    """
    listed, chosen = _listed(labelers), chosen_engine(engine, workers)
    pieces, total = chunks(rows, workers=chosen.workers)
    start = list(islice(pieces, 1))
    columns, texts = (start[0].columns, start[0].text_columns) if start else ([], [])
    if text is not None and columns:
        if text not in columns:
            raise no_column(text, columns)
        listed = tuple(labeler.on_text(text) for labeler in listed)
    asker = Asker.of(
        listed, columns=columns, text=text or (texts[0] if len(texts) == 1 else None), space=space,
        features=features, on_error=on_error,
    )  # fmt: skip
    if not isinstance(rows, Iterator):  # they can be read more than once
        with progress_lines(False if callable(progress) else progress) as tell:
            asker = asker.prepared(AllRows(lambda: chunks(rows), tell))
    results = []
    with progress_count(progress, "voting", total) as advance:
        for ballots in ordered(chosen, asker, chain(start, pieces)):
            results.append(ballots)
            advance(len(ballots[0].codes))
    return asker.votes(results)


@dataclass(frozen=True)
class Asker:
    """Labelers, and everything needed to ask them about a chunk of rows, here or in another process."""

    labelers: tuple[Labeler, ...]
    plan: FeaturePlan
    space: LabelSpace | None
    raise_errors: bool
    shown: tuple[str, ...] = ()  # the columns of a row that error messages show; empty for all
    remedy: str = REMEDY  # the end of these messages

    @classmethod
    def of(
        cls,
        labelers: Any,
        *,
        columns: Iterable[str] = (),
        text: str | None = None,
        space: LabelSpace | Iterable[str] | None = None,
        features: Feature | Iterable[Feature] = (),
        on_error: str = "raise",
        shown: Sequence[str] = (),
        remedy: str = REMEDY,
    ) -> Asker:
        """Make an Asker of labelers and options as `apply` takes them. Raises if what labelers declare is wrong."""
        if on_error not in ("raise", "abstain"):
            raise ShortlistError(f'on_error is "raise" or "abstain"; got {on_error!r}', option=("on_error",))
        listed = _listed(labelers)
        features = (features,) if isinstance(features, Feature) else tuple(features)
        plan = FeaturePlan([one for labeler in listed for one in labeler.functions()], features, columns, text)
        space = _declared_space(listed, space)
        asker = cls(listed, plan, space, on_error == "raise", tuple(shown), remedy)
        _ = asker._declared
        return asker

    def prepared(self, rows: AllRows) -> Asker:
        """Prepare all labelers."""
        return replace(self, labelers=tuple(one.prepare(rows) for one in self.labelers))

    def only(self, places: Sequence[int]) -> Asker:
        """Select labelers by their places."""
        return replace(self, labelers=tuple(self.labelers[i] for i in places))

    @property
    def gpus(self) -> float:
        """The number of GPUs that a worker needs: one worker asks all labelers."""
        return max((labeler.gpus for labeler in self.labelers), default=0)

    def parts_to_pickle(self) -> Iterator[tuple[str, object]]:
        """The objects that are pickled for workers, by name."""
        return ((f"labeler {labeler.name!r}", labeler) for labeler in self.labelers)

    def __call__(self, chunk: Chunk) -> list[Ballot]:
        """The ballot of each labeler about a chunk."""
        columns = Columns(chunk, self.plan, raise_errors=self.raise_errors, searches=self._searches)
        return [self._vote(labeler, columns) for labeler in self.labelers]

    @cached_property
    def _searches(self) -> list[tuple[str | None, str]]:
        """The searches of columns, which run together."""
        return [search for labeler in self.labelers if (search := labeler.search(self.plan)) is not None]

    @property
    def by_column(self) -> bool:
        """True if all labelers search columns: then large chunks are as quick as small ones."""
        return len(self._searches) == len(self.labelers)

    def _vote(self, labeler: Labeler, columns: Columns) -> Ballot:
        try:
            return labeler.vote(columns, Codebook(labeler.says, self.space))
        except BadRows as error:
            raise error.about(labeler=labeler.name) from error
        except LabelerFailed as error:
            if error.row is None or columns.chunk.start + len(columns.chunk) <= error.row:
                raise
            row = columns.chunk.row(error.row - columns.chunk.start)
            raise with_row(error, row, self.shown, self.remedy) from error.__cause__

    def votes(self, results: Sequence[Sequence[Ballot]]) -> Votes:
        """The Votes of the ballots about all chunks, in the order of the rows."""
        space = self.space
        if space is None:
            declared = [answer for labeler in self.labelers for answer in labeler.says or ()]
            seen = sorted(_names(answer for ballots in results for ballot in ballots for answer in ballot.seen))
            space = _named_space([*_names(declared), *seen])
        columns, codomains, failures = [], [], []
        for i, labeler in enumerate(self.labelers):
            ballots = [ballots[i] for ballots in results]
            codomains.append(self._declared.get(i) or self._codomain(labeler, ballots, space))
            columns.append(self._column(ballots, codomains[-1], space))
            failures.append(merged_failure([ballot.failure for ballot in ballots]))
        codes = np.stack(columns).T if results else np.zeros((0, len(self.labelers)), np.uint8)
        return Votes(codes, codomains, space, [labeler.name for labeler in self.labelers], failures=failures)

    @cached_property
    def _declared(self) -> dict[int, Codomain]:
        """The codomains of labelers that declare what they say, made once for all chunks."""
        if self.space is None:
            return {}
        declaring = {i: one for i, one in enumerate(self.labelers) if one.says is not None}
        return {i: self._codomain(one, (), self.space) for i, one in declaring.items()}

    def _codomain(self, labeler: Labeler, ballots: Sequence[Ballot], space: LabelSpace) -> Codomain:
        """The codomain that a labeler declares, or that is inferred from its ballots."""
        answers = labeler.says if labeler.says is not None else [a for ballot in ballots for a in ballot.seen]
        try:
            shortlists = [space.shortlist(answer) for answer in answers]
            if labeler.says is None:
                return infer_codomain(set(shortlists), space)
            return Codomain.declare(shortlists, space)
        except ShortlistError as error:
            raise error.about(labeler=labeler.name) from error

    def _column(
        self, ballots: Sequence[Ballot], codomain: Codomain, space: LabelSpace
    ) -> npt.NDArray[np.unsignedinteger[Any]]:
        """The codes of one labeler over all chunks, in the codes of its codomain."""
        parts = []
        code_of = {shortlist: code for code, shortlist in enumerate(codomain.shortlists, start=1)}
        for ballot in ballots:
            codes = [0, *(code_of[space.shortlist(answer)] for answer in ballot.seen)]
            same = codes == list(range(len(codes)))
            parts.append(ballot.codes if same else np.array(codes, np.uint16)[ballot.codes])
        return np.concatenate(parts) if parts else np.zeros(0, np.uint16)


def _listed(labelers: Any) -> tuple[Labeler, ...]:
    """Check labelers, and make a tuple of them; plain functions become labelers that declare nothing."""
    if isinstance(labelers, (Labeler, Feature)) or callable(labelers):
        labelers = [labelers]
    if not isinstance(labelers, Iterable) or isinstance(labelers, str) or hasattr(labelers, "columns"):
        raise BadLabeler(f"labelers is a {type(labelers).__name__}; give a labeler or a list of them. {ORDER}")
    listed = list(labelers)
    for one in listed:
        if isinstance(one, Feature):
            raise one.wrong("is a feature, not a labeler: give it with features=[…]")
        if not callable(one):
            hint = "a list of labelers among others is unpacked with *" if isinstance(one, list) else ORDER
            raise BadLabeler(f"a {type(one).__name__} is no labeler: {hint}")
    if not listed:
        raise BadLabeler("there are no labelers to apply")
    result = tuple(one if isinstance(one, Labeler) else FunctionLabeler(one) for one in listed)
    names = [labeler.name for labeler in result]
    if (half := lone_surrogate(names)) is not None:
        raise BadLabeler(f"labeler {half!r}: its name holds half a character (a lone surrogate)", labeler=half)
    if twice := first_duplicate(names):
        raise BadLabeler(f"two labelers are called {twice!r}: give each its own name=…", labeler=twice)
    return result


def _declared_space(labelers: Sequence[Labeler], space: LabelSpace | Iterable[str] | None) -> LabelSpace | None:
    """The classes, if they are given or all labelers declare what they say."""
    if space is not None:
        return space if isinstance(space, LabelSpace) else LabelSpace(space)
    if any(labeler.says is None for labeler in labelers):
        return None
    return _named_space(_names(answer for labeler in labelers for answer in labeler.says or ()))


def _named_space(names: Iterable[str]) -> LabelSpace:
    """The classes that labelers name."""
    named = list(dict.fromkeys(names))
    if len(named) < 2:
        raise BadShortlist(f"labelers name {named[0] if named else 'no class'} only: give all classes with space=[…]")
    return LabelSpace(named)


def _names(answers: Iterable[Shortlist | Not]) -> list[str]:
    """Every class that is named, in order of appearance (in alphabetical order within a set)."""
    sets = (answer.classes if isinstance(answer, Not) else answer for answer in answers)
    return list(dict.fromkeys(name for classes in sets for name in sorted(classes)))
