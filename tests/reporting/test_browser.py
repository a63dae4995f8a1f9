"""The page in a real browser: everything drawn, nothing fetched, nothing complained about."""

import os
import shutil

import pytest

from shortlist import report
from tests.analysis.worked import quietly_fitted
from tests.reporting.showing import drawn, hostile

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync",
]  # fmt: skip
PLOTS = ["pairs", "classes", "accuracies", "beliefs", "calibration", "balance"]
MARKS = {"beliefs": "rect.bar", "calibration": "circle.point", "pairs": "td.overlap",
         "classes": "td.conflict", "accuracies": "td.good", "balance": ".track i"}  # fmt: skip


@pytest.fixture(scope="module")
def browser():
    """Chromium. Skipped where there is none, but never in CI."""
    if CHROMIUM is None and not os.environ.get("SHORTLIST_CI"):
        pytest.skip("install chromium to open the report in it")
    assert CHROMIUM, "CI opens the report in a real browser: chromium is not installed"
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS, headless=True)
        yield found
        found.close()


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """A usual page and a hostile one."""
    folder = tmp_path_factory.mktemp("pages")
    votes, truth = drawn(600)
    rows = [f"A text about row {a}, long enough to be wrapped on a phone" for a in range(len(votes))]
    usual = report(votes, quietly_fitted(votes), rows, truth, folder / "usual.html")
    votes, model, rows, gold = hostile()
    return {"usual": usual, "hostile": report(votes, model, rows, gold, folder / "hostile.html", title="<script>")}


@pytest.fixture
def opened(browser, pages):
    """Open a page in some way; what the browser says and asks for is checked when the test is over."""
    contexts, complaints = [], []

    def open_page(name="usual", **options):
        context = browser.new_context(**{"viewport": {"width": 1200, "height": 900}, **options})
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: complaints.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda request: _only_itself(request.url, pages[name], complaints))
        page.goto(pages[name].as_uri())
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert not complaints


def _only_itself(url, path, complaints):
    if url != path.as_uri() and not url.startswith("data:"):
        complaints.append(f"asked for {url}")


@pytest.mark.parametrize("width", [1200, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_plot_is_drawn(opened, width, scheme):
    page = opened(viewport={"width": width, "height": 900}, color_scheme=scheme)
    for name in PLOTS:
        box = page.locator(f"#plot-{name}").bounding_box()
        assert box["width"] > 150, name
        assert box["height"] > 60, name
        marks = page.locator(f"#plot-{name} {MARKS[name]}")
        assert marks.count() > 0, name
        assert all(mark.bounding_box()["width"] > 0 for mark in marks.all()[:3]), name


def test_nothing_sticks_out_on_a_phone(opened):
    page = opened(viewport={"width": 390, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_light_is_light_and_dark_is_dark(opened):
    def brightness(scheme):
        colour = opened(color_scheme=scheme).evaluate("getComputedStyle(document.body).backgroundColor")
        return sum(int(part) for part in colour.removeprefix("rgb(").removesuffix(")").split(",")) / 3

    assert brightness("light") > 220
    assert brightness("dark") < 40


def test_attacks_stay_text(opened):
    page = opened("hostile")
    assert page.evaluate("window.hacked") is None
    assert page.title() == "<script>"
    assert "<script>window.hacked = 1</script>" in page.locator("#table-labelers").inner_text()


def test_tables_sort(opened):
    page = opened()
    values = "els => els.map(e => parseFloat(e.dataset.value))"
    column = page.locator("#table-labelers tbody td:nth-child(2)")
    page.locator("#table-labelers th:nth-child(2) button").click()
    down = column.evaluate_all(values)
    page.locator("#table-labelers th:nth-child(2) button").click()
    assert down == sorted(down, reverse=True)
    assert column.evaluate_all(values) == sorted(down)
    page.get_by_role("button", name="Labeler").click()
    names = page.locator("#table-labelers tbody .name").all_inner_texts()
    assert names in (sorted(names), sorted(names, reverse=True))


def test_marks_have_tips(opened):
    page = opened(reduced_motion="reduce")
    bar = page.locator("#plot-beliefs rect.bar").last
    bar.evaluate(  # scrolling hides tips, so it has to be over
        """bar => new Promise(done => {
            bar.scrollIntoView({ behavior: "instant", block: "center" });
            requestAnimationFrame(() => requestAnimationFrame(done));
        })"""
    )
    bar.hover()
    assert "rows" in page.locator(".tip.on").inner_text()
    page.keyboard.press("Escape")
    assert page.locator(".tip.on").count() == 0


def test_pictures_and_drawings_have_names(opened):
    page = opened()
    nameless = page.evaluate(
        """() => document.querySelectorAll('svg:not([aria-hidden]):not([aria-label])').length
        + document.querySelectorAll('img:not([alt])').length"""
    )
    assert nameless == 0


def test_it_prints_on_white(opened, tmp_path):
    page = opened()
    page.emulate_media(media="print")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert len(page.pdf(path=tmp_path / "page.pdf")) > 20_000


def test_a_labeler_opens_its_rows(opened):
    page = opened()
    assert not page.locator("#rows-2").evaluate("rows => rows.open")
    page.locator("#table-labelers tbody tr").nth(1).locator("a").click()
    assert page.locator("#rows-2").evaluate("rows => rows.open")
    assert page.locator("#rows-2 .example").count() > 2
