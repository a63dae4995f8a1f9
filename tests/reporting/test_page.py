"""The page as text: whole, escaped, small, and written in one step."""

import re
from html.parser import HTMLParser

import numpy as np
import polars as pl
import pytest

from shortlist import Analysis, MajorityVote, Votes, report
from shortlist.analysis.labeler_tables import LABELER_COLUMNS
from shortlist.errors import BadFile, BadRows, BadVotes, MissingPackage
from shortlist.reporting.overview import Overview
from tests.analysis.worked import quietly_fitted
from tests.reporting.showing import ATTACK, SCRIPT, drawn, hostile

EMPTY = {"wbr", "meta", "link", "br", "img", "line", "circle", "rect", "path", "hr", "input"}


class Reader(HTMLParser):
    """Checks that every tag is closed in its turn; remembers tags, ids and what would be fetched."""

    def __init__(self):
        super().__init__()
        self.open, self.tags, self.ids, self.fetched = [], [], [], []

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        found = dict(attributes)
        self.ids += [found["id"]] if "id" in found else []
        self.fetched += [found[name] for name in ("src", "href") if name in found and found[name][0] != "#"]
        if tag not in EMPTY:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.tags.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def read(path) -> Reader:
    reader = Reader()
    reader.feed(path.read_text())
    assert not reader.open
    return reader


def test_everything_users_write_is_escaped(tmp_path):
    votes, model, rows, gold = hostile()
    path = report(votes, model, rows, gold, tmp_path / "page.html", title="Title " + SCRIPT + ATTACK)
    text, page = path.read_text(), read(path)
    assert SCRIPT not in text
    assert "&lt;script&gt;window.hacked" in text
    assert "{{ 7 * 7 }}" in text  # users' braces are text, not templates
    assert page.tags.count("script") == 1
    assert "img" not in page.tags


def test_it_is_whole_and_loads_nothing(tmp_path):
    votes, truth = drawn()
    page = read(report(votes, quietly_fitted(votes), None, truth, tmp_path / "page.html"))
    assert len(page.ids) == len(set(page.ids))
    assert all(address.startswith("data:") for address in page.fetched)
    for name in ("advice", "plot-pairs", "plot-classes", "plot-accuracies", "plot-beliefs", "plot-calibration",
                 "plot-balance", "table-labelers", "conflicts", "next"):  # fmt: skip
        assert name in page.ids


def test_names_break_after_underscores_and_stay_escaped():
    from shortlist.reporting.drawings import minus
    from shortlist.reporting.page import breakable

    assert str(breakable("how_many<b>")) == "how_<wbr>many&lt;b&gt;"
    assert minus("-0.5") == "−0.5"


def test_what_to_do_comes_first_and_theory_is_folded_away(tmp_path):
    votes = drawn().votes
    text = report(votes, quietly_fitted(votes), path=tmp_path / "page.html").read_text()
    assert (
        0 < text.index('id="advice"') < text.index("<details>") < text.index('id="labelers"') < text.index('id="pairs"')
    )


@pytest.mark.parametrize("model", [None, "majority"])
def test_with_less_to_show(tmp_path, model):
    votes = drawn().votes
    model = MajorityVote().fit(votes) if model else None
    page = read(report(votes, model, path=tmp_path / "page.html"))
    assert ("plot-beliefs" in page.ids) == (model is not None)
    assert "plot-calibration" not in page.ids


def test_a_table_of_accuracies_that_would_be_empty_is_left_out(tmp_path):
    """Labelers with one answer each filled it with nothing."""
    votes = Votes([[1, 1, 0], [0, 1, 1], [1, 0, 1], [0, 0, 1]] * 10, [["a"], ["b"], ["c"]], ["a", "b", "c"])
    page = read(report(votes, quietly_fitted(votes), path=tmp_path / "page.html"))
    assert "plot-accuracies" not in page.ids
    assert "plot-classes" in page.ids


def test_rows_that_are_pictures(tmp_path):
    votes, truth = drawn()
    images = np.random.default_rng(0).random((len(votes), 8, 8))
    page = read(report(votes, quietly_fitted(votes), images, truth, tmp_path / "page.html"))
    assert page.tags.count("img") > 10


def test_the_same_twice(tmp_path):
    votes, truth = drawn()
    model = quietly_fitted(votes)
    one, other = (report(votes, model, None, truth, tmp_path / name).read_bytes() for name in "ab")
    assert one == other


