"""Make search work on pages that are opened from disk: `make docs` runs it after the build.

A page on disk may neither fetch search.json nor start a worker. So the index becomes a script, search.js, which the
theme looks for there, and worker.js comes before the theme's own script.
"""

import sys
from pathlib import Path

HERE = Path(__file__).parent
BUNDLE = "assets/javascripts/bundle"


def main(site: Path) -> None:
    index = (site / "search.json").read_text("utf-8")
    (site / "search.js").write_text(f"var __index = {index}", "utf-8")
    (site / "assets" / "worker.js").write_text((HERE / "worker.js").read_text("utf-8"), "utf-8")
    for page in site.rglob("*.html"):
        page.write_text(with_worker(page.read_text("utf-8")), "utf-8")


def with_worker(page: str) -> str:
    """The page with one script more, right before that of the theme."""
    before, theme, after = page.partition(BUNDLE)
    if not theme or "assets/worker.js" in page:
        return page
    start = before.rindex("<script")
    home = before[start:].partition('src="')[2]  # the way from the page to the site's folder: "../"
    return f'{before[:start]}<script src="{home}assets/worker.js"></script>{before[start:]}{theme}{after}'


if __name__ == "__main__":
    main(Path(sys.argv[1]))
