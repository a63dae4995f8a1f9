"""The five activities in a real browser, on the news project; what it must never do."""

import http.server
import json
import threading
import tomllib

import numpy as np
import polars as pl
import pytest

from shortlist import Project
from shortlist.browse.labeling import random_rows
from shortlist.classifier import embeddings
from shortlist.project.gold import entry_for
from tests.project.news import TOML, edit, rows
from tests.studio.browsing import Person, chromium
from tests.studio.running import running

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def browser():
    with chromium() as found:
        yield found


@pytest.fixture
def studio(folder):
    with running(folder) as found:
        yield found


@pytest.fixture
def person(browser, studio):
    found = Person(browser, studio)
    yield found
    complaints = found.complaints
    found.close()
    assert not complaints


def gold_lines(folder):
    path = folder / "gold.jsonl"
    return path.read_text().splitlines()[1:] if path.exists() else []


def test_the_address_is_clean_and_the_overview_is_whole(person, studio):
    page = person.page
    assert page.url == f"http://{studio.host}/"
    assert page.title() == "news · Shortlist studio"
    page.wait_for_selector("#table-labelers tbody tr")
    assert page.locator("#table-labelers tbody tr").count() == 4
    tiles = page.locator(".tiles").first.inner_text()
    assert "300" in tiles
    assert "counting votes" in tiles
    page.wait_for_selector(".todo li")
    page.get_by_role("button", name="Coverage").click()
    shares = page.locator("#table-labelers tbody td:nth-child(3)").all_inner_texts()
    numbers = [float(text.strip("%")) for text in shares]
    assert numbers == sorted(numbers, reverse=True)
    page.get_by_label("Filter labelers by name").fill("pol")
    person.until("document.querySelectorAll('#table-labelers tbody tr').length === 1")


def test_a_labeler_is_switched_off_and_the_effect_is_shown(person, folder):
    page = person.page
    page.wait_for_selector("#table-labelers tbody tr")
    person.timed("switch", lambda: page.get_by_label("Use polls").click())
    page.wait_for_selector("text=Effect of the last change")
    assert tomllib.loads((folder / "shortlist.toml").read_text())["labelers"]["off"] == ["polls"]
    assert "polls is off" in page.locator(".said").inner_text()


def test_rows_are_found_read_and_labelled_in_place(person, folder):
    page = person.page
    person.go("rows", ".line")
    assert page.locator("#found").inner_text() == "300 rows"
    page.locator("#search").press_sequentially("president")
    person.until("document.getElementById('found').innerText !== '300 rows'")
    page.select_option("label.pick:has-text('Labeler') select", "power")
    page.wait_for_selector("label.pick:has-text('in conflict with') select")
    page.keyboard.press("Escape")
    page.locator(".line").nth(2).click()
    found = page.locator("#found").inner_text()
    name = page.locator("aside h2").inner_text()
    page.wait_for_selector("table.why")
    assert "total" in page.locator("table.why").inner_text()
    page.locator("#list").focus()
    page.keyboard.press("3")
    page.wait_for_selector("aside .known")
    assert page.locator("aside .known").inner_text().endswith("gold: sports")
    assert page.locator("aside h2").inner_text() == name  # neither place nor filter is lost
    assert page.locator("#found").inner_text() == found
    assert gold_lines(folder) == [f'{{"id": "{name}", "classes": ["sports"]}}']
    page.keyboard.press("ArrowDown")
    person.until("name => document.querySelector('aside h2').innerText !== name", name)


def test_marked_words_begin_a_rule(person, folder):
    page = person.page
    person.go('rows/{"text":"election"}', ".line")
    page.wait_for_selector("#reading")
    page.evaluate("""() => {
        const walker = document.createTreeWalker(document.getElementById("reading"), NodeFilter.SHOW_TEXT);
        while (walker.nextNode()) {
            const at = walker.currentNode.data.indexOf("election");
            if (at >= 0) getSelection().setBaseAndExtent(walker.currentNode, at, walker.currentNode, at + 8);
        }
    }""")
    page.get_by_role("button", name="New rule from “election”").click()
    page.wait_for_selector("#effect")
    assert page.locator("#words").input_value() == "election"
    assert page.locator("#effect #matches").inner_text() != "0"


