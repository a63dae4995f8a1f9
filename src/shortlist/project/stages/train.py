"""train: labels and a classifier from votes, rows and gold together (`JointModel`); predictions for other rows."""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shortlist.classifier.kinds import find_kind
from shortlist.errors import BadFit, ShortlistError, warnings_as_notes
from shortlist.progress import Tell
from shortlist.project.session import Session
from shortlist.project.settings import Settings, belongs
from shortlist.project.stages.stage import Facts, Stage
from shortlist.wording import did_you_mean, number_of

if TYPE_CHECKING:
    import polars as pl

    from shortlist.arrays import Positions
    from shortlist.joint import JointModel
    from shortlist.project.labels import Extract
    from shortlist.project.rows import Rows


class Train(Stage):
    name = "train"
    help = "Combine votes, text and gold; train the classifier."
    needs = ("vote", "fit")
    revision = 2  # goes up when the same votes and rows give other labels

    def outputs(self, settings: Settings) -> tuple[str, ...]:
        kind = find_kind(settings.classifier.kind)
        return (f"classifier{kind.suffix if kind else ''}", "joint.npz")

    def key(self, session: Session) -> Any:
        settings = session.settings
        gold = [settings.use_gold, session.gold_digest()]
        read = [session.data_digests(), asdict(settings.data), asdict(settings.classifier)]
        return [self.revision, *read, *gold, settings.output.by, dict(settings.label_model)]

    def disabled_reason(self, settings: Settings) -> ShortlistError | None:
        if settings.classifier.kind != "none":
            return None
        return settings.toml.wrong('no classifier is wanted: [classifier] kind is "none"', "classifier", "kind")

    def skip_reason(self, session: Session) -> str | None:
        data = session.settings.data
        if data.text is None and not data.features and not session.settings.classifier.on:
            return (
                "[data] names neither text nor features, so labels come from votes alone, and no classifier is "
                "trained: write text or features there"
            )
        if session.state.records["vote"].facts["covered"]:
            return None
        return "no labeler votes on any row yet, so there is nothing to train a classifier on"

    def do(self, session: Session, paths: Sequence[Path]) -> Facts:
        if not session.parts.covered:
            raise BadFit("no labeler votes on any row: there is nothing to train a classifier on")
        from shortlist.classifier.embeddings import VECTORS, vectors_kept_in

        settings, chosen = session.settings, training_rows(session)
        votes, gold = session.parts.take(chosen), known_of(session, chosen)
        inputs = ClassifierInputs.of(settings)
        rows = inputs(session.rows.take_ascending(chosen, inputs.columns, session.engine))
        notes, tell = list[str](), session.listener.tell
        with warnings_as_notes(notes), option_errors(settings), vectors_kept_in(session.hidden / VECTORS, tell):
            joint = make_joint(settings, tell)
            joint.fit(votes, rows, gold if settings.gold_wins else None)
        joint.classifier_.save(paths[0])
        joint.save(paths[1], classifier=False)
        session.results[self.name] = joint.set_params(progress=None)  # it travels to workers, the screen does not
        return _facts(joint, gold) | {"notes": [*notes, *_left_out(len(chosen), len(session.parts))]}

    def load(self, paths: Sequence[Path], settings: Settings) -> JointModel:
        from shortlist.joint import JointModel

        return JointModel.load(paths[1], classifier_class(settings).load(paths[0]))

    def summary(self, facts: Facts) -> str:
        score = f", {facts['accuracy']:.1%} right on gold rows" if "accuracy" in facts else ""
        return f"trained on {'only ' * self.is_poor(facts)}{number_of(facts['trained_on'], 'row')}{score}"

    def is_poor(self, facts: Facts) -> bool:
        return bool(facts["trained_on"] < 30)


def combine_in_memory(session: Session, most: int = 20_000) -> tuple[JointModel, Facts] | None:
    """The labels that a run would make, and their facts, without a classifier; None for many rows, or if it would not.

    A classifier with features of its own may teach a run slightly otherwise.
    """
    import numpy as np

    from shortlist.classifier.embeddings import VECTORS, vectors_kept_in
    from shortlist.joint.joint_model import word_features
    from shortlist.joint.row_evidence import RowEvidence
    from shortlist.rows import read_texts

    settings, votes, known = session.settings, session.votes, session.known
    reads = settings.data.text or settings.data.features or settings.classifier.on
    if settings.classifier.kind == "none" or not reads or len(votes) > most or not votes.covered.any():
        return None
    inputs, joint = ClassifierInputs.of(settings), make_joint(settings, None)
    rows = inputs(session.rows.take(np.arange(len(votes)), inputs.columns))
    texts = read_texts(rows, settings.classifier.on or None)
    gold = known.positions if settings.gold_wins else np.full(len(votes), -1)
    with vectors_kept_in(session.hidden / VECTORS):
        X = rows if texts is None else word_features(texts, settings.classifier.encoder)
    joint._combine(votes, gold, RowEvidence(X, joint.seed))
    return joint, _facts(joint, known.classes or [None] * len(votes))


