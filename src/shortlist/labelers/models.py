"""from_classifier(): a model made for a coarser or a different task, as a labeler.

Its outputs are mapped to shortlists; it is asked for whole chunks of rows at a time.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from shortlist.errors import BadLabeler
from shortlist.labelers.answers import Ballot, Codebook, Said, checked_answer, failed, plain_answer
from shortlist.labelers.features import Columns
from shortlist.labelers.labeler import Labeler, Parts, checked_gpus
from shortlist.labelspace import Not, Shortlist, as_written
from shortlist.registry import parameters_known
from shortlist.rows import Chunk


@dataclass(frozen=True, eq=False, repr=False)
class ClassifierLabeler(Labeler):
    """A model as a labeler. Made by `from_classifier()`."""

    estimator: Any
    means: Mapping[Hashable, Shortlist | Not | None]
    on: str | list[str] | None
    threshold: float | None
    name: str
    batch_size: int | None
    gpus: float

    @property
    def says(self) -> Said:  # type: ignore[override]
        return tuple(dict.fromkeys(m for m in self.means.values() if m is not None))

    def __repr__(self) -> str:
        means = ", ".join(f"{output!r} → {as_written(m) if m else 'abstain'}" for output, m in self.means.items())
        return f"<labeler {self.name}: {means}>"

    def fingerprint_parts(self) -> Parts:
        means = [[type(o).__name__, repr(o), None if m is None else plain_answer(m)] for o, m in self.means.items()]
        return Parts([self.on, self.threshold, means], (self.estimator,))

    def on_text(self, column: str) -> ClassifierLabeler:
        return replace(self, on=column) if self.on is None else self

    def vote(self, columns: Columns, codebook: Codebook) -> Ballot:
        ballot, chunk = Ballot(codebook), columns.chunk
        try:
            codes = ballot.read(
                chunk, lambda part: self._codes(part, codebook), raise_errors=columns.raise_errors, errors=Exception
            )
        except Exception as error:
            raise failed(error, labeler=self.name, rows=(chunk.start, chunk.start + len(chunk) - 1)) from error
        ballot.codes = np.array([code or 0 for code in codes], codebook.dtype)
        return ballot

    def _codes(self, chunk: Chunk, codebook: Codebook) -> list[int]:
        outputs = self._outputs(chunk)
        unknown = set(outputs) - {None, *self.means}
        if unknown:
            raise BadLabeler(f"the model said {unknown.pop()!r}, which is not in its map: {list(self.means)}")
        codes = {output: codebook.resolve(self.means.get(output)) for output in set(outputs)}
        return [codes[output] for output in outputs]

    def _outputs(self, chunk: Chunk) -> list[Any]:
        """The output for each row, batch by batch; None below the threshold."""
        return [output for batch in chunk.cut(self.batch_size or len(chunk)) for output in self._predict(batch)]

    def _predict(self, chunk: Chunk) -> list[Any]:
        rows = self._inputs(chunk)
        if self.threshold is None:
            predict = getattr(self.estimator, "predict", self.estimator)
            labels = np.asarray(predict(rows))
            if labels.shape != (len(chunk),):
                raise BadLabeler(f"the model gave outputs of shape {labels.shape} for {len(chunk)} rows")
            return list(labels.tolist())
        scores = np.asarray(self.estimator.predict_proba(rows))
        if scores.shape != (len(chunk), len(self.estimator.classes_)):
            raise BadLabeler(f"the model gave probabilities of shape {scores.shape} for {len(chunk)} rows")
        outputs = np.asarray(self.estimator.classes_)[scores.argmax(axis=1)].tolist()
        sure = scores.max(axis=1) >= self.threshold
        return [output if enough else None for output, enough in zip(outputs, sure, strict=True)]

    def _inputs(self, chunk: Chunk) -> Any:
        if isinstance(self.on, list):
            return np.column_stack([chunk.numbers(name) for name in self.on])
        if self.on is None and chunk.frame is not None:
            return chunk.frame
        values = chunk.values(self.on)
        return np.stack(values) if len(values) and isinstance(values[0], np.ndarray) else list(values)


@parameters_known(BadLabeler)
def from_classifier(
    estimator: Any,
    means: Mapping[Any, Any],
    *,
    on: str | list[str] | None = None,
    threshold: float | None = None,
    name: str | None = None,
    batch_size: int | None = None,
    gpus: float = 0,
) -> ClassifierLabeler:
    """Make a labeler of an existing model: anything with `predict`, or a function of a list of rows.

    `means` maps each output of the model to a shortlist, or to None where that output says nothing. `on` names the
    column the model reads (a list of columns: their numbers, as a matrix). Without it the model is given the rows as
    they are; in a project, the column of text. With a `threshold` the model's `predict_proba` must reach it, else it
    abstains. The model is given at most `batch_size` rows at a time; without it, tens of thousands. `gpus` is how many
    GPUs a worker of a cluster needs to run it (0.5: two share one).
    """
    name = name or str(getattr(estimator, "__name__", type(estimator).__name__))
    if not (callable(estimator) or hasattr(estimator, "predict") or hasattr(estimator, "predict_proba")):
        raise BadLabeler(f"labeler {name!r}: {estimator!r} is no model: it has no predict, and is no function")
    if not isinstance(means, Mapping):
        raise BadLabeler(f"labeler {name!r}: the second argument maps outputs to shortlists; got {means!r}")
    mapped = {output: None if m is None else checked_answer(m, name, "means") for output, m in means.items()}
    if not any(m is not None for m in mapped.values()):
        raise BadLabeler(f"labeler {name!r} says nothing: map at least one output to a shortlist")
    if threshold is not None and not (hasattr(estimator, "predict_proba") and hasattr(estimator, "classes_")):
        raise BadLabeler(f"labeler {name!r} has a threshold, so the model needs predict_proba and classes_")
    if threshold is not None and not 0 <= threshold <= 1:
        raise BadLabeler(f"labeler {name!r}: the threshold is a probability, from 0 to 1; got {threshold}")
    outputs = np.asarray(getattr(estimator, "classes_", [])).tolist()
    missing = [output for output in outputs if output not in mapped]
    if missing:
        raise BadLabeler(f"labeler {name!r}: say what {missing} mean (a shortlist, or None to abstain)")
    if batch_size is not None and (isinstance(batch_size, bool) or not isinstance(batch_size, int) or batch_size < 1):
        raise BadLabeler(f"labeler {name!r}: batch_size is a whole number from 1; got {batch_size!r}")
    return ClassifierLabeler(estimator, mapped, on, threshold, name, batch_size, checked_gpus(gpus, name))