def test_a_failure_leaves_the_old_page_alone(tmp_path):
    votes = drawn().votes
    path = tmp_path / "page.html"
    path.write_text("old")
    with pytest.raises(BadRows, match="300 rows"):
        report(votes, quietly_fitted(votes), ["too", "few"], path=path)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]
    with pytest.raises(BadFile, match="no folder"):
        report(votes, path=tmp_path / "nowhere" / "page.html")
    with pytest.raises(BadVotes):
        report([[1]], path=path)


def test_without_jinja2_it_says_what_to_install(tmp_path, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(MissingPackage, match=r"pip install 'jinja2>=3\.1'"):
        report(drawn().votes, path=tmp_path / "page.html")


def test_lone_surrogates_do_not_stop_it(tmp_path):
    votes, _ = drawn()
    report(votes, None, ["\ud800 half a character"] * len(votes), path=tmp_path / "page.html")


def test_a_page_of_pictures_stays_far_under_five_megabytes(tmp_path):
    from sklearn.datasets import load_digits

    from examples.digits import LABELERS, SPACE
    from shortlist import apply

    digits = load_digits()
    votes = apply(LABELERS, list(digits.images), space=SPACE, progress=False)
    path = report(
        votes, quietly_fitted(votes), list(digits.images), [str(d) for d in digits.target], tmp_path / "d.html"
    )
    assert path.stat().st_size < 400_000
    assert re.search(r"count_loops and where_is_the_loop depend on each other", path.read_text())


def test_who_is_right_on_gold_rows_stands_side_by_side(tmp_path):
    votes, truth = drawn(600)
    scores = {"classifier": 0.4321}
    text = report(votes, quietly_fitted(votes), gold=truth, path=tmp_path / "page.html", scores=scores).read_text()
    beliefs, names = MajorityVote().fit(votes).predict_proba(votes)[votes.covered], np.array(list(votes.space))
    leads = np.isclose(beliefs, beliefs.max(axis=1, keepdims=True))  # classes that tie share a row
    counted = ((leads * (names == np.array(truth)[votes.covered, None])).sum(axis=1) / leads.sum(axis=1)).mean()
    for name, share in (("counting votes", counted), ("classifier", 0.4321)):
        assert f"<dt>{name}</dt><dd>{share:.1%}</dd>" in text


def test_ids_of_rows_to_label_can_be_copied(tmp_path):
    votes = drawn().votes
    named = Votes(votes.codes, votes.codomains, votes.space, votes.names, ids=[f"doc{a}" for a in range(len(votes))])
    text = report(named, quietly_fitted(named), path=tmp_path / "page.html").read_text()
    assert re.search(r'class="ids">doc\d+(, doc\d+)+<', text)


def test_nothing_users_write_turns_or_hides_other_text(tmp_path):
    """Attack, notes: U+202E reached the page."""
    turned = "\u202egnp.exe\u2066\x1b"
    votes, _ = drawn(classes=(f"a{turned}", "b", "c"), names=(f"x_{turned}", "y", "z", "w"))
    texts = [f"text {turned}"] * len(votes)
    page = report(votes, quietly_fitted(votes), texts, None, tmp_path / "r.html").read_text("utf-8")
    assert not set(page) & set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\x1b")
    assert "\\u202egnp.exe" in page


def test_an_accuracy_that_votes_cannot_tell_is_not_known_everywhere(tmp_path):
    """Page and table had a rule each for when that is so."""
    votes, _ = drawn()
    film = Votes((votes.codes[:, :1] == 1).astype(np.uint8), [[votes.space[0]]], votes.space, ["film"])
    votes = Votes.beside([votes, film])
    model = quietly_fitted(votes)
    table = Overview(Analysis(votes, model)).labelers
    assert table.filter(pl.col("accuracy").is_null())["labeler"].to_list() == ["film"]
    page = report(votes, model, path=tmp_path / "page.html").read_text()
    assert len(re.findall(r">~\d+%, unsure</span>", page)) == 1
    assert len(re.findall(r'aria-label="about \d+%, unsure: votes alone cannot show it', page)) == 1


def test_the_page_shows_every_column_of_the_table_of_labelers(tmp_path):
    votes, truth = drawn()
    page = report(votes, quietly_fitted(votes), gold=truth, path=tmp_path / "page.html").read_text()
    for column in LABELER_COLUMNS:
        assert f"<button>{column.title.capitalize()}</button>" in page
        assert f"<dt>{column.title.capitalize()}</dt><dd>{column.help}</dd>" in page
