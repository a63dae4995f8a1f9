"""Chromium on a running studio; whatever the browser complains of is kept."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from tests.studio.running import Running

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync",
]  # fmt: skip


@contextmanager
def chromium() -> Iterator[Any]:
    """The browser. Skipped where there is none, but never in CI."""
    if CHROMIUM is None and not os.environ.get("SHORTLIST_CI"):
        pytest.skip("install chromium to open the studio in it")
    assert CHROMIUM, "CI opens the studio in a real browser: chromium is not installed"
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS, headless=True)
        try:
            yield found
        finally:
            found.close()


class Person:
    """Somebody at the page. `complaints` are errors of the console, and requests to anywhere else."""

    def __init__(self, browser: Any, studio: Running, **options: Any) -> None:
        self.studio, self.complaints = studio, []
        self.context = browser.new_context(**{"viewport": {"width": 1280, "height": 720}, **options})
        self.page = self.context.new_page()
        self.page.set_default_timeout(60_000)
        self.page.on("console", lambda message: message.type in ("error", "warning") and self._complain(message.text))
        self.page.on("pageerror", lambda error: self._complain(str(error)))
        self.page.on("request", lambda request: self._elsewhere(request.url))
        self.page.goto(studio.address)
        self.page.wait_for_selector("header nav a, form", timeout=180_000)

    def _complain(self, text: str) -> None:
        self.complaints.append(text)

    def _elsewhere(self, url: str) -> None:
        if not url.startswith((f"http://{self.studio.host}/", "data:")):
            self._complain(f"asked for {url}")

    def go(self, view: str, wait: str = "main") -> None:
        self.page.evaluate("hash => { location.hash = hash; }", view)
        self.page.wait_for_selector(wait)

    def timings(self, name: str) -> list[float]:
        """From what was done to what was painted, in milliseconds."""
        found = self.page.evaluate(
            "name => performance.getEntriesByName(name).map((one) => one.duration)", f"studio:{name}"
        )
        return [float(one) for one in found]

    def timed(self, name: str, do: Any, seconds: float = 60.0) -> float:
        """Do something, and wait until it is painted."""
        before = len(self.timings(name))
        do()
        self.until(
            "([name, before]) => performance.getEntriesByName(name).length > before",
            [f"studio:{name}", before],
            seconds,
        )
        return self.timings(name)[-1]

    def until(self, true: str, given: Any = None, seconds: float = 60.0) -> None:
        """Wait until an expression of the page is true. (Playwright's own way needs `eval`, which the page forbids.)"""
        end = time.monotonic() + seconds
        while not self.page.evaluate(true, given):
            assert time.monotonic() < end, true
            self.page.wait_for_timeout(30)

    def write_rule(self, words: str, classes: list[str], *, two_sided: bool = False, pattern: bool = False) -> None:
        """Type a new rule, look at what it does, keep it."""
        page = self.page
        self.go("rules", ".rulelist")
        self.go("rules/+", "#keep")
        if pattern:
            page.get_by_text("Pattern", exact=True).click()
        for name in classes:
            page.locator(".pickclass", has_text=name).first.click()
        if two_sided:
            page.get_by_label("vote for the opposite if nothing matches").check()
        self.timed("preview", lambda: page.locator("#regex" if pattern else "#words").fill(words))
        page.wait_for_selector("#effect")
        self.timed("keep", lambda: page.locator("#keep").click())

    def close(self) -> None:
        self.context.close()
