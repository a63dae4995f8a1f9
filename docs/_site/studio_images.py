"""Pictures of the studio on made-up news: `python docs/_site/studio_images.py` writes those of the README.

With a folder as argument, every view is written there, light and dark, to be looked at.
"""

from __future__ import annotations

import json
import random
import shutil
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any

import polars as pl

from shortlist.studio import OpenProject
from shortlist.studio.server import Server

IMAGES = Path(__file__).parent.parent / "images"
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
README = ("rules", "rows")  # the views that the README shows


# Sentences made up for these pictures: somebody, something that happens, a place or a time.
MADE_UP = {
    "business": (
        "The bank, A shoe company, The oil firm, An airline, The car maker",
        "raised its profit forecast, cut prices after weak sales, sold shares to its rivals, lost customers",
        "in the last quarter, as the dollar fell, after a merger, despite higher taxes",
    ),
    "politics": (
        "The minister, The president, An opposition leader, The mayor, Parliament",
        "promised lower taxes, lost a vote on the budget, opened the election campaign, defended the new law",
        "before the election, in a long debate, after weeks of talks, against party rivals",
    ),
    "sports": (
        "The captain, A young striker, The home team, The champion, The coach",
        "won the final match, scored a late goal, lost a game to old rivals, set a record",
        "in front of the fans, after extra time, on the last day of the season, in the cup",
    ),
    "tech": (
        "A software company, The phone maker, A games studio, Researchers, The search firm",
        "released a music player, fixed a flaw in its browser, sold a million digital films, showed a fast chip",
        "at a fair in spring, for mobile phones, with online video, before its rivals",
    ),
    "entertainment": (
        "The singer, A film star, The band, A television host, The director",
        "won two awards, announced a new album, opened the music festival, finished a digital film",
        "after a record tour, in front of fans, on the last day of the festival, despite poor sales",
    ),
}
RULES = {
    "power": (["president", "minister", "taxes", "law"], ["business", "politics"]),
    "company": (["company", "firm", "sales", "customers"], ["business", "tech"]),
    "stardom": (["star", "fans", "award", "awards", "record"], ["entertainment", "sports"]),
    "contest": (["rivals", "lost", "campaign", "final"], ["politics", "sports"]),
    "play": (["game", "games", "player"], ["sports", "tech"]),
    "screen": (["digital", "video", "television", "browser"], ["entertainment", "tech"]),
    "money": (["profit", "prices", "shares", "dollar"], ["business"]),
}


def make(folder: Path) -> None:
    """A project of made-up news. The class of every tenth row is known."""
    folder.mkdir()
    draw = random.Random(0)
    lines = []
    for a in range(3000):
        topic = draw.choice(list(MADE_UP))
        text = " ".join(draw.choice(part.split(", ")) for part in MADE_UP[topic]) + "."
        lines.append((f"news-{a:04}", text, topic if a % 10 == 0 else None))
    pl.DataFrame(lines, schema=["id", "text", "topic"], orient="row").write_csv(folder / "news.csv")
    head = f'version = 1\nclasses = {json.dumps(list(MADE_UP))}\n\n[data]\nfiles = ["news.csv"]\n'
    rules = "".join(
        f'\n[[labeler]]\nkind = "keywords"\nname = "{name}"\nwords = {json.dumps(words)}\n'
        f"says = {json.dumps(says)}\nno = {{ not = {json.dumps(says)} }}\n"
        for name, (words, says) in RULES.items()
    )
    (folder / "shortlist.toml").write_text(f'{head}text = "text"\nid = "id"\ngold = "topic"\n{rules}', "utf-8")
    (folder / "labelers.py").write_text(CODE, "utf-8")


CODE = '''"""Rules that are more than words."""

from shortlist import Not, labeler


@labeler(says=["sports", Not("sports")])
def season(text):
    """Only sport has seasons, cups and extra time."""
    return "sports" if any(word in text for word in ("season", " cup", "extra time")) else Not("sports")
'''


def rule(page: Any) -> None:
    page.get_by_text("Keywords", exact=True).click()
    for name in ("entertainment", "tech"):
        page.locator(".pickclass", has_text=name).click()
    page.locator("#words").fill("film\nmusic\nalbum\nphones")
    for shown in ("#effect", "#gain:not([aria-busy=true])", ".suggested:not([aria-busy=true])"):
        page.wait_for_selector(shown, timeout=120_000)


def row(page: Any) -> None:
    page.locator("#search").fill("music")
    page.keyboard.press("Escape")
    page.wait_for_timeout(1500)
    page.locator(".line").nth(2).click()
    page.wait_for_selector("table.why")


def several(page: Any) -> None:
    page.keyboard.press("m")
    page.keyboard.press("1")
    page.keyboard.press("3")


VIEWS: dict[str, tuple[str, str, Any]] = {
    "overview": ("overview", ".todo li", None),
    "rows": ("rows", ".line", row),
    "rules": ("rules/+", "#keep", rule),
    "code": ("rules/season", ".source", None),
    "label": ("label", "#asked", several),
    "compare": ("compare", "#export", None),
}


def pictures(browser: Any, folder: Path, scheme: str, to: Path, names: tuple[str, ...], ending: str) -> None:
    server = Server(OpenProject(folder))
    threading.Thread(target=server.run, daemon=True).start()
    context = browser.new_context(viewport={"width": 1280, "height": 800}, color_scheme=scheme)
    page = context.new_page()
    page.goto(server.address)
    page.wait_for_selector("#table-labelers")
    for name in names:
        view, wait, prepare = VIEWS[name]
        page.evaluate("hash => { location.hash = hash; }", view)
        page.wait_for_selector(wait)
        if prepare is not None:
            prepare(page)
        page.wait_for_timeout(800)
        page.screenshot(path=to / f"studio-{name}{ending}.png")
    context.close()
    server.stop()


def main() -> None:
    from playwright.sync_api import sync_playwright

    everything = Path(sys.argv[1]) if len(sys.argv) > 1 else None
    with tempfile.TemporaryDirectory() as home, sync_playwright() as playwright:
        folder = Path(home) / "news"
        make(folder)
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        if everything is None:
            pictures(browser, folder, "light", IMAGES, README, "")
        else:
            everything.mkdir(parents=True, exist_ok=True)
            for scheme in ("light", "dark"):
                pictures(browser, folder, scheme, everything, tuple(VIEWS), f"-{scheme}")
        browser.close()


if __name__ == "__main__":
    main()
