"""Advice about votes and a model: each rule looks for one kind of thing to do, and says what it would bring.

To add a rule, write a function from `Case` to `Advice` and put it into `RULES`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from shlex import quote
from typing import Any

import numpy as np
import polars as pl

from shortlist.analysis import Analysis
from shortlist.analysis.tables import contradicting_pairs
from shortlist.identifiability import Diagnosis, diagnose
from shortlist.labelmodel.evidence import Gold
from shortlist.reporting.checkup import Advice, Checkup
from shortlist.reporting.harm import LABEL_FIRST, copied, leave_out, one_sided, too_many, unnamed, wrong
from shortlist.reporting.overview import LABEL_MODEL, VOTES_AND_TEXT, Overview
from shortlist.reporting.snippets import Snippets
from shortlist.reporting.trials import ENOUGH, FEW, Case, Trials, mixed_pairs, named_shares, surely_more, uncovered_gain
from shortlist.votes import Votes
from shortlist.votes.codomain import failed_alike
from shortlist.wording import number_of, some_of


def checkup(votes: Votes, model: Any = None, *, gold: Gold | None = None, time_limit: float = 10.0) -> Checkup:
    """List what to do about the labelers, the most gain first, and say if accuracies can be learned from votes alone.

    gold         known classes, by row (None where unknown) or as a mapping from row to class: they measure gains
    time_limit   seconds that the identifiability check may take
    """
    return check(Overview(Analysis(votes, model, gold=gold)), time_limit=time_limit)


def check(
    overview: Overview,
    *,
    diagnosis: Diagnosis | None = None,
    time_limit: float = 10.0,
    snippets: Snippets | None = None,
) -> Checkup:
    """Advice and diagnosis. Without a diagnosis, `diagnose` is run within the time limit (seconds)."""
    diagnosis = diagnosis or diagnose(overview.votes, time_limit=time_limit)
    calibration = overview.analysis.calibration
    right = overview.other_scores.get(LABEL_MODEL, calibration.right if calibration else None)
    right = overview.other_scores.get(VOTES_AND_TEXT, right)
    advice = tuple(advise(overview, snippets))
    return Checkup(len(overview.votes), advice, diagnosis, right, overview.gold_fits)


def advise(overview: Overview, snippets: Snippets | None = None, most: int = 6) -> list[Advice]:
    """Advice: what is broken, then by gain, then what may do harm. If nothing is measured, labelling goes before."""
    case = Case(overview, snippets or Snippets())
    advice = [one for rule in RULES for one in rule(case)]
    named = {one.about for one in advice if one.kind == "leave out"}
    advice = [one for one in advice if not (one.kind == "wrong" and one.about in named)]
    broken = [one for one in advice if one.kind in ("failed", "silent", "unfinished", "unnamed", "copy", "wrong")]
    label = [one for one in advice if one.kind == "label"]
    others = [one for one in advice if one not in broken and one not in label]
    better = sorted((one for one in others if (one.gain or 0) >= 1), key=lambda one: -(one.gain or 0))
    better = [*better, *(one for one in others if one.gain is None)][: max(1, most - len(broken))]
    return [*broken, *label, *better] if overview.known.sum() < FEW else [*broken, *better, *label]


# -- what is broken ------------------------------------------------------------------------------------


def failed(case: Case) -> Iterator[Advice]:
    """One for all labelers with the same first error: a feature fails for all that ask for it."""
    for names, failure in failed_alike(case.votes.names, case.votes.failures):
        it, they = ("it", "It") if len(names) == 1 else ("they", "They")
        yield Advice(
            "failed",
            f"Fix {some_of(names)}: {it} failed on {number_of(failure.count, 'row')}.",
            f"{they} abstained there. The first error: {failure.last_line}",
            case.snippets.failing(*names),
            about=names[0],
        )


def silent(case: Case) -> Iterator[Advice]:
    """One for all labelers that never vote: in a new project there may be many."""
    failing = dict(zip(case.votes.names, case.votes.failures, strict=True))
    names = case.overview.plain_labelers.filter(pl.col("votes") == 0)["labeler"].to_list()
    names = [name for name in names if not failing[name]]
    if names:
        it, they = ("it", "it") if len(names) == 1 else ("them", "they")
        yield Advice(
            "silent",
            f"Fix {some_of(names)}, or delete {it}: {they} never voted on these rows.",
            case.snippets.silence(names, len(case.votes)),
            case.snippets.left_out(*names),
            about=names[0],
        )


def unfinished(case: Case) -> Iterator[Advice]:
    """A fit that did not converge."""
    if getattr(case.model, "converged_", True) is False:
        yield Advice(
            "unfinished",
            "Let the fit run longer.",
            f"It stopped before it converged, after {number_of(case.model.n_iter_, 'step')}.",
            case.snippets.longer_fit(10 * case.model.max_iter),
        )


# -- labels that are too poor --------------------------------------------------------------------------


def by_counting(case: Case) -> Iterator[Advice]:
    """Counting votes is right more often than the labels, beyond chance."""
    overview, analysis = case.overview, case.overview.analysis
    right = overview.other_scores.get(VOTES_AND_TEXT if overview.final else LABEL_MODEL)
    known = int(analysis.scored.sum())
    if right is None or known < ENOUGH or (overview.final and overview.final.teacher.name == "counting"):
        return
    counted, labels = (
        analysis.counting_on_gold * known,
        right * (int(overview.known.sum()) if overview.final else known),
    )
    if surely_more(counted, labels):
        yield Advice(
            "counting",
            "Let counting votes make the labels.",
            f"It is right on {counted:.0f} of {known:,} gold rows with a vote, the labels on {labels:.0f}.",
            case.snippets.by_counting(),
            len(case.votes) * (counted - labels) / known, measured=True, gold_rows=known,
        )  # fmt: skip


def poor(case: Case, least: float = 0.6) -> Iterator[Advice]:
    """Labels that are wrong on many gold rows, whatever else is found."""
    overview, calibration = case.overview, case.overview.analysis.calibration
    right = overview.other_scores.get(VOTES_AND_TEXT, calibration.right if calibration else None)
    if right is not None and right < least and overview.known.sum() >= FEW:
        yield Advice(
            "poor",
            "Write more labelers, or label more rows: the labels are not good enough to use.",
            f"They are right on {right:.0%} of {int(overview.known.sum()):,} gold rows. Look at those that are wrong, "
            "and write rules for what you see there.",
            "[row for row in range(len(votes)) if gold[row] not in (None, model.predict(votes[[row]])[0])][:20]",
            command="shortlist show --wrong",
        )


def contradiction(case: Case, most: int = 50) -> Iterator[Advice]:
    """Let a labeler abstain where it contradicts one that gold rows there find more often right."""
    analysis, final, gold = case.overview.analysis, case.overview.final, case.overview.analysis.gold
    if case.model is None or gold is None:
        return
    bits, member = analysis.bits, analysis.bits.layout.member
    hit = (final.beliefs.argmax(axis=1) if final else analysis.guess) == gold
    pairs, found = contradicting_pairs(analysis)[:most], []
    for s, t in [*pairs, *pairs[:, ::-1]]:
        rows = bits.indices(bits.rows[s] & bits.rows[t])
        seen = rows[analysis.known[rows]]
        said, other, labels = member[s][gold[seen]], member[t][gold[seen]], hit[seen]
        mended, broken = int((said & ~labels).sum()), int((labels & ~said).sum())
        if surely_more(mended, broken, 3.0):  # the best of many pairs is lucky, too
            gain = len(rows) * (mended - broken) / len(seen)
            found.append((gain, len(rows), len(seen), s, t, *(int(each.sum()) for each in (said, other, labels))))
    for gain, count, known, s, t, its, others, right in sorted(found)[-1:]:
        better, worse = (case.votes.names[bits.layout.owner[u]] for u in (s, t))
        yield Advice(
            "contradiction",
            f"Let {worse} abstain where it contradicts {better}.",
            f"It does on {number_of(count, 'row')}. Of the {known:,} of them that have a gold label, {better} is "
            f"right on {its:,}, {worse} on {others:,}, and the labels on {right:,}.",
            "analysis.buckets()    # who contradicts whom",
            gain, measured=True, gold_rows=known,
            command=f"shortlist show {quote(worse)} --conflict {quote(better)}",
            about=worse,
        )  # fmt: skip


# -- what the model could be told besides votes --------------------------------------------------------


def balance(case: Case) -> Iterator[Advice]:
    """Ask for the class balance, where many labels depend on it. Gold rows in the fit say it already."""
    if case.trials is None or case.overview.gold_fits or getattr(case.model, "balance", "learn") is not None:
        return
    if case.overview.final and case.overview.final.use_gold and case.overview.known.sum() >= ENOUGH:
        return  # gold rows say it
    shares = named_shares(case.votes)
    yield from balance_of_rules(case, case.trials) if shares is None else balance_of_votes(case, case.trials, shares)


def balance_of_votes(
    case: Case, trials: Trials, shares: dict[str, float], apart: float = 0.05, least: float = 0.02
) -> Iterator[Advice]:
    """A balance of the votes that differs from the model's, and changes at least this share of the labels."""
    often = max(shares, key=shares.__getitem__)
    taken = float(case.model.class_balance_[case.votes.space.index(often)])
    if shares[often] < taken + apart:
        return
    trial = trials.balanced(shares)
    if trial.better if trial.measured else trial.changed >= least * len(case.votes):
        changed = number_of(round(trial.changed), "row")
        yield Advice(
            "balance",
            "Tell the model how frequent the classes are, if you know it roughly.",
            f"Votes alone do not show it well: {often} has {shares[often]:.0%} of the votes of labelers that know all "
            f"classes, and the model takes {taken:.0%} of the rows to be of this class. With the shares of these "
            f"votes, {changed} would change their label. A rough guess is enough.",
            case.snippets.balance(shares),
            **trial.evidence,
        )


