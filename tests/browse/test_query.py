import numpy as np
import polars as pl
import pytest

from shortlist.browse import Query, select, show_rows
from shortlist.browse.query import parse_shortlist
from shortlist.errors import ShortlistError, UnknownClass
from shortlist.labelspace import LabelSpace
from tests.project.news import LABELERS, TOML, make

SPACE = LabelSpace(["business", "politics", "not sports"])


@pytest.mark.parametrize(
    ("words", "classes"),
    [
        ("business", {"business"}),
        ("business, politics", {"business", "politics"}),
        ("{business, politics}", {"business", "politics"}),
        ("not politics", {"business", "not sports"}),
        ("Not {politics}", {"business", "not sports"}),
        ("not sports", {"not sports"}),  # a class of that name goes before
    ],
)
def test_shortlists_as_people_write_them(words, classes):
    assert parse_shortlist(words, SPACE) == classes


def test_a_class_may_hold_a_comma():
    space = LabelSpace(['Rock, "hard"', "Pop", "A, b"])
    assert parse_shortlist('Rock, "hard"', space) == {'Rock, "hard"'}
    assert parse_shortlist('not Rock, "hard"', space) == {"Pop", "A, b"}
    assert parse_shortlist('"A, b", Pop', space) == {"Pop", "A, b"}
    assert parse_shortlist('not {"A, b", Pop}', space) == {'Rock, "hard"'}
    for names in (["A, b", "Pop"], ['Rock, "hard"', "A, b"]):
        assert parse_shortlist(space.show(names), space) == set(names)


def test_what_is_no_shortlist_is_told():
    with pytest.raises(UnknownClass) as told:
        parse_shortlist("busines", SPACE)
    assert "'business'" in str(told.value)
    with pytest.raises(ShortlistError):
        parse_shortlist(" , ", SPACE)


def test_a_query_of_plain_data():
    assert Query.from_dict({"labeler": "money", "text": "", "unsure": False}) == Query(labeler="money")
    with pytest.raises(ShortlistError, match="Did you mean 'labeler'"):
        Query.from_dict({"labler": "money"})
    with pytest.raises(ShortlistError, match="true or false"):
        Query.from_dict({"wrong": "yes"})


def rows_where(session, keep):
    return [a for a in range(len(session.votes)) if keep(a, session.votes.said(a))]


def test_a_labeler_and_what_it_says(session):
    assert select(session, Query(labeler="power")).tolist() == rows_where(session, lambda a, said: "power" in said)
    found = select(session, Query(labeler="power", votes="not politics")).tolist()
    assert found == rows_where(session, lambda a, said: said.get("power") == ("business", "sports"))
    assert found
    any_of_them = select(session, Query(votes="sports")).tolist()
    assert any_of_them == rows_where(session, lambda a, said: ("sports",) in said.values())


def test_conflicts(session):
    def apart(one, other):
        return one is not None and other is not None and not set(one) & set(other)

    expected = rows_where(session, lambda a, said: apart(said.get("money"), said.get("sport")))
    assert select(session, Query(labeler="money", conflict="sport")).tolist() == expected
    anybody = rows_where(session, lambda a, said: any(apart(said.get("polls"), other) for other in said.values()))
    assert select(session, Query(conflict="polls")).tolist() == anybody


def test_uncovered_and_believed(session):
    assert select(session, Query(uncovered=True)).tolist() == rows_where(session, lambda a, said: not said)
    found = select(session, Query(believed="sports"))
    assert {session.votes.space[j] for j in session.analysis.guess[found]} == {"sports"}
    total = sum(len(select(session, Query(believed=name))) for name in session.votes.space)
    assert total == session.votes.covered.sum()


def test_known_and_wrong(session):
    gold = session.gold
    assert select(session, Query(gold="?")).tolist() == [a for a, name in enumerate(gold) if name]
    assert select(session, Query(gold="sports")).tolist() == [a for a, name in enumerate(gold) if name == "sports"]
    guess = [session.votes.space[j] for j in session.analysis.guess]
    wrong = [a for a, name in enumerate(gold) if name and guess[a] != name]
    assert select(session, Query(wrong=True)).tolist() == wrong
    of_power = rows_where(session, lambda a, said: gold[a] and "power" in said and gold[a] not in said["power"])
    assert select(session, Query(labeler="power", wrong=True)).tolist() == of_power