def test_a_rule_is_written_kept_edited_and_removed(person, folder):
    page = person.page
    person.write_rule("team\nmatch", ["sports"], two_sided=True)
    kept = tomllib.loads((folder / "shortlist.toml").read_text())["labeler"][-1]
    assert kept == {
        "kind": "keywords",
        "name": "team",
        "words": ["team", "match"],
        "says": "sports",
        "no": {"not": "sports"},
    }
    assert (folder / "shortlist.toml").read_text().startswith(TOML)
    page.wait_for_selector(".rulelist a[aria-current] >> text=team")
    matches = page.locator("#matches").inner_text()
    person.timed("preview", lambda: page.locator("#words").fill("team\nmatch\ngoal"))
    assert page.locator("#matches").inner_text() == matches  # it says something everywhere
    person.timed("keep", lambda: page.keyboard.press("Tab") or page.locator("#keep").click())
    assert tomllib.loads((folder / "shortlist.toml").read_text())["labeler"][-1]["words"] == ["team", "match", "goal"]
    page.get_by_role("button", name="Remove").click()
    person.until("!document.querySelector('.rulelist').innerText.includes('team')")
    assert len(tomllib.loads((folder / "shortlist.toml").read_text())["labeler"]) == 1


def test_a_comma_is_part_of_a_phrase(person, folder):
    """The form said "one on each line", and cut at commas as well."""
    person.write_rule("however, the goal\nteam", ["sports"])
    kept = tomllib.loads((folder / "shortlist.toml").read_text())["labeler"][-1]
    assert kept["words"] == ["however, the goal", "team"]
    assert kept["name"] == "however_the_goal"
    person.page.wait_for_selector(".whole >> text=A comma is part of the phrase")


def test_classes_with_commas_are_written_and_read_in_the_form_of_a_choice(person):
    record = {"kind": "choose", "name": "q", "prompt": "{text}", "model": "m",
              "answers": {" a": ["Rock, hard", "Pop"], " b": {"not": 'A, "b"'}, " c": "Pop"}}  # fmt: skip
    both = "async (record) => { const at = await import('/rules.js'); return at.toRecord(at.toForm(record, [])); }"
    assert person.page.evaluate(both, record) == record


def test_mistakes_while_typing_are_told_and_mended(person):
    page = person.page
    person.go("rules/+", "#keep")
    page.get_by_text("Pattern", exact=True).click()
    page.locator(".pickclass").first.click()
    page.locator("#regex").fill("(goal")
    page.wait_for_selector("form .alarm >> text=not a regular expression")
    page.locator("#regex").fill("(goal)")
    page.wait_for_selector("#effect")
    assert page.locator("form .alarm").count() == 0


def test_python_is_shown_and_taken_in_when_saved(person, folder):
    page = person.page
    person.go("rules/power", ".source")
    assert "def power(text):" in page.locator(".source .here").inner_text()
    edit(folder / "labelers.py", '"president" in text', '"minister" in text')
    person.until("document.querySelector('.source').innerText.includes('\"minister\" in text')")
    edit(folder / "labelers.py", '"minister" in text', '"minister" in txet')
    page.wait_for_selector(".alarm >> text=txet")
    edit(folder / "labelers.py", '"minister" in txet', '"minister" in text')
    person.until("!document.querySelector('.alarm')")


def test_two_who_change_one_rule(browser, studio, person, folder):
    """The other tab saved first: the later save is told, and nothing is lost."""
    person.go("rules/money", "#words")
    other = person.context.new_page()
    other.goto(f"http://{studio.host}/#rules/money")
    other.wait_for_selector("#words")
    other.locator("#words").fill("shares")
    other.locator("#keep").click()
    other.wait_for_selector(".said.on >> text=saved")
    person.page.locator("#words").fill("profit")
    person.page.locator("#keep").click()
    person.page.wait_for_selector(".alarm >> text=changed elsewhere")
    assert tomllib.loads((folder / "shortlist.toml").read_text())["labeler"][0]["words"] == ["shares"]
    assert person.page.locator("#words").input_value() == "profit"
    person.page.get_by_role("button", name="Overwrite it with mine").click()
    person.timed("keep", lambda: person.page.locator("#keep").click())
    assert tomllib.loads((folder / "shortlist.toml").read_text())["labeler"][0]["words"] == ["profit"]