def balance_of_rules(case: Case, trials: Trials, least: float = 0.02) -> Iterator[Advice]:
    """No balance shows in the votes. The one that is tried is an example, so there is no gain to state."""
    space = case.votes.space
    often = space[int(np.argmax(case.overview.analysis.mass))]
    trial = trials.balanced({name: (2 if name == often else 1) / (len(space) + 1) for name in space})
    if trial.changed >= least * len(case.votes):
        yield Advice(
            "balance",
            "Tell the model how frequent the classes are, if you know it roughly.",
            f"Rules do not show it, so all classes are taken to be equally frequent. If {often} were twice as frequent "
            f"as the others, {number_of(round(trial.changed), 'row')} would change their label. A rough guess is "
            "enough.",
            case.snippets.any_balance(space),
        )


# -- labelers to extend or to write --------------------------------------------------------------------


def two_sided(case: Case) -> Iterator[Advice]:
    """One-sided labelers that should say the contrary elsewhere: one by one where that is measured."""
    names, votes = list(case.one_sided), case.votes
    if case.trials is None or not names:
        return
    if case.overview.known.sum() < FEW:
        yield _may_say_not(case, names)
        return
    names.sort(key=lambda name: -votes.coverage[votes.names.index(name)])
    for name in names[: case.most_tried]:
        trial = case.trials.two_sided([name])
        if trial.better:
            yield Advice(
                "two-sided",
                f"Let {name} also say what a row is not, where nothing matches.",
                "It always gives the same answer, so votes do not show how accurate it is.",
                _second_answers(case, [name]),
                **trial.evidence,
                about=name,
            )


