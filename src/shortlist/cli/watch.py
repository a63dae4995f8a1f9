"""`shortlist watch`: what an edit changed, as soon as it is saved."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from shortlist.cli.exits import MISTAKE
from shortlist.cli.screen import Screen
from shortlist.errors import ShortlistError
from shortlist.project.change import Change, Snapshot
from shortlist.project.watch import Watch
from shortlist.wording import NOT_KNOWN, number_of, some_of

EXAMPLES = 3
LONGEST = 100  # characters of an example
MOST = 6  # kinds of flips


def watch_project(folder: Path, *, once: bool, as_json: bool, debug: bool) -> None:
    """Look, tell, wait for an edit; for ever, or until the first edit was told."""
    screen = Screen(as_json=as_json)
    with screen.working():
        watch = Watch(folder)
        watch.look(screen)
    assert watch.last is not None
    first(screen, watch.last, watch.failed)
    _keep(watch)
    while True:
        watch.wait()
        told = tell(screen, watch, debug)
        if once:
            if not told:
                raise SystemExit(MISTAKE)
            return
        if told:
            _keep(watch)


def tell(screen: Screen, watch: Watch, debug: bool) -> bool:
    """Look again and show what changed; a mistake is shown, and waits to be mended."""
    start = time.perf_counter()
    try:
        change = watch.look(screen)
    except ShortlistError as error:
        if debug:
            raise
        screen.mistake(error)
        return False
    took = time.perf_counter() - start
    assert change is not None
    show(screen, watch, change, took)
    screen.json({**change.to_dict(), "failed": watch.failed, "seconds": round(took, 3)})
    return True


def _keep(watch: Watch) -> None:
    """Bring the files up to date, once the user has seen the answer."""
    watch.project.run(["fit"])


def first(screen: Screen, now: Snapshot, failed: Sequence[str] = ()) -> None:
    rows = [[name, f"{value:.1%}"] for name, value in now.totals.items()]
    title = f"{number_of(len(now.labels), 'row')}, {number_of(len(now.fingerprints), 'labeler')}"
    screen.table(title, ["", "now"], rows)
    failing(screen, failed)
    screen.text("watching; Ctrl-C ends it")
    figures = {"rows": len(now.labels), "labelers": len(now.fingerprints), "totals": now.totals}
    screen.json({**figures, "failed": list(failed)})


def failing(screen: Screen, failed: Sequence[str]) -> None:
    """Labelers that fail now: told after each edit, for as long as they do."""
    for note in failed:
        screen.text(f"! {note}")


def show(screen: Screen, watch: Watch, change: Change, took: float) -> None:
    edits = change.edits
    what = some_of(f"{name} {how}" for name, how in edits.items()) or "no labeler changed"
    screen.text(f"\n{time.strftime('%H:%M:%S')}  {what} ({took:.2f} s)")
    screen.table(None, ["", "before", "now", "change"], [_total(name, change) for name in change.after.totals])
    if edits:
        figures = list(change.figures(next(iter(edits))))
        rows = [[name, *_steps(change.figures(name))] for name in list(edits)[:20]]
        screen.table(None, ["labeler", *(figure.replace("_accuracy", "") for figure in figures)], rows)
    failing(screen, watch.failed)
    if not change.same_rows:
        screen.text("the rows or the classes are others now: labels are not compared")
        return
    flipped = change.flipped
    screen.text(
        f"{len(flipped):,} of {len(change.after.labels):,} rows {'has' if len(flipped) == 1 else 'have'} another label"
    )
    if len(flipped):
        rows = [[old, f"→ {new}", f"{count:,}"] for old, new, count in change.flips()[:MOST]]
        screen.table(None, ["before", "now", "rows"], rows)
        examples(screen, watch, change)


def examples(screen: Screen, watch: Watch, change: Change) -> None:
    """Some rows whose label flipped, spread over all that did."""
    flipped = change.flipped
    chosen = [int(flipped[len(flipped) * e // EXAMPLES]) for e in range(min(EXAMPLES, len(flipped)))]
    texts, names = watch.texts(chosen), watch.names(chosen)
    for row in dict.fromkeys(chosen):
        text = " ".join(texts.get(row, "").split())
        cut = text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
        screen.text(f"  {names[row]}: {change.label(change.before, row)} → {change.label(change.after, row)}: {cut}")


def _total(name: str, change: Change) -> list[str]:
    old, new = change.before.totals.get(name), change.after.totals[name]
    if old is None:
        return [name, "–", f"{new:.1%}", ""]
    return [name, f"{old:.1%}", f"{new:.1%}", f"{100 * (new - old):+.1f}"]


def _steps(figures: dict[str, tuple[float | None, float | None]]) -> Iterator[str]:
    """Each figure of a labeler before and now. One that is there without an accuracy has one that votes cannot tell."""
    there = [value is not None for value in figures["coverage"]]
    for figure, values in figures.items():
        none = [NOT_KNOWN if figure == "accuracy" and here else "–" for here in there]
        shown = [gap if value is None else f"{value:.1%}" for value, gap in zip(values, none, strict=True)]
        yield NOT_KNOWN if shown == [NOT_KNOWN] * 2 else " → ".join(shown)