def test_rows_are_labelled_with_the_keyboard_only(person, folder):
    page = person.page
    person.go("label", "#asked")
    first = page.locator("#asked").inner_text()
    before = page.locator("#labelled").inner_text()

    def press(*keys):
        now = page.locator("#asked").inner_text()
        for key in keys:
            page.keyboard.press(key)
        person.until("now => document.getElementById('asked').innerText !== now", now)

    press("1")
    assert len(gold_lines(folder)) == 1
    assert int(page.locator("#labelled").inner_text()) == int(before) + 1
    press("m", "1", "3", "Enter")
    press("s")
    lines = [json.loads(line) for line in gold_lines(folder)]
    assert [line["classes"] for line in lines] == [["business"], ["business", "sports"], []]
    for _ in range(3):
        press("u")
    assert page.locator("#asked").inner_text() == first
    assert gold_lines(folder) == []


def test_what_gold_labels_are_for_is_chosen_where_they_are_given(person, folder):
    page = person.page
    person.go("label", "#asked")
    page.select_option("#use-gold", label="score only")
    while "use_gold = false" not in (folder / "shortlist.toml").read_text():
        page.wait_for_timeout(50)
    before = page.locator("#asked").inner_text()
    page.keyboard.press("1")  # a class, not a choice of the list
    person.until("before => document.getElementById('asked').innerText !== before", before)
    assert len(gold_lines(folder)) == 1
    person.until("document.getElementById('use-gold').value === 'false'")


def test_random_rows_are_a_choice_beside_those_that_help_most(person, folder):
    page = person.page
    person.go("label", "#asked")
    order = [f"doc{row}" for row in random_rows(Project(folder).session, 2)]
    page.get_by_label("random, for a fair score").check()
    person.until("first => document.getElementById('asked').innerText === first", order[0])
    page.keyboard.press("1")  # the choice still has the focus
    person.until("second => document.getElementById('asked').innerText === second", order[1])
    assert [json.loads(line)["picked"] for line in gold_lines(folder)] == ["random"]
    assert page.locator("#hard").count() == 0
    page.get_by_label("most helpful").check()
    person.until("second => document.getElementById('asked').innerText !== second", order[1])
    page.keyboard.press("1")
    page.wait_for_selector("#hard")
    told = "1 of the gold rows was picked because it is hard, so the accuracy may be too low."
    assert told in page.locator("#hard").inner_text()


def test_rows_on_which_people_differ_are_settled_in_the_page(browser, folder):
    session = Project(folder).session
    said = [(row, "sports", "anna") for row in (1, 2, 3)] + [(1, "sports", "bob"), (2, "politics", "bob")]
    session.gold_file.add(*(entry_for(session.rows, row, [name], "random", by) for row, name, by in said))
    with running(folder, "eve") as studio:
        person = Person(browser, studio)
        page = person.page
        assert "50% of 2 rows with several labels have one class" in page.locator("#people").inner_text()
        page.wait_for_selector("#final")  # the score of the final labels, as `shortlist run` prints it
        page.get_by_text("1 row on which people differ").click()
        page.wait_for_selector("#said-by")
        assert page.locator("#asked").inner_text() == "doc2"
        assert page.locator("#said-by").inner_text().split() == ["anna:", "sports", "bob:", "politics"]
        assert "under the name eve" in page.locator("#kept").inner_text()
        page.keyboard.press("2")
        page.wait_for_selector("text=People differ on no row.")
        assert json.loads(gold_lines(folder)[-1]) == {
            "id": "doc2", "classes": ["politics"], "picked": "differ", "by": "eve",
        }  # fmt: skip
        assert not person.complaints
        person.close()