def make_joint(settings: Settings, tell: Tell | None) -> JointModel:
    """The joint model of the settings, not fitted yet."""
    from shortlist.joint import JointModel
    from shortlist.labelmodel import LabelModel

    given = settings.label_model.get("balance")
    return JointModel(
        LabelModel.from_options(settings.label_model),
        make_classifier(settings),
        by=settings.output.by,  # type: ignore[arg-type]  # checked by the settings
        balance=None if isinstance(given, str) else given,
        progress=tell,
    )


def _facts(joint: JointModel, gold: list[str | None]) -> Facts:
    """What was learned: by whom, class shares, and how many gold rows are right, each judged without its gold label."""
    import numpy as np

    known = np.array([name is not None for name in gold], np.bool_)
    facts: Facts = {"trained_on": len(gold), "teacher": joint.teacher_.name, "reason": str(joint.teacher_)}
    facts["shares"] = dict(zip(map(str, joint.classes_), joint.balance_.round(4).tolist(), strict=True))
    if not known.any():
        return facts | {"agreement": joint.teacher_.agreement}
    truth = np.array([name for name in gold if name is not None], object)
    tables = {"votes and text": joint.out_of_fold_, "text alone": joint.rows_alone_}
    right = {name: int((joint.classes_[table[known].argmax(axis=1)] == truth).sum()) for name, table in tables.items()}
    return facts | {"gold_rows": len(truth), "right": right, "accuracy": right["votes and text"] / len(truth)}


def training_rows(session: Session) -> Positions:
    """Numbers of the rows to learn from: all, or `classifier.max_rows` of them, evenly spread, and all gold rows."""
    import numpy as np

    m, most = len(session.parts), session.settings.classifier.max_rows
    if m <= most:
        return np.arange(m)
    spread = np.linspace(0, m - 1, most).astype(np.int64)
    return np.union1d(spread, _gold_rows(session)) if session.settings.gold_wins else spread


def _gold_rows(session: Session) -> Positions:
    import numpy as np

    from shortlist.project.gold import gold_by_part

    rows = session.rows
    known = zip(rows.parts, gold_by_part(rows, session.settings.classes, session.gold_by_row), strict=True)
    found = [part.start + np.flatnonzero(gold >= 0) for part, gold in known if gold is not None]
    return np.concatenate([np.zeros(0, np.int64), *found])


def known_of(session: Session, chosen: Positions) -> list[str | None]:
    """The known classes of some rows, ascending."""
    import numpy as np

    from shortlist.project.gold import gold_by_part

    classes, known = session.settings.classes, np.full(len(session.parts), -1)
    parts = gold_by_part(session.rows, classes, session.gold_by_row)
    for part, gold in zip(session.rows.parts, parts, strict=True):
        if gold is not None:
            known[part.start : part.start + part.rows] = gold
    return [None if j < 0 else classes[j] for j in known[chosen].tolist()]


def _left_out(trained: int, count: int) -> Iterator[str]:
    """Note that some rows were left out."""
    if trained < count:
        yield f"trained on {trained:,} of {count:,} rows (classifier.max_rows), evenly spread"


# -- predictions for other rows --------------------------------------------------------------------------