def test_a_row_without_a_vote_has_no_label_that_could_be_wrong(tmp_path):
    """`show --wrong` listed rows with "no votes", as if they were labelled with the first class."""
    mistaken = TOML.replace('says = "business"', 'says = "sports"')
    project = make(tmp_path, toml=mistaken, labelers=LABELERS.split("polls =")[0])
    project.run(["fit"])
    session = project.session
    silent = [a for a, name in enumerate(session.gold) if name and not session.votes.covered[a]]
    wrong = select(session, Query(wrong=True)).tolist()
    assert silent
    assert wrong
    assert not set(silent) & set(wrong)
    assert select(session, Query(wrong=True, uncovered=True)).tolist() == []


def test_text_is_found_whatever_its_case(session):
    texts = session.rows.take(range(len(session.votes)), ["body"])["body"].to_list()
    expected = [a for a, text in enumerate(texts) if "president" in text]
    assert select(session, Query(text="PRESIDENT")).tolist() == expected
    assert select(session, Query(text="w1.")).tolist() == []  # words, not a pattern


def test_the_least_sure_come_first(session):
    found = select(session, Query(unsure=True))
    shown = [max(row.beliefs.values()) for row in show_rows(session, found)]
    assert shown == sorted(shown)  # by the belief that is shown, not by another figure
    assert len(found) == session.votes.covered.sum()


def test_all_that_is_given_must_hold(session):
    both = set(select(session, Query(labeler="power", gold="business")).tolist())
    assert both == set(select(session, Query(labeler="power"))) & set(select(session, Query(gold="business")))


@pytest.mark.parametrize("query", [Query(labeler="mony"), Query(conflict="mony"), Query(believed="sprots")])
def test_names_that_are_not_there_are_told(session, query):
    with pytest.raises(ShortlistError, match="Did you mean"):
        select(session, query)


def test_where_nothing_is_known_that_is_told(tmp_path):
    project = make(tmp_path, toml=TOML.replace('gold = "label"\n', ""))
    project.run(["fit"])
    with pytest.raises(ShortlistError, match="shortlist label"):
        select(project.session, Query(wrong=True))


def test_after_a_run_rows_are_found_by_their_final_labels(tmp_path):
    """`run` said 24 gold rows are wrong, `show --wrong` listed 47: it went by votes alone."""
    project = make(tmp_path, labelers=LABELERS.replace("goal", "w1").replace("election|", "").replace("team", "w2"))
    swapped = pl.when(pl.col("n") == 3).then(pl.lit("sports")).otherwise("label")  # known classes that are wrong
    pl.read_csv(tmp_path / "news.csv").with_columns(label=swapped).write_csv(tmp_path / "news.csv")
    by_votes = select(project.run(["fit"]) and project.session, Query(wrong=True)).tolist()
    (trained,) = [one for one in project.run(["train"]) if one.stage == "train"]
    session = project.session
    joint, gold = session.joint, session.known.positions
    guess = joint.out_of_fold_.argmax(axis=1)
    assert (joint.beliefs_.argmax(axis=1) == gold)[gold >= 0].all()  # gold labels win there: none would be wrong
    wrong = select(session, Query(wrong=True))
    assert wrong.tolist() == np.flatnonzero((gold >= 0) & (guess != gold)).tolist() != by_votes
    assert len(wrong) == trained.facts["gold_rows"] - trained.facts["right"]["votes and text"] > 0
    assert all(row.final[0] not in row.known for row in show_rows(session, wrong))
    politics = select(session, Query(believed="politics", unsure=True))
    assert sorted(politics) == np.flatnonzero(guess == session.votes.space.position("politics")).tolist()
    shown = [row.final[1] for row in show_rows(session, politics)]
    assert shown == sorted(shown)
    assert len(select(session, Query(unsure=True))) == len(guess) > session.votes.covered.sum()
    (tmp_path / "labelers.py").write_text(LABELERS, "utf-8")
    project.run(["fit"])
    assert all(row.final is None for row in show_rows(project.session, wrong))
