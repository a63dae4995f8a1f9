"""Large projects in a real browser: 100,000 rows are worked on, 1,000,000 are opened, searched and scrolled through."""

import polars as pl
import pytest

from tests.project.news import LABELERS, TOML, rows
from tests.studio.browsing import Person, chromium
from tests.studio.running import running

pytestmark = pytest.mark.slow


def make(folder, m, labelers):
    """Some thousand different rows, as often as it takes, each with an id of its own."""
    some = rows(5_000)
    table = pl.concat([some] * (m // len(some))).with_columns(id=pl.int_range(m))
    table.write_parquet(folder / "news.parquet")
    (folder / "shortlist.toml").write_text(TOML.replace("news.csv", "news.parquet"))
    if labelers:
        (folder / "labelers.py").write_text(labelers)
    return folder


def test_the_loop_on_100_000_rows(tmp_path, capsys):
    with running(make(tmp_path, 100_000, LABELERS)) as studio, chromium() as browser:
        person = Person(browser, studio)
        page = person.page
        person.go("rows", ".line")
        person.timed("rows", lambda: page.locator("#search").fill("president"))
        person.until("document.getElementById('found').innerText !== '100,000 rows'")
        person.write_rule("team", ["sports"], two_sided=True)
        person.go("label", "#asked")
        person.timed("label", lambda: page.keyboard.press("1"))
        person.go("overview", "#table-labelers")
        person.timed("switch", lambda: page.get_by_label("Use polls").click())
        person.go("compare", "#flipped")
        with capsys.disabled():
            for name in ("rows", "preview", "keep", "label", "switch"):
                print(f"\nkey press to paint, {name}: {person.timings(name)[-1]:.0f} ms", end="")
        complaints = person.complaints
        person.close()
    assert not complaints
    assert 'name = "team"' in (tmp_path / "shortlist.toml").read_text()


def test_1_000_000_rows_are_opened_searched_and_scrolled_through(tmp_path):
    with running(make(tmp_path, 1_000_000, None)) as studio, chromium() as browser:
        person = Person(browser, studio)
        page = person.page
        page.wait_for_selector(".tiles >> text=1,000,000")
        person.go("rows", ".line")
        assert page.locator("#found").inner_text() == "1,000,000 rows"
        assert page.locator(".line").count() < 40  # only what is seen is there
        page.evaluate("const list = document.getElementById('list'); list.scrollTop = list.scrollHeight")
        page.wait_for_selector(".line .meta >> text=999999")
        person.timed("rows", lambda: page.locator("#search").fill("election"))
        person.until("document.getElementById('found').innerText !== '1,000,000 rows'")
        found = int(page.locator("#found").inner_text().split()[0].replace(",", ""))
        complaints = person.complaints
        person.close()
    assert found == 200 * rows(5_000).filter(pl.col("body").str.contains("election")).height
    assert not complaints
