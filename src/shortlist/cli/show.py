"""Rows and changes on a screen: `shortlist show`, `why`, `check --gold` and `watch`."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from rich.text import Text

from shortlist.browse import Query, RowView, final_beliefs, find_row, select, show_rows, why
from shortlist.browse.query import NO_GOLD
from shortlist.cli.commands import fitted_session
from shortlist.cli.screen import Screen
from shortlist.errors import ShortlistError
from shortlist.labelers.text_search import Piece
from shortlist.project.changes import Change, Snapshot
from shortlist.project.session import Session
from shortlist.project.watch import Watch
from shortlist.wording import NOT_KNOWN, number_of, shown_shortlist, some_of


def show_matches(folder: Path, query: Query, *, limit: int, as_json: bool) -> None:
    """Print the rows that match a query."""
    screen = Screen(as_json=as_json)
    session = fitted_session(folder, screen)
    matches = select(session, query)
    rows = show_rows(session, matches[:limit], query.labeler)
    if query.wrong and query.labeler is None and session.settings.gold_fits and not any(row.final for row in rows):
        screen.note(
            "use_gold is on: the model was fitted with these labels, so it gets fewer of them wrong than of other "
            "rows. For a fair list, set use_gold = false"
        )
    for row in rows:
        screen.print(*row_lines(row, plain=not screen.out.is_terminal), "")
    more = f"; `--limit {min(10 * limit, len(matches))}` shows more" if len(matches) > len(rows) else ""
    screen.text(f"{len(rows):,} of {number_of(len(matches), 'row')}{more}" if len(matches) else "no row matches")
    screen.json({"found": len(matches), "rows": [row.to_dict() for row in rows]})


def show_why(folder: Path, name: str, against: str | None, *, as_json: bool) -> None:
    """Print how much each labeler added to the belief in a row's label."""
    screen = Screen(as_json=as_json)
    session = fitted_session(folder, screen)
    reasons = why(session, find_row(session, name), against)
    screen.print(*row_lines(reasons.row, plain=not screen.out.is_terminal), "")
    title = f"By votes alone: {reasons.of} against {reasons.against}, in log-odds (above 0: for {reasons.of})"
    rows = [["before any vote", "class balance", f"{reasons.start:+.2f}"]]
    rows += [[labeler, says, f"{added:+.2f}"] for labeler, says, added in reasons.moves]
    if reasons.row.label is None and session.has("train"):
        screen.text("Without a vote, its label comes from its text or columns alone.")
    else:
        screen.table(title, ["labeler", "says", "added"], [*rows, ["total", "", f"{reasons.log_odds:+.2f}"]])
    screen.json(reasons.to_dict())


def show_suspects(folder: Path, *, as_json: bool, limit: int = 20) -> None:
    """Print gold labels that look wrong, most suspicious first: by votes and text after a run, else by votes."""
    screen = Screen(as_json=as_json)
    session = fitted_session(folder, screen)
    if session.gold is None:
        raise ShortlistError(NO_GOLD)
    learned, final, _ = final_beliefs(session)
    beliefs = session.analysis.beliefs.copy()
    beliefs[learned] = final
    table = session.analysis.suspects(beliefs if len(learned) else None)
    rows = show_rows(session, table["row"][:limit].to_numpy())
    for row, line in zip(rows, table.iter_rows(named=True), strict=False):
        screen.print(*row_lines(row, plain=not screen.out.is_terminal))
        screen.text(f"belief: {line['gold']} {line['belief']:.0%}, {line['class']} {line['class_belief']:.0%}\n")
    known = sum(name is not None for name in session.gold)
    more = f" (the first {len(rows)} are shown)" if len(table) > len(rows) else ""
    look, by = "looks" if len(table) == 1 else "look", "votes and text" if len(learned) else "votes"
    hint = ". Read them; to correct one: `shortlist label ROW`" if len(table) else ""
    screen.text(f"{len(table):,} of {known:,} gold labels {look} wrong by {by}{more}{hint}")
    screen.json({"known": known, "suspected": len(table), "rows": table.to_dicts()})


# -- a row ---------------------------------------------------------------------------------------------


def row_lines(row: RowView, *, plain: bool) -> Sequence[Text]:
    """A row in three lines: its label, beliefs by votes and known class; its text; and its votes."""
    ranked = [f"{name} {belief:.0%}" for name, belief in list(row.beliefs.items())[:3] if belief >= 0.005]
    by_votes, label = ", ".join(ranked) if row.label else "no votes", row.label
    if row.final:
        label = row.final[0]
        by_votes = f"{label} {row.final[1]:.0%} ({'by votes alone: ' * bool(row.label)}{by_votes})"
    head = Text.assemble((row.name, "bold"), f"  {by_votes}")
    if row.known:
        head.append(f"  known: {' or '.join(row.known)}", "green" if label in row.known else "red")
    others = {name: [one for one in row.beliefs if one not in said] for name, said in row.votes.items()}
    votes = "; ".join(f"{name}: {shown_shortlist(said, others[name])}" for name, said in row.votes.items())
    return [head, marked_text(row, plain=plain), Text(votes or "no labeler votes", "dim")]


def bare_lines(row: RowView) -> Sequence[Text]:
    """A row without beliefs, votes and marks: its name and its text."""
    unmarked = replace(row, pieces=tuple(Piece(piece.text) for piece in row.pieces))
    return [Text(row.name, "bold"), marked_text(unmarked, plain=True)]


