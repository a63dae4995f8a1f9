"""How long from a key press to the painted result? The studio in headless Chromium, as a person would use it.

    python benchmarks/studio.py [--rows 100000]

The project is that of `watch.py`: news-like texts of 36 words, 14 labelers. `shortlist studio` runs in a process of its
own, Chromium in another; both on this machine. A time is from the event in the browser (a key press, a click) to the
second animation frame after the answer is in the page, taken by the page itself (`performance.measure`). Beside it
stands the processor time that the server took (of all its threads; Linux only), which other work on the machine does
not go into. Medians of the rounds.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
from watch import LABELERS, TOML, processor, texts

FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]


def make(folder: Path, m: int) -> None:
    rows, gold = texts(m, None)
    known = [label if a % 50 == 0 else None for a, label in enumerate(gold)]
    pl.DataFrame({"id": range(m), "text": rows, "label": known}).write_parquet(folder / "news.parquet")
    (folder / "shortlist.toml").write_text(TOML)
    (folder / "labelers.py").write_text(LABELERS)


class Page:
    """The page, and the server behind it."""

    def __init__(self, page: Any, server: subprocess.Popen[str]) -> None:
        self.page, self.server = page, server

    def timings(self, name: str) -> list[float]:
        found: list[float] = self.page.evaluate(
            "name => performance.getEntriesByName(name).map((one) => one.duration)", f"studio:{name}"
        )
        return found

    def timed(self, name: str, do: Callable[[], Any]) -> tuple[float, float]:
        """Do something, wait until it is painted: (milliseconds, seconds of processor time)."""
        before, busy = len(self.timings(name)), processor(self.server.pid)
        do()
        while len(self.timings(name)) <= before:
            self.page.wait_for_timeout(20)
        return self.timings(name)[-1], processor(self.server.pid) - busy

    def go(self, view: str, wait: str) -> None:
        self.page.evaluate("hash => { location.hash = hash; }", view)
        self.page.wait_for_selector(wait)


def measure(page: Page) -> dict[str, list[tuple[float, float]]]:
    """Every activity, round after round; no rule and no word is repeated, so that nothing is known already."""
    took: dict[str, list[tuple[float, float]]] = {}
    chromium = page.page

    def note(what: str, name: str, do: Callable[[], Any]) -> None:
        time.sleep(1.0)  # what follows an answer, such as the figures of the overview, is over
        took.setdefault(what, []).append(page.timed(name, do))
        print(f"  {what:<32} {took[what][-1][0]:7.0f} ms, {took[what][-1][1]:5.2f} s at work", flush=True)

    for turn, word in enumerate(["goal", "oil", "chip", "web", "cup"]):
        page.go("rows", ".line")
        note(
            "search in the text",
            "rows",
            lambda word=word: chromium.locator("#search").fill(word),
        )
        chromium.locator("#search").fill("")
        page.go("rules", ".rulelist")
        page.go("rules/+", "#keep")
        chromium.locator(".pickclass").nth(turn % 4).click()
        chromium.locator("#words").fill(["stocks", "parliament", "server", "merger", "playoff"][turn])
        chromium.wait_for_selector("#effect")
        time.sleep(8.0)  # the sample of trial fits is read once
        note("one key in a rule: its matches", "preview", lambda: chromium.locator("#words").press("s"))
        note("one key in a rule: its effect", "effect", lambda: chromium.locator("#words").press("t"))
        note("keep the rule", "keep", lambda: chromium.locator("#keep").click())
        page.go("label", "#asked")
        note("label a row", "label", lambda: chromium.keyboard.press("1"))
        page.go("overview", "#table-labelers")
        note("switch a labeler", "switch", lambda: chromium.get_by_label("Use power").click())
    return took


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=100_000)
    options = parser.parse_args()
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as home, sync_playwright() as playwright:
        make(Path(home), options.rows)
        start = time.perf_counter()
        command = [sys.executable, "-u", "-m", "shortlist", "studio", home, "--no-browser"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
            assert server.stdout is not None
            address = next(found[0] for line in server.stdout if (found := re.search(r"http://\S+", line)))
            browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
            chromium = browser.new_page(viewport={"width": 1280, "height": 720})
            chromium.set_default_timeout(600_000)
            chromium.goto(address)
            chromium.wait_for_selector("#table-labelers")
            took = time.perf_counter() - start
            print(f"{options.rows:,} rows, 14 labelers: open after {took:.1f} s, votes and fit included")
            time.sleep(5.0)
            measured = measure(Page(chromium, server))
            browser.close()
            server.terminate()
    load = f"load average {os.getloadavg()[0]:.0f}, {os.cpu_count()} cores"
    print(
        f"\n| {options.rows:,} rows ({load}) | key press to paint, ms | processor of the server, s |\n|---|---:|---:|"
    )
    for what, times in measured.items():
        wall, busy = (statistics.median(column) for column in zip(*times, strict=True))
        print(f"| {what} | {wall:.0f} | {busy:.2f} |")


if __name__ == "__main__":
    main()
