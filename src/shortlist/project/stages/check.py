"""check and report: what to do next, and one HTML page about all of it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shortlist.project.cache import read_json, write_json
from shortlist.project.session import Session
from shortlist.project.settings import Settings
from shortlist.project.stages.stage import Facts, Stage
from shortlist.wording import number_of

if TYPE_CHECKING:
    from shortlist.arrays import Positions
    from shortlist.joint import JointModel
    from shortlist.reporting.checkup import Checkup
    from shortlist.reporting.overview import Final, Overview


class Check(Stage):
    """Advice, and a diagnosis: can accuracies be learned from votes alone? The report shows both, too."""

    name = "check"
    help = "List what to improve; can accuracies be learned from votes?"
    needs = ("vote", "fit")
    uses = ("train",)
    revision = 25  # goes up when the same votes give other advice

    def outputs(self, settings: Settings) -> tuple[str, ...]:  # noqa: ARG002
        return ("check.json",)

    def key(self, session: Session) -> Any:
        gold = session.settings.data.gold  # known classes measure what is advised
        read = gold and [gold, session.data_digests()]
        kept = read_json(session.hidden / "certificate.json")
        certified = kept.get("says") if isinstance(kept, dict) else None
        return [self.revision, read, session.gold_digest(), session.settings.gold_fits, certified]

    def do(self, session: Session, paths: Sequence[Path]) -> Facts:
        overview = make_overview(session, recorded(session), _joint(session))
        checkup = make_checkup(session, overview, time_limit=30.0).in_project
        write_json(paths[0], checkup.to_dict())
        session.results[self.name] = checkup
        return {"identifiable": checkup.identifiable, "verdict": checkup.diagnosis.status} | {
            "findings": checkup.diagnosis.findings,
            "advice": checkup.to_dict()["advice"],
            "notes": session.sample.notes,
        }

    def load(self, paths: Sequence[Path], settings: Settings) -> Checkup:  # noqa: ARG002
        from shortlist.reporting.checkup import Checkup

        return Checkup.from_dict(json.loads(paths[0].read_text("utf-8")))

    def summary(self, facts: Facts) -> str:
        count = len(facts["advice"])
        return f"{count or 'no'} suggestion{'' if count == 1 else 's'}; {facts['verdict']} from votes alone"


class Report(Stage):
    """One HTML page about all of it."""

    name = "report"
    help = "Write the one-page HTML report."
    needs = ("vote", "fit", "check")
    uses = ("train",)
    optional = True
    revision = 3  # goes up when the same results are shown in another way

    def outputs(self, settings: Settings) -> tuple[str, ...]:  # noqa: ARG002
        return ("report.html",)

    def key(self, session: Session) -> Any:
        data = asdict(session.settings.data)
        return [self.revision, session.data_digests(), data, session.gold_digest(), self._spent(session)]

    def do(self, session: Session, paths: Sequence[Path]) -> Facts:
        from shortlist.reporting.page import write_page

        title = f"What the labelers of {session.folder.resolve().name} do"
        hard = session.state.records["fit"].facts.get("gold_hard", 0)
        overview = make_overview(session, recorded(session), _joint(session), hard)
        spent, labelers = self._spent(session), session.roster.labelers
        write_page(overview, session.checkup, session.sample.rows, paths[0], title, labelers, spent)
        return {"notes": session.sample.notes}

    def _spent(self, session: Session) -> list[dict[str, Any]]:
        return list(session.state.records["vote"].facts.get("spent", ()))


def recorded(session: Session) -> dict[str, Facts]:
    """Facts of the stages fit and train, as they were last done."""
    return {name: session.state.records[name].facts for name in ("fit", "train") if session.has(name)}


def make_overview(session: Session, facts: Mapping[str, Facts], joint: JointModel | None, hard: int = 0) -> Overview:
    """The overview behind check, report and studio, by the facts of stages, and the final labels if there are any."""
    from shortlist.reporting.overview import LABEL_MODEL, Overview

    right, rows = facts.get("train", {}).get("right", {}), facts.get("train", {}).get("gold_rows", 0)
    scores = {LABEL_MODEL: facts["fit"].get("accuracy"), **{name: count / rows for name, count in right.items()}}
    known = {name: share for name, share in scores.items() if share is not None}
    fits, final = session.settings.gold_fits, None if joint is None else _final(session, joint)
    return Overview(session.sampled_analysis, scores=known, gold_fits=fits, gold_hard=hard, final=final)


def make_checkup(session: Session, overview: Overview, time_limit: float) -> Checkup:
    """Advice and diagnosis about a project; the time limit (seconds) is that of the diagnosis."""
    from shortlist.project.certified import certificate_line
    from shortlist.project.code.places import Places
    from shortlist.project.gold import agreement, differing, file_entries
    from shortlist.reporting.advice import check

    checkup = check(overview, time_limit=time_limit, snippets=Places(session.roster))
    people = file_entries(session.rows, session.gold_file, session.settings.classes)
    shared, differ = agreement(people, session.settings.classes), len(differing(people))
    settle = f" People differ on {number_of(differ, 'row')}: shortlist label --differ" if differ else ""
    agreed = "" if shared is None else f"{shared}{settle}"
    to_add, promise = _to_add(session, overview), certificate_line(session)
    return replace(checkup, to_add=to_add, promise=promise, agreement=agreed)


def _to_add(session: Session, overview: Overview) -> str:
    """What the labelers are worth and what to add, judged by at most 1,000 gold rows if all rows are looked at."""
    import numpy as np

    from shortlist.uncertainty import next_steps

    final, votes, trials = overview.final, overview.votes, overview.trials
    if session.model is None or not votes.covered.any():
        return ""
    beliefs = session.model.predict_proba(votes) if final is None else final.beliefs
    gold = overview.analysis.gold
    known = np.zeros(0, np.int64) if gold is None else np.random.default_rng(0).permutation(np.flatnonzero(gold >= 0))
    named = {} if gold is None else {int(a): int(gold[a]) for a in known[:1000]}
    return str(next_steps(votes, beliefs, named, right=None if trials is None else trials.right_without))


def _joint(session: Session) -> JointModel | None:
    """The final labels of the last run, where all rows were learned from; else advice is about labels by votes."""
    there = session.has("train") and len(session.joint.beliefs_) == len(session.parts)
    return session.joint if there else None


def _final(session: Session, joint: JointModel) -> Final:
    """Labels from votes and rows together."""
    from shortlist.project.stages.train import ClassifierInputs
    from shortlist.reporting.overview import Final

    inputs = ClassifierInputs.of(session.settings)

    def features(numbers: Positions) -> Any:
        from shortlist.joint.joint_model import word_features
        from shortlist.rows import read_texts

        rows = inputs(session.rows.take(numbers, inputs.columns))
        texts = read_texts(rows, session.settings.classifier.on or None)
        return rows if texts is None else word_features(texts)

    return Final(joint.out_of_fold_, features, joint.teacher_, joint.balance_, session.settings.gold_wins)