def marked_text(row: RowView, *, plain: bool) -> Text:
    """The text with matches in bold, or in [[ ]] if plain."""
    if not row.pieces:
        return Text("; ".join(f"{name}: {value}" for name, value in row.fields.items()))
    text = Text()
    for piece in row.pieces:
        words = " ".join(piece.text.split()) if piece.text.strip() else " "
        words = (" " * piece.text[:1].isspace() + words + " " * piece.text[-1:].isspace()) if words != " " else words
        if piece.labelers:
            text.append(f"[[{words}]]" if plain else words, "bold underline")
        else:
            text.append(words)
    return _truncated(text, row)


def _truncated(text: Text, row: RowView, longest: int = 480, before: int = 60) -> Text:
    """At most `longest` characters, from shortly before the first match."""
    if len(text) <= longest:
        return text
    first = next((place for place, piece in enumerate(row.pieces) if piece.labelers), 0)
    ahead = sum(len(piece.text) for piece in row.pieces[:first])
    start = max(0, min(ahead - before, len(text) - longest))
    cut = text[start : start + longest]
    return Text.assemble("…" if start else "", cut, "…" if start + longest < len(text) else "")


# -- watch ---------------------------------------------------------------------------------------------


def watch_project(folder: Path, *, once: bool, as_json: bool, debug: bool) -> None:
    """Show the effect of each edit, until Ctrl-C, or once."""
    screen = Screen(as_json=as_json)
    with screen.working():
        watch = Watch(folder)
        watch.look(screen)
    assert watch.last is not None
    show_first(screen, watch.last, watch.failed)
    watch.project.run(["fit"])  # write the files, once the user has seen the result
    while True:
        watch.wait()
        succeeded = show_edit(screen, watch, debug)
        if once:
            if not succeeded:
                raise SystemExit(3)
            return
        if succeeded:
            watch.project.run(["fit"])


def show_first(screen: Screen, now: Snapshot, failed: Sequence[str] = ()) -> None:
    """Print the state of the project when the watch begins."""
    title = f"{number_of(len(now.labels), 'row')}, {number_of(len(now.fingerprints), 'labeler')}"
    screen.table(title, ["", "now"], [[name, f"{value:.1%}"] for name, value in now.totals.items()])
    _show_failed(screen, failed)
    screen.text("watching; press Ctrl-C to stop")
    screen.json({"rows": len(now.labels), "labelers": len(now.fingerprints), "totals": now.totals,
                 "failed": list(failed)})  # fmt: skip


def show_edit(screen: Screen, watch: Watch, debug: bool) -> bool:
    """Vote and fit after an edit, and print what changed. Return False, and print the error, if that fails."""
    start = time.perf_counter()
    try:
        change = watch.look(screen)
    except ShortlistError as error:
        if debug:
            raise
        screen.error(error)
        return False
    seconds = time.perf_counter() - start
    assert change is not None
    _show_change(screen, watch, change, seconds)
    screen.json({**change.to_dict(), "failed": watch.failed, "seconds": round(seconds, 3)})
    return True


def _show_change(screen: Screen, watch: Watch, change: Change, seconds: float) -> None:
    edits = change.edits
    what = some_of(f"{name} {how}" for name, how in edits.items()) or "no labeler changed"
    screen.text(f"\n{time.strftime('%H:%M:%S')}  {what} ({seconds:.2f} s)")
    screen.table(None, ["", "before", "now", "change"], [_total(name, change) for name in change.after.totals])
    if edits:
        figures = list(change.figures(next(iter(edits))))
        rows = [[name, *_steps(change.figures(name))] for name in list(edits)[:20]]
        screen.table(None, ["labeler", *(figure.replace("_accuracy", "") for figure in figures)], rows)
    _show_failed(screen, watch.failed)
    if not change.same_rows:
        screen.text("the rows or the classes changed: labels are not compared")
        return
    flipped = len(change.flipped)
    screen.text(f"{flipped:,} of {len(change.after.labels):,} rows changed their label by votes")
    if flipped and watch.session is not None:
        rows = [[old, f"→ {new}", f"{count:,}"] for old, new, count in change.flips()[:6]]
        screen.table(None, ["before", "now", "rows"], rows)
        _show_examples(screen, watch.session, change)


def _show_failed(screen: Screen, failed: Sequence[str]) -> None:
    for note in failed:
        screen.text(f"! {note}")


def _show_examples(screen: Screen, session: Session, change: Change, longest: int = 100) -> None:
    """Print three of the rows that changed their label."""
    from shortlist.reporting.trials import evenly_spaced  # imports scikit-learn, which `show` does not need

    for view in show_rows(session, evenly_spaced(change.flipped, 3)):
        text = " ".join((view.text or str(view.fields)).split())
        cut = text if len(text) <= longest else text[: longest - 1] + "…"
        labels = f"{change.label(change.before, view.row)} → {change.label(change.after, view.row)}"
        screen.text(f"  {view.name}: {labels}: {cut}")


def _total(name: str, change: Change) -> list[str]:
    old, new = change.before.totals.get(name), change.after.totals[name]
    if old is None:
        return [name, "–", f"{new:.1%}", ""]
    return [name, f"{old:.1%}", f"{new:.1%}", f"{100 * (new - old):+.1f}"]


def _steps(figures: dict[str, tuple[float | None, float | None]]) -> Iterator[str]:
    """Each figure before and now. A labeler with a coverage but no accuracy has one that votes cannot determine."""
    there = [value is not None for value in figures["coverage"]]
    for figure, values in figures.items():
        none = [NOT_KNOWN if figure == "accuracy" and here else "–" for here in there]
        shown = [gap if value is None else f"{value:.1%}" for value, gap in zip(values, none, strict=True)]
        yield NOT_KNOWN if shown == [NOT_KNOWN] * 2 else " → ".join(shown)
