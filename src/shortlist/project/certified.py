"""Certified rows of a project: labels by a model that has not seen the random gold rows, tested with these.

Rows that were labelled with `shortlist label --random` test the labels. Other gold rows (picked by gain, or from a
column) teach the model, and are left out of the rows that are tested. Random rows that were skipped, or got several
classes, count as wrong. With 200 random rows or more, 30 of them teach, too: eight tasks with text certified 57 % of
their rows that way with 300 gold rows, and 49 % without (90 % right; four draws a task, chosen on these tasks).
"""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl

from shortlist.arrays import Floats
from shortlist.beliefs import BY_BOTH, BY_GOLD, BY_ROW, BY_VOTES, LabelTable
from shortlist.errors import FitWarning, ShortlistError
from shortlist.joint.joint_model import default_classifier
from shortlist.project.gold import file_labels, picked_rows
from shortlist.project.session import Session
from shortlist.project.stages.fit import fit_model
from shortlist.project.stages.train import ClassifierInputs, make_joint, training_rows
from shortlist.rows import write_table
from shortlist.uncertainty import Certificate, LabelSets, certify, label_sets

TRAINING, TRAINED_FROM = 30, 200  # random gold rows that the model learns from, if there are so many


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
            "no gold rows are known to be drawn at random, and others say nothing certain about all rows. Label some "
            "with `shortlist label --random`"
            + ("; or, if all gold rows were drawn at random, add --random" if known else "")
        )
    tested = {row: known.get(row) for row in sorted(random)}
    taught = {row: name for row, name in known.items() if row not in random}
    if len(tested) >= TRAINED_FROM:
        order = np.random.default_rng(0).permutation(list(tested)).tolist()
        taught |= {row: name for row in order[:TRAINING] if (name := tested.pop(row)) is not None}
    return Drawn(tested, taught if session.settings.gold_wins else {})


def certify_rows(session: Session, right: float, sure: float, *, all_random: bool = False) -> Certified:
    """Certify rows of a project: labels by a model that has not seen the random gold rows."""
    drawn, classes = drawn_gold(session, all_random=all_random), session.settings.classes
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FitWarning)  # `fit` has told
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
    keys = pl.concat(session.rows.key_parts())[rows]
    frame = table.frame(keys, beliefs[rows], count[rows], source[rows].tolist())
    sets = np.where((known >= 0)[:, None], np.eye(len(classes), dtype=np.bool_)[known], made.sets.sets)[rows]
    names = pl.Series("shortlist", [[classes[j] for j in np.flatnonzero(one)] for one in sets], pl.List(pl.String))
    write_table(path, [frame.with_columns(names)], table.schema)
    return len(rows)
