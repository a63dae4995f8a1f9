"""A person's hour: from an empty folder with 2,225 articles to labels, all in the page; beside the demo.

The person writes rules of words and patterns that shortlist topics, lets them say the opposite where nothing is found,
labels some rows, and exports. The topics are known to the test only, which plays the person at the label view.
"""

import polars as pl
import pytest

from shortlist.demo.articles import TOPICS, read_articles
from shortlist.demo.labelers import CLASSES, LABELERS
from shortlist.labelers import apply
from shortlist.labelmodel import LabelModel
from tests.studio.browsing import Person, chromium
from tests.studio.running import running

RULES = [
    (r"\b(president|government|ministers?|chancellor|tax)\b", ["business", "politics"]),
    (r"\b(firms?|compan(y|ies)|customers?|consumers?|sales)\b", ["business", "tech"]),
    (r"\b(stars?|fans?|awards?|winners?)\b", ["entertainment", "sports"]),
    (r"\b(tv|dvds?|videos?|digital|downloads?)\b", ["entertainment", "tech"]),
    (r"\b(games?|players?)\b", ["sports", "tech"]),
    (r"\b(defeat(ed)?|victory|rivals?|campaign|leader)\b", ["politics", "sports"]),
    (r" (Mr|Mrs|Ms) ", ["business", "politics", "tech"]),
    (r"\b(coach|champions?|match|cup|season)\b", ["sports"]),
    (r"\b(film|album|singer|actor|music)\b", ["entertainment"]),
]
LABELLED = 20


@pytest.mark.slow
def test_from_an_empty_folder_to_labels_as_good_as_the_demos(tmp_path, capsys):
    articles = read_articles()
    topic = {article.id: article.topic for article in articles}
    pl.DataFrame([{"id": one.id, "text": f"{one.title}. {one.text}"} for one in articles]).write_csv(
        tmp_path / "articles.csv"
    )
    with running(tmp_path) as studio, chromium() as browser:
        person = Person(browser, studio)
        page = person.page
        page.wait_for_selector("#setup-classes")
        page.locator("#setup-classes").fill("\n".join(TOPICS))
        page.get_by_role("button", name="Create the project").click()
        page.wait_for_selector(".line")
        for regex, classes in RULES:
            person.write_rule(regex, classes, two_sided=True, pattern=True)
        person.go("label", "#asked")
        for _ in range(LABELLED):
            name = page.locator("#asked").inner_text()
            page.keyboard.press(str(1 + TOPICS.index(topic[name])))
            person.until("name => document.getElementById('asked').innerText !== name", name)
        assert page.locator("#labelled").inner_text() == str(LABELLED)
        person.go("compare", "#export")
        page.get_by_role("button", name="Labels").click()
        page.wait_for_selector("text=labels.parquet")
        complaints = person.complaints
        person.close()
    labels = pl.read_parquet(tmp_path / "out" / "labels.parquet")
    reached = sum(topic[name] == label for name, label in labels.select("id", "class").iter_rows()) / len(labels)
    rows = [article.row() for article in articles]
    votes = apply(LABELERS, rows, space=CLASSES, progress=False)
    demo = LabelModel().fit(votes).score(votes, [article.topic for article in articles])
    with capsys.disabled():
        print(f"\nright, of {len(labels):,} articles: in the page {reached:.1%}, the demo's labelers {demo:.1%}")
    assert not complaints
    assert not (tmp_path / "labelers.py").exists()
    assert reached > demo - 0.02
