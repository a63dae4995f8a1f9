"""Certified rows of a project: labels by a model that has not seen the random gold rows, tested with these.

Rows that were labelled with `shortlist label --random` test the labels. Other gold rows (picked by gain, or from a
column) teach the model, and are left out of the rows that are tested. Random rows that were skipped, or got several
classes, count as wrong. With 200 random rows or more, 30 of them teach, too: eight tasks with text certified 57 % of
their rows that way with 300 gold rows, and 49 % without (90 % right; four draws a task, chosen on these tasks).
"""

from __future__ import annotations

import warnings
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from shortlist.arrays import Floats, Positions
from shortlist.beliefs import BY_BOTH, BY_GOLD, BY_ROW, BY_VOTES, LabelTable
from shortlist.classifier import NoiseAwareClassifier
from shortlist.errors import FitWarning, ShortlistError
from shortlist.joint.joint_model import default_classifier
from shortlist.labelers import Labeler
from shortlist.labelmodel import MajorityVote
from shortlist.project.cache import digest, read_json, write_json
from shortlist.project.gold import file_labels, picked_rows, split_mix
from shortlist.project.people import Person
from shortlist.project.rows import Rows
from shortlist.project.session import Session
from shortlist.project.stages.fit import fit_model
from shortlist.project.stages.stage import Facts
from shortlist.project.stages.train import ClassifierInputs, make_joint, training_rows
from shortlist.project.stages.vote import Vote
from shortlist.project.voting import vote_on
from shortlist.prompts import PromptLabeler
from shortlist.rows import write_table
from shortlist.uncertainty import Certificate, LabelSets, Monitor, agreement, certify, label_sets
from shortlist.wording import number_of

TRAINING, TRAINED_FROM = 30, 200  # random gold rows that the model learns from, if there are so many
KEPT, READER, FORMAT = "certificate.json", "certified.npz", 1  # files of the last certificate in the hidden folder
ENOUGH_GOLD, MOST_WATCHED = 100, 5_000  # gold rows to ask for; new rows that are looked at each time
SURENESS = "the classifier's confidence"  # name of a score


class Drawn(NamedTuple):
    """Gold rows by how they were drawn: random ones test the labels, others may teach the model.

    tested    row → class of random rows; None if it was skipped, or several classes were named
    taught    row → class of all other gold rows
    """

    tested: dict[int, str | None]
    taught: dict[int, str]


class Certified(NamedTuple):
    """A certificate and label sets, the beliefs and gold rows that they rest on, and rows that were written."""

    certificate: Certificate
    sets: LabelSets
    beliefs: Floats
    drawn: Drawn
    written: int = 0


def drawn_gold(session: Session, *, all_random: bool) -> Drawn:
    """Divide the gold rows of a project. With `all_random`, the user says that all of them were drawn at random."""
    classes = session.settings.classes
    by_hand = file_labels(session.rows, session.gold_file, classes)
    known = {a: classes[j] for a, j in enumerate(session.known.positions.tolist()) if j >= 0}
    picked = picked_rows(session.rows, session.gold_file)
    random = {*known, *by_hand} if all_random else {row for row, how in picked.items() if how == "random"}
    if not random:
        raise ShortlistError(
            "a certificate needs gold rows that were drawn at random, and there are none. Label some: "
            "shortlist label --random" + ("; or, if all gold rows were drawn at random, add --random" if known else "")
        )
    if not all_random:
        _check_random(session, random)
    tested = {row: known.get(row) for row in sorted(random)}
    taught = {row: name for row, name in known.items() if row not in random}
    if len(tested) >= TRAINED_FROM:
        order = np.random.default_rng(0).permutation(list(tested)).tolist()
        taught |= {row: name for row in order[:TRAINING] if (name := tested.pop(row)) is not None}
    return Drawn(tested, taught if session.settings.gold_wins else {})


def _check_random(session: Session, random: set[int]) -> None:
    """Raise if rows that come before random ones have no label: what has one is no random sample of all rows."""
    order = split_mix(np.arange(len(session.rows)))
    before = np.flatnonzero(order < order[list(random)].max())
    missing = len(set(before.tolist()) - session.known.touched)
    if missing:
        raise ShortlistError(
            f"{number_of(missing, 'random row')} that should have been labelled before others have no label: answers "
            "are missing, or rows were added or moved. Label them first (`shortlist label --random` shows them); or, "
            "if all gold rows were drawn at random from all rows, add --random"
        )