def _may_say_not(case: Case, names: list[str]) -> Advice:
    """Not measured: it does harm where labelers miss many rows of their class, which votes do not show."""
    gives, they_are, misses = ("It always gives", "it is", "it misses few rows of its class")
    if len(names) > 1:
        gives, they_are, misses = ("They always give", "they are", "they miss few rows of their class")
    return Advice(
        "two-sided",
        f"{some_of(names)} could also say what a row is not, if {misses}.",
        f"{gives} the same answer, so votes do not show how accurate {they_are}. A second answer helps only a "
        "labeler that catches nearly all rows of its class: on each row it misses, it would rule out the right class. "
        f"{LABEL_FIRST}",
        _second_answers(case, names),
        about=names[0],
    )


def _second_answers(case: Case, names: list[str]) -> str:
    votes = case.votes
    says = {name: codomain.says for name, codomain in zip(votes.names, votes.codomains, strict=True)}
    return case.snippets.second_answers({name: votes.space.ordered(says[name][0]) for name in names})


def mixed(case: Case) -> Iterator[Advice]:
    """Two pairs of classes that a new labeler should tell apart."""
    if case.model is None:
        return
    final = case.overview.final.beliefs if case.overview.final else None
    pairs = mixed_pairs(case.overview.analysis, case.average, final)
    named = [pair for pair in pairs if not case.unnamed.keys() & set(pair[:2])]
    for one, other, error, gain, counted in named[:2]:
        where = "On gold rows" if counted else "As estimated"
        yield Advice(
            "mixed",
            f"Write a labeler that tells {one} from {other}.",
            f"{where}, {error:.0%} of the labelled rows of these two classes are labelled as the other one. "
            + case.average.show(),
            case.snippets.tells_apart(one, other, case.votes.names),
            gain,
            command=f"shortlist show --class {quote(one)} --unsure",
            about=one,
        )


def uncovered(case: Case) -> Iterator[Advice]:
    """Rows without any vote."""
    rows, final = int((~case.votes.covered).sum()), case.overview.final
    known = "only the text tells" if final else "only the class balance is known"
    if rows and case.model is not None:
        yield Advice(
            "uncovered",
            "Write a labeler for rows that have no vote.",
            f"{rows:,} rows ({rows / len(case.votes):.0%}) have no vote, so {known} there. " + case.average.show(),
            "[row for row, voted in zip(rows, votes.covered) if not voted][:20]    # look at some",
            uncovered_gain(case.overview.analysis, case.average, final.beliefs if final else None),
            command="shortlist show --uncovered",
        )


def label_more(case: Case) -> Iterator[Advice]:
    """Label rows by hand, until there are enough to measure."""
    known = int(case.overview.known.sum())
    if case.model is not None and known < ENOUGH:
        have = f"{known} rows have" if known > 1 else f"{known or 'No'} row has"
        yield Advice(
            "label",
            f"Label about {ENOUGH} rows by hand, to know how good the labels are.",
            f"{have} a known class. With {ENOUGH}, accuracies and gains are measured; without, they are guesses.",
            f"numpy.random.default_rng(0).permutation(len(votes))[:{ENOUGH}]    # random rows: a fair sample",
            command="shortlist label --random",
        )


RULES: tuple[Callable[[Case], Iterator[Advice]], ...] = (
    failed, silent, unfinished, unnamed, by_counting, leave_out, wrong, copied, one_sided, too_many, balance, two_sided,
    contradiction, mixed, uncovered, poor, label_more,
)  # fmt: skip