def predict_rows(session: Session, rows: Rows, path: Path, extract: Extract) -> Facts:
    """Let the classifier read rows, with the workers of the engine; write a file, and score rows of known class."""
    from shortlist.beliefs import LabelTable
    from shortlist.project.gold import gold_by_part
    from shortlist.project.labels import LabelJob, Predictions, write_one_file

    settings, classifier, inputs = session.settings, session.classifier, ClassifierInputs.of(session.settings)
    extract.check(rows)
    for read in (session, rows):
        read.refuse_to_overwrite(path)
    classes = [str(name) for name in classifier.classes_]
    table = LabelTable(classes, rows.key(), held=settings.output.shortlist, voted=False)
    labels = Predictions(classifier, table, inputs.columns, inputs)
    job = LabelJob(parts=None, reader=rows.reader, labels=labels, gold=None, table=table, id=rows.data.id)
    known = gold_by_part(rows, settings.classes, {})
    counts: Counter[bool] = Counter()  # right and wrong rows of known class
    written: list[int] = []  # rows of each part

    def score(predicted: pl.DataFrame) -> None:
        if (gold := next(known)) is not None:
            pairs = zip(predicted["class"].to_list(), gold.tolist(), strict=True)
            counts.update(name == settings.classes[j] for name, j in pairs if j >= 0)
        written.append(int(extract.keeps(predicted).sum()))
        session.listener.advance(len(predicted))

    write_one_file(job, rows, path, session.engine, extract, score)
    own, others = ({Path(one).resolve() for one in each.paths} for each in (session.rows, rows))
    learned = settings.gold_wins and own & others  # no fair score
    scored = counts and not learned
    scores = {"accuracy": counts[True] / counts.total(), "gold_rows": counts.total()} if scored else {}
    return {"rows": len(rows), "written": sum(written)} | scores


# -- the classifier --------------------------------------------------------------------------------------


def make_classifier(settings: Settings) -> Any:
    """The classifier with the options of the settings, not fitted yet."""
    made, options = classifier_class(settings), dict(settings.classifier.options)
    if settings.classifier.on:
        options["on"] = list(settings.classifier.on)
    linear = settings.classifier.kind == "linear"
    known = [name for name in inspect.signature(made).parameters if name != "self"] + ["encoder"] * linear
    for name in options:
        if name not in known:
            raise settings.toml.wrong(
                f"classifier.{name} is no option of {made.__name__}."
                f"{belongs(name, 'classifier') or did_you_mean(name, known)} "
                f"Options: {', '.join(known)}", "classifier", name,
            )  # fmt: skip
    with option_errors(settings):
        if not linear:
            return made(**options)
        from shortlist.classifier import TextFeatures
        from shortlist.joint.joint_model import default_classifier

        encoder = options.pop("encoder", None)
        features = TextFeatures(encoder=encoder) if encoder else None
        return default_classifier().set_params(features=features, **options)


@contextmanager
def option_errors(settings: Settings) -> Iterator[None]:
    """Add the line of the settings to an error about an option."""
    try:
        yield
    except ShortlistError as error:
        if not error.option:
            raise
        raise settings.toml.wrong(error.message, "classifier", *error.option) from error
    except (TypeError, ValueError) as error:
        if not settings.classifier.options:
            raise
        options = ", ".join(settings.classifier.options)
        what = f"{type(error).__name__}: {error}"
        message = f"the classifier cannot work with {options} as given: {what}"
        raise settings.toml.wrong(message, "classifier") from error


def classifier_class(settings: Settings) -> Any:
    kind = find_kind(settings.classifier.kind)
    if kind is None:
        raise settings.toml.wrong(f"there is no classifier of kind {settings.classifier.kind!r}", "classifier", "kind")
    return kind.find()


@dataclass(frozen=True)
class ClassifierInputs:
    """What a classifier reads of the rows: texts, a table of columns of text that it joins, or a matrix of numbers."""

    columns: list[str]
    reads: str  # "text", "table" or "numbers"

    @classmethod
    def of(cls, settings: Settings) -> ClassifierInputs:
        """Text, unless its kind reads numbers only or there is no text."""
        data, kind, on = settings.data, find_kind(settings.classifier.kind), settings.classifier.on
        if on:
            return cls(list(on), "table")
        if data.text is None and not data.features:
            raise settings.toml.wrong(
                "[data] names neither text nor features, so there is nothing for a classifier to read: write "
                'text = "…", features = ["…"], or kind = "none" under [classifier]', "data",
            )  # fmt: skip
        if data.text is None or (kind is not None and kind.reads == "numbers"):
            return cls(list(data.features), "numbers")
        return cls([data.text], "text")

    def __call__(self, frame: pl.DataFrame) -> Any:
        if self.reads == "table":
            return frame
        return frame[self.columns[0]].fill_null("").to_list() if self.reads == "text" else numbers(frame)


def numbers(frame: pl.DataFrame) -> Any:
    """Columns of numbers as a matrix, 0 for empty cells."""
    import polars as pl

    try:
        return frame.cast(pl.Float64).fill_null(0.0).to_numpy()
    except pl.exceptions.PolarsError as error:
        raise ShortlistError(f"features are columns of numbers: {' '.join(str(error).split())[:200]}") from error
