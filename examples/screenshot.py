"""The top of a report as a picture: `python -m examples.screenshot shortlist-demo/report.html docs/_assets/report.png`.

Needs playwright (in the extra `dev`) and a Chromium on the path. What is below the tables shows rows, and is left out.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path


def take(page: Path, picture: Path, *, width: int = 1060, height: int = 1500) -> None:
    """Open a page and keep its first `height` pixels."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        tab = browser.new_page(viewport={"width": width, "height": height})
        tab.goto(page.resolve().as_uri())
        tab.screenshot(path=picture)
        browser.close()


if __name__ == "__main__":
    take(Path(sys.argv[1]), Path(sys.argv[2]))
