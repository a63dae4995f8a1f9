"""`shortlist plan` and `shortlist questions`: what asking would cost, and what to ask next."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from shortlist.cli.screen import Screen
from shortlist.project import Project
from shortlist.prompts import Plan


def show_plan(folder: Path, *, as_json: bool) -> None:
    """What would be asked, and what it would cost. Nothing is sent."""
    screen = Screen(as_json=as_json)
    project = Project(folder)
    plan, spent = project.plan(), project.spent
    screen.json({**plan.to_dict(), "spent": [one.to_dict() for one in spent]})
    if not plan.lines:
        screen.text("no labeler asks a language model, so nothing is sent")
        return
    _table(screen, plan)
    screen.text(plan.head)
    if spent:
        so_far = f"{sum(one.calls for one in spent):,} calls, {sum(one.tokens for one in spent):,} tokens"
        paid = sum(one.money for one in spent)
        screen.text(f"spent so far: {so_far}{f', {_money(paid)} of money' if paid else ''}")


def _table(screen: Screen, plan: Plan) -> None:
    priced = plan.money is not None
    missing = any(line.skipped for line in plan.lines)
    counts = ["rows", *(["skipped"] if missing else []), "known", "calls", "tokens"]
    headers = ["labeler", *counts, *(["money"] if priced else []), "model", "asked by"]
    rows = []
    for line in plan.lines:
        skipped = [line.skipped] if missing else []
        figures = [f"{count:,}" for count in (line.rows, *skipped, line.known, line.calls, line.tokens)]
        money = [_money(line.money)] if priced else []
        rows.append([line.labeler, *figures, *money, line.model, line.ways[0] if line.ways else "not tried yet"])
    screen.table("What would be asked (nothing was sent)", headers, rows)


def _money(amount: float | None) -> str:
    return "–" if amount is None else f"{amount:.4f}"


def show_questions(folder: Path, n: int, *, as_json: bool) -> None:
    """The splits of the classes that would tell most, and the first of them as a labeler for shortlist.toml."""
    screen = Screen(as_json=as_json)
    project = Project(folder)
    with screen.working():
        project.run(["fit"], listener=screen)
    table = project.session.analysis.suggest_questions(n)
    screen.json({"questions": table.to_dicts()})
    if table.is_empty():
        screen.text("no question is expected to tell anything: every row has its class")
        return
    rows = [
        [" or ".join(line["classes"]), f"{line['gain']:.3f}", str(line["separates"])]
        for line in table.iter_rows(named=True)
    ]
    screen.table(
        "Questions that would tell most, each given those above it",
        ["is it about …", "bits a row", "new pairs told apart"],
        rows,
    )
    models = list(project.settings.models)
    screen.text(f"\nThe first one for shortlist.toml, to be edited:\n\n{as_toml(table['classes'][0], models)}")


def as_toml(classes: Sequence[str], models: Sequence[str]) -> str:
    """A question as a labeler; the name of the model is that of the project's first one."""
    listed, quoted = " or ".join(classes), json.dumps(list(classes), ensure_ascii=False)
    name = json.dumps("_or_".join(classes), ensure_ascii=False)
    question = json.dumps(f"Is this about {listed}?\n{{text}}", ensure_ascii=False)
    return (
        f'[[labeler]]\nkind = "ask"\nname = {name}\nquestion = {question}\n'
        f"yes = {quoted}\nno = {{ not = {quoted} }}\nmodel = {json.dumps(models[0] if models else 'NAME')}"
    )