def certify_rows(session: Session, right: float, sure: float, *, all_random: bool = False) -> Certified:
    """Certify rows of a project: labels by a model that has not seen the random gold rows."""
    drawn, classes = drawn_gold(session, all_random=all_random), session.settings.classes
    with warnings.catch_warnings(action="ignore", category=FitWarning):  # `fit` has told
        beliefs = _beliefs_without(session, drawn.taught)
    among = np.ones(len(beliefs), np.bool_) if session.has("train") else session.votes.covered.copy()
    among[[row for row in np.flatnonzero(session.known.positions >= 0).tolist() if row not in drawn.tested]] = False
    tested = {row: name for row, name in drawn.tested.items() if among[row]}
    gold = {row: name for row, name in tested.items() if name is not None}
    unclear = [row for row, name in tested.items() if name is None]
    made = certify(beliefs, gold, right=right, sure=sure, classes=classes, unclear=unclear, among=among)
    return Certified(made, label_sets(beliefs, gold, coverage=0.9, classes=classes), beliefs, drawn)


def _beliefs_without(session: Session, taught: dict[int, str]) -> Floats:
    """(m, k): beliefs from votes, rows and some of the gold."""
    settings, votes = session.settings, session.votes
    if not session.has("train"):
        return np.asarray(fit_model(settings, session.evidence.without_gold()).predict_proba(votes))
    inputs, chosen, m = ClassifierInputs.of(settings), training_rows(session), len(votes)
    joint = make_joint(settings, session.listener.tell)
    if settings.classifier.kind != "linear":  # labels do not depend on what learns from them, and others take long
        joint.classifier = default_classifier().set_params(on=list(settings.classifier.on) or None)
    joint.fit(
        votes[chosen], inputs(session.rows.take(chosen, inputs.columns)), [taught.get(a) for a in chosen.tolist()]
    )
    beliefs, others = np.zeros((m, len(settings.classes))), np.setdiff1d(np.arange(m), chosen)
    beliefs[chosen] = joint.beliefs_
    if len(others):
        rows = inputs(session.rows.take(others, inputs.columns))
        beliefs[others] = joint.predict_proba(rows, votes[others])
    return beliefs


def write_certified(session: Session, made: Certified, path: Path) -> int:
    """Write the labels of certified rows, and of gold rows; return their number. Shortlists are label sets of 90 %."""
    certificate, beliefs = made.certificate, made.beliefs.copy()
    session.refuse_to_overwrite(path)
    known = session.known.positions
    gold = np.flatnonzero(known >= 0) if len(certificate.rows) else np.zeros(0, np.int64)
    rows = np.union1d(certificate.rows, gold)
    beliefs[gold] = np.eye(beliefs.shape[1])[known[gold]]
    count, classes = (session.votes.codes != 0).sum(axis=1), session.settings.classes
    source = np.where(known >= 0, BY_GOLD, np.where(count > 0, BY_BOTH if session.has("train") else BY_VOTES, BY_ROW))
    table = LabelTable(classes, session.rows.key())
    frame = table.frame(beliefs[rows], count[rows], source[rows].tolist())
    frame.insert_column(0, pl.concat(session.rows.key_parts())[rows].alias(table.key[0]).cast(table.key[1]))
    sets = np.where((known >= 0)[:, None], np.eye(len(classes), dtype=np.bool_)[known], made.sets.sets)[rows]
    names = pl.Series("shortlist", [[classes[j] for j in np.flatnonzero(one)] for one in sets], pl.List(pl.String))
    write_table(path, [frame.with_columns(names)], table.schema)
    return len(rows)


# -- what is kept of a certificate, and new rows beside the certified ones -----------------------------------


def keep_certificate(session: Session, made: Certified) -> None:
    """Keep what was certified, and how rows looked, for `check` and `predict`; nothing if no row was certified."""
    if len(made.certificate.rows):
        says = f"{made.certificate} Their labels: shortlist certify --to certified.csv"
        made_from, watch = _inputs(session), _watch(session)
        write_json(session.hidden / KEPT, {"from": made_from, "says": says, "watch": watch, "files": []})


def kept_certificate(session: Session) -> dict[str, Any] | None:
    """The last certificate; None if nothing was certified, or rows or labelers changed since."""
    record = read_json(session.hidden / KEPT)
    return record if isinstance(record, dict) and record.get("from") == _inputs(session) else None