def test_counts_of_one_and_nothing_are_words_that_people_write(person):
    """ "1 rows have several classes; 1 were skipped", "-0.00", and a score called too low where there was none."""
    said = person.page.evaluate("""async () => {
        const [label, parts] = [await import("/label.js"), await import("/parts.js")];
        const numbers = [-0.001, 0.001, -0.5].flatMap((value) => [parts.signed(value, 2), parts.fixed(value, 2)]);
        return [label.savedRows({ several: 1, skipped: 1 }), label.savedRows({ several: 2, skipped: 3 }),
                label.hardRows({ hard: 2 }), numbers];
    }""")
    assert said == [
        "Labels are saved in gold.jsonl; 1 row has several classes; 1 was skipped.",
        "Labels are saved in gold.jsonl; 2 rows have several classes; 3 were skipped.",
        "2 of the gold rows were picked because they are hard. For a fair score, label random rows.",
        ["+0.00", "0.00", "+0.00", "0.00", "−0.50", "−0.50"],
    ]


def test_each_view_opens_at_its_top(person):
    person.go("overview", ".todo li")
    person.page.evaluate("scrollTo(0, 400)")
    person.until("scrollY > 100")
    person.go("compare", "#export")
    person.until("scrollY === 0")


def test_a_rule_that_is_saved_promises_nothing_until_it_is_changed(person):
    page = person.page
    person.go("rules/money", "#effect")
    page.wait_for_selector("#gain >> text=Change it to see")
    page.locator("#words").press_sequentially("goal\n")
    person.until("document.getElementById('gain').innerText.includes('right (±')")


def test_a_rule_of_similarity_begins_with_a_row(browser, folder, monkeypatch):
    def by_first_letters(_encoder, texts):
        vectors = np.array([[text.count("a") + 0.1, text.count("e"), text.count("o")] for text in texts], np.float32)
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)

    monkeypatch.setattr(embeddings, "_loaded", lambda name: name)
    monkeypatch.setattr(embeddings, "mean_vectors", by_first_letters)
    edit(folder / "shortlist.toml", 'kind = "linear"', 'kind = "linear"\nencoder = "letters"')
    with running(folder) as studio:
        person = Person(browser, studio)
        page = person.page
        person.go("rows", "#reading .words")
        text, known = page.locator("#reading").inner_text(), page.locator("aside .known").inner_text()
        page.get_by_role("button", name="Rule of similarity").click()
        page.wait_for_selector("#examples")
        assert page.locator("#examples").input_value() == text
        assert known.endswith(page.locator(".pickclass[aria-pressed=true]").inner_text())
        page.wait_for_selector("#matches")
        person.timed("preview", lambda: page.locator("#above").fill("0.95"))
        few = int(page.locator("#matches").inner_text())
        person.timed("preview", lambda: page.locator("#above").fill("0.5"))
        assert 0 < few < int(page.locator("#matches").inner_text())
        person.until("(document.getElementById('gain')?.innerText ?? '').includes('right (±')")
        person.timed("keep", lambda: page.locator("#keep").click())
        page.wait_for_selector("text=Save the change")
        assert page.locator("#above").input_value() == "0.5"
        assert page.locator("#keep").is_disabled()  # nothing has changed
        complaints = person.complaints
        person.close()
    assert not complaints
    kept = tomllib.loads((folder / "shortlist.toml").read_text())["labeler"][-1]
    assert (kept["kind"], kept["examples"], kept["above"]) == ("similar", [text], 0.5)
    assert known.endswith(kept["yes"])


def test_states_are_compared_and_files_are_written(person, folder):
    page = person.page
    person.write_rule("profit", ["business", "politics"])
    person.go("compare", "#flipped")
    assert "changed" in page.locator("#flipped").inner_text()
    page.get_by_role("button", name="Labels").click()
    page.wait_for_selector("text=labels.parquet")
    assert len(pl.read_parquet(folder / "out" / "labels.parquet")) == 300


