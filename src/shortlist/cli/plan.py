"""`shortlist plan`: what asking language models would cost."""

from __future__ import annotations

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
        screen.text("no labeler asks a language model, so that nothing is sent")
        return
    _table(screen, plan)
    cost = "" if plan.money is None else f", about {_money(plan.money)} of money"
    screen.text(f"{plan.calls:,} calls, about {plan.tokens:,} tokens{cost}; {plan.known:.1%} of the rows are known")
    if spent:
        so_far = f"{sum(one.calls for one in spent):,} calls, {sum(one.tokens for one in spent):,} tokens"
        paid = sum(one.money for one in spent)
        screen.text(f"spent so far: {so_far}{f', {_money(paid)} of money' if paid else ''}")


def _table(screen: Screen, plan: Plan) -> None:
    priced = plan.money is not None
    headers = ["labeler", "rows", "known", "calls", "tokens", *(["money"] if priced else []), "model", "asked by"]
    rows = []
    for line in plan.lines:
        figures = [f"{count:,}" for count in (line.rows, line.known, line.calls, line.tokens)]
        money = [_money(line.money)] if priced else []
        rows.append([line.labeler, *figures, *money, line.model, line.ways[0] if line.ways else "not tried yet"])
    screen.table("What would be asked (nothing was sent)", headers, rows)


def _money(amount: float | None) -> str:
    return "–" if amount is None else f"{amount:.4f}"