def _inputs(session: Session) -> str:
    """Hash of the rows, the labelers and the settings that votes depend on."""
    return digest(FORMAT, Vote().key(session), [session.digests.of(path) for path in session.roster.reads])


def certificate_line(session: Session) -> str:
    """The last certificate in a sentence, or what is needed for one."""
    if (record := kept_certificate(session)) is not None:
        return str(record["says"])
    drawn = sum(how == "random" for how in picked_rows(session.rows, session.gold_file).values())
    own = "" if session.settings.data.gold is None else "; or yours, if drawn at random: shortlist certify --random"
    return (
        f"Which labels can be used as they are? About {ENOUGH_GOLD} random gold rows show it: shortlist label --random "
        f"({drawn} so far{own}). Then: shortlist certify."
    )


def _watch(session: Session) -> dict[str, Any] | None:
    """Scores of rows, to compare new rows with: agreement of labelers; and how sure a classifier is of unseen rows.

    That classifier learns from the counted votes of half of the rows, so it has not seen the others in any way.
    """
    m = len(session.votes)
    numbers = np.sort(np.random.default_rng(0).permutation(m)[: 2 * MOST_WATCHED])
    votes = session.votes[numbers]
    half = np.random.default_rng(1).random(len(numbers)) < 0.5
    with suppress(ShortlistError):  # too few rows or votes
        inputs, own = ClassifierInputs.of(session.settings), votes[half]
        model = default_classifier().set_params(on=list(session.settings.classifier.on) or None)
        counted = MajorityVote().fit(own).predict_proba(own)
        model.fit(inputs(session.rows.take(numbers[half], inputs.columns)), counted, covered=own.covered)
        model.save(session.hidden / READER)
        others = inputs(session.rows.take(numbers[~half], inputs.columns))
        scores = agreement(votes[:, [one.name for one in _watched(session)]])
        return Monitor(scores | {SURENESS: model.predict_proba(others).max(axis=1)}).to_dict()
    return None


def _watched(session: Session) -> list[Labeler]:
    """Labelers that can vote on new rows at once: neither people nor those that ask a model."""
    return [one for one in session.roster.labelers if not isinstance(one, (Person, PromptLabeler)) and not one.gpus]


def watch_rows(session: Session, rows: Rows) -> Facts:
    """Compare new rows with the certified ones: alarms, each once. Nothing where nothing was certified.

    A sample of the rows is looked at, spread evenly. A file counts once, however often it is predicted.
    """
    record = kept_certificate(session)
    if record is None or record["watch"] is None:
        return {}
    monitor = Monitor.from_dict(record["watch"])
    files = [session.digests.of(path) for path in rows.paths]
    counted = {session.digests.of(path) for path in session.rows.paths}.union(record["files"])
    fresh = [name not in counted.union(files[:f]) for f, name in enumerate(files)]
    numbers = np.flatnonzero(np.repeat(fresh, rows.counts))
    numbers = numbers[np.linspace(0, len(numbers) - 1, min(len(numbers), MOST_WATCHED)).astype(np.int64)]
    alarms = monitor.update(_scores(session, rows, numbers)) if len(numbers) else []
    write_json(session.hidden / KEPT, record | {"watch": monitor.to_dict(), "files": sorted(counted.union(files))})
    facts = {"alarms": [str(one) for one in alarms], "alarms_so_far": len(monitor.alarms)}
    return facts | {"watched": len(monitor.reference), "false_alarms": monitor.rate}


def _scores(session: Session, rows: Rows, numbers: Positions) -> dict[str, Floats]:
    """Scores of new rows, as far as they have the columns that are read."""
    scores: dict[str, Floats] = {}
    try:
        roster = replace(session.roster, labelers=tuple(_watched(session)))
        scores |= agreement(vote_on(roster, rows, numbers)[1]) if roster.labelers else {}
    except ShortlistError as error:
        session.listener.note(f"labelers are not compared on these rows: {error}")
    with suppress(ShortlistError):  # the file of the classifier may be gone
        model, inputs = NoiseAwareClassifier.load(session.hidden / READER), ClassifierInputs.of(session.settings)
        scores[SURENESS] = model.predict_proba(inputs(rows.take(numbers, inputs.columns))).max(axis=1)
    return scores