def test_from_a_data_file_to_the_first_rule(browser, tmp_path):
    rows().write_csv(tmp_path / "news.csv")
    with running(tmp_path) as studio:
        person = Person(browser, studio)
        page = person.page
        page.wait_for_selector("#setup-classes")
        assert page.locator("#setup-classes").input_value().split() == ["business", "politics", "sports"]
        page.get_by_role("button", name="Create the project").click()
        page.wait_for_selector(".line")
        person.write_rule("goal", ["sports"])
        person.go("overview", "#table-labelers")
        assert page.locator("#table-labelers tbody tr").count() == 1
        complaints = person.complaints
        person.close()
    assert not complaints
    assert not (tmp_path / "labelers.py").exists()


def test_the_second_rule_does_not_replace_the_first_where_the_list_of_rules_is_late(browser, tmp_path):
    rows().write_csv(tmp_path / "news.csv")
    late = []
    with running(tmp_path) as studio:
        person = Person(browser, studio)
        person.page.get_by_role("button", name="Create the project").click()
        person.page.wait_for_selector(".line")
        person.go("rules", ".rulelist")
        person.page.route("**/api/rules", lambda route: late.append(route))
        person.write_rule("goal", ["sports"])
        person.write_rule("shares", ["business"])
        for route in late:
            route.continue_()
        person.close()
    written = tomllib.loads((tmp_path / "shortlist.toml").read_text())["labeler"]
    assert [(one["words"], one["says"]) for one in written] == [(["goal"], "sports"), (["shares"], "business")]


def test_labels_are_written_to_a_file_of_ones_own(browser, studio, folder):
    person = Person(browser, studio)
    person.go("compare", "#own-to")
    page = person.page
    page.locator("#own-to").fill("sure.csv")
    page.get_by_label("body", exact=True).check()
    page.locator("#own-belief").fill("0.5")
    page.locator("#own-write").click()
    page.wait_for_selector("#own-done")
    told = page.locator("#own-done").inner_text()
    complaints = person.complaints
    person.close()
    assert "shortlist export --to sure.csv --columns body --min-belief 0.5" in told
    assert (folder / "sure.csv").read_text("utf-8").startswith("id,body,")
    assert not complaints


# -- for everybody -------------------------------------------------------------------------------------

VIEWS = {
    "overview": ".todo li", "rows": "table.why", "rules/money": "#effect", "rules/power": ".source", "label": "#asked",
    "compare": "#export",
}  # fmt: skip


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_serious_stands_in_the_way_of_anybody(browser, studio, scheme):
    from axe_playwright_python.sync_playwright import Axe

    person, axe = Person(browser, studio, color_scheme=scheme, reduced_motion="reduce"), Axe()
    grave = []
    for view, wait in VIEWS.items():
        person.go(view, wait)
        found = axe.run(person.page, options={"resultTypes": ["violations"]}).response["violations"]
        grave += [
            (view, one["id"], node["html"][:150], node.get("failureSummary", "")[:300])
            for one in found
            if one["impact"] in ("serious", "critical")
            for node in one["nodes"][:3]
        ]
    person.close()
    assert not grave, "\n".join(map(str, grave))


@pytest.mark.parametrize("width", [1280, 820])
def test_nothing_sticks_out(browser, studio, width):
    person = Person(browser, studio, viewport={"width": width, "height": 720})
    for view, wait in VIEWS.items():
        person.go(view, wait)
        assert person.page.evaluate("document.documentElement.scrollWidth") <= width, view
    person.close()


# -- against everybody else ----------------------------------------------------------------------------

EVIL = "<script>window.hacked = 1</script><img src=x onerror='window.hacked = 1'>{{7*7}}\u202e"


