"""`shortlist show` and `shortlist why`: rows on a screen, and why one has its label."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from rich.text import Text

from shortlist.browse import Query, Shown, Why, find_row, select, show_rows, why
from shortlist.browse.selection import NO_GOLD
from shortlist.cli.screen import Screen
from shortlist.errors import ShortlistError
from shortlist.labelers.text import Piece
from shortlist.project import Project
from shortlist.project.session import Session
from shortlist.wording import number_of

LONGEST = 480  # characters of a text
BEFORE = 60  # characters that are shown before the first match
TOP = 3  # classes
SUSPECTS = 20  # rows
SEEN = (
    "use_gold is on: the model was fitted with these labels, so it gets fewer of them wrong than of other rows. "
    "For a fair list, write use_gold = false"
)


def show(folder: Path, query: Query, *, limit: int, as_json: bool) -> None:
    """The rows that a query asks for."""
    screen = Screen(as_json=as_json)
    session = opened(folder, screen)
    found = select(session, query)
    rows = show_rows(session, found[:limit], query.labeler)
    if query.wrong and query.labeler is None and session.settings.gold_fits:
        screen.note(SEEN)
    for row in rows:
        screen.print(*lines(row, plain=not screen.out.is_terminal), "")
    more = f"; `--limit {min(10 * limit, len(found))}` shows more" if len(found) > len(rows) else ""
    screen.text(f"{len(rows):,} of {number_of(len(found), 'row')}{more}" if len(found) else "no row is like that")
    screen.json({"found": len(found), "rows": [row.to_dict() for row in rows]})


def show_why(folder: Path, name: str, against: str | None, *, as_json: bool) -> None:
    """Why a row has its label."""
    screen = Screen(as_json=as_json)
    session = opened(folder, screen)
    found = why(session, find_row(session, name), against)
    screen.print(*lines(found.row, plain=not screen.out.is_terminal), "")
    _moves(screen, found)
    screen.json(found.to_dict())


def show_suspects(folder: Path, *, as_json: bool) -> None:
    """Gold labels that are probably wrong, the most suspicious first."""
    screen = Screen(as_json=as_json)
    session = opened(folder, screen)
    if session.gold is None:
        raise ShortlistError(NO_GOLD)
    table = session.analysis.suspects()
    rows = show_rows(session, table["row"][:SUSPECTS].to_numpy())
    for row, line in zip(rows, table.iter_rows(named=True), strict=False):
        screen.print(*lines(row, plain=not screen.out.is_terminal))
        screen.text(
            f"{line['belief']:.0%} is believed in {line['gold']}, {line['class_belief']:.0%} in {line['class']}\n"
        )
    known = sum(name is not None for name in session.gold)
    more = f" (the first {len(rows)} are shown)" if len(table) > len(rows) else ""
    are = "is" if len(table) == 1 else "are"
    screen.text(
        f"{len(table):,} of {known:,} gold labels {are} probably wrong{more}; `shortlist label ROW` corrects one"
    )
    screen.json({"known": known, "suspected": len(table), "rows": table.to_dicts()})


def opened(folder: Path, screen: Screen) -> Session:
    """The project with votes and model up to date."""
    project = Project(folder)
    with screen.working():
        outcomes = project.run(["fit"], listener=screen)
    screen.notes([one for one in outcomes if one.status == "done"])
    return project.session


def lines(row: Shown, *, plain: bool) -> Sequence[Text]:
    """A row in three lines: what it is believed and known to be, its text, and who says what."""
    ranked = [f"{name} {belief:.0%}" for name, belief in list(row.beliefs.items())[:TOP] if belief >= 0.005]
    head = Text.assemble((row.name, "bold"), f"  {', '.join(ranked) if row.label else 'no votes'}")
    if row.known:
        style = "green" if row.label in row.known else "red"
        head.append(f"  known: {' or '.join(row.known)}", style)
    said = "; ".join(f"{name}: {classes[0] if len(classes) == 1 else '{' + ', '.join(classes) + '}'}"
                     for name, classes in row.votes.items())  # fmt: skip
    return [head, marked(row, plain=plain), Text(said or "no labeler votes", "dim")]


def bare_lines(row: Shown) -> Sequence[Text]:
    """A row without what rules and model say of it: its name and its text, in which no words are marked."""
    plain = replace(row, pieces=tuple(Piece(piece.text) for piece in row.pieces))
    return [Text(row.name, "bold"), marked(plain, plain=True)]


def marked(row: Shown, *, plain: bool) -> Text:
    """The text, with matched words in bold, or in a pipe between [[ and ]]; long texts from shortly before a match."""
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
    return _cut(text, row)


def _cut(text: Text, row: Shown) -> Text:
    if len(text) <= LONGEST:
        return text
    first = next((place for place, piece in enumerate(row.pieces) if piece.labelers), 0)
    ahead = sum(len(piece.text) for piece in row.pieces[:first])
    start = max(0, min(ahead - BEFORE, len(text) - LONGEST))
    shown = text[start : start + LONGEST]
    whole = start == 0, start + LONGEST >= len(text)
    return Text.assemble("" if whole[0] else "…", shown, "" if whole[1] else "…")


def _moves(screen: Screen, found: Why) -> None:
    title = f"{found.of} against {found.against}, in log-odds: above 0 speaks for {found.of}"
    rows = [["before any vote", "class balance", f"{found.start:+.2f}"]]
    rows += [[name, says, f"{added:+.2f}"] for name, says, added in found.moves]
    screen.table(title, ["labeler", "says", "added"], [*rows, ["together", "", f"{found.log_odds:+.2f}"]])