def test_hostile_text_stays_text(browser, tmp_path):
    """In rows, ids, classes and names of labelers."""
    table = rows(60).with_columns(
        body=pl.concat_str(pl.col("body"), pl.lit(f" goal {EVIL}")), id=pl.concat_str(pl.col("id"), pl.lit(EVIL)),
        label=pl.when(pl.col("n") > 0).then(pl.lit(EVIL)),
    )  # fmt: skip
    table.write_csv(tmp_path / "news.csv")
    evil = json.dumps(EVIL)
    head = f'version = 1\nclasses = [{evil}, "b", "c"]\n[data]\nfiles = ["news.csv"]\n'
    data = 'text = "body"\nid = "id"\ngold = "label"\n'
    rule = f'[[labeler]]\nkind = "keywords"\nname = {evil}\nwords = ["goal"]\nsays = {evil}\n'
    (tmp_path / "shortlist.toml").write_text(head + data + rule)
    with running(tmp_path) as studio:
        person = Person(browser, studio)
        for view in ("overview", "rows", "rules", "label", "compare"):
            person.go(view, {"rules": ".rulelist li"}.get(view, VIEWS.get(view, "main")))
            assert person.page.evaluate("window.hacked") is None
        person.go("rows", ".line .text")
        assert "<script>" in person.page.locator(".line .text").first.inner_text()
        complaints = person.complaints
        person.close()
    assert not complaints


ATTACK = """<script>
const at = "http://HOST";
const rule = JSON.stringify({record: {kind: "keywords", name: "evil", words: ["x"], says: "sports"}});
const sent = {method: "POST", credentials: "include", body: rule};
const text = (response) => response.text();
const tries = [
  fetch(at + "/api/overview", {credentials: "include"}).then(text),
  fetch(at + "/api/save", sent).then(text),
  fetch(at + "/api/save", {...sent, mode: "no-cors"}).then(text),
  new Promise((yes, no) => {
    const stream = new EventSource(at + "/api/events", {withCredentials: true});
    stream.onmessage = (message) => yes(message.data);
    stream.onerror = no;
  }),
  new Promise((yes, no) => {
    const script = document.createElement("script");
    Object.assign(script, {src: at + "/app.js", onload: () => yes("loaded"), onerror: no});
    document.head.append(script);
  }),
];
Promise.allSettled(tries).then((all) => { window.tried = all.map((one) => one.value ?? ""); });
</script><iframe src="http://HOST/"></iframe>"""


@pytest.fixture
def elsewhere(studio):
    """A page of another origin that tries what it can."""

    class Evil(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("content-type", "text/html")
            self.end_headers()
            self.wfile.write(ATTACK.replace("HOST", studio.host).encode())

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Evil)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}/"
    server.shutdown()
    server.server_close()


def test_a_page_of_another_origin_reads_and_changes_nothing(elsewhere, person, folder):
    """In the very browser that holds the cookie."""
    before = (folder / "shortlist.toml").read_text()
    other = person.context.new_page()
    other.goto(elsewhere)
    other.wait_for_timeout(2000)
    assert other.evaluate("window.tried") == ["", "", "", "", ""]
    assert "labelers" not in "".join(frame.content() for frame in other.frames[1:])
    assert (folder / "shortlist.toml").read_text() == before
    other.close()


def test_it_opens_from_a_file_and_in_a_second_tab(browser, folder):
    """The file that the browser is handed; then the bare address, in the same browser and in another one."""
    with running(folder) as studio, studio.server.address_file() as file:
        context, stranger = browser.new_context(), browser.new_context()
        page, second = context.new_page(), context.new_page()
        page.goto(file.as_uri())
        page.wait_for_selector("#table-labelers tbody tr", timeout=60_000)
        assert page.url == f"http://{studio.host}/"
        second.goto(f"http://{studio.host}/#rows")
        second.wait_for_selector(".line .text")
        stranger.add_cookies(context.cookies())
        third = stranger.new_page()
        third.goto(f"http://{studio.host}/")
        third.wait_for_selector(".alarm >> text=locked")
        context.close()
        stranger.close()


def test_it_goes_on_after_a_mistake_at_the_start(browser, folder):
    edit(folder / "labelers.py", 'yes="politics"', 'yes="polltics"')
    with running(folder) as studio:
        context = browser.new_context()
        page = context.new_page()
        page.goto(studio.address)
        page.wait_for_selector(".alarm >> text=politics")
        edit(folder / "labelers.py", 'yes="polltics"', 'yes="politics"')
        page.wait_for_selector("#table-labelers tbody tr", timeout=60_000)
        context.close()
