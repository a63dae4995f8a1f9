"""What to do comes first, by gain, with a line of code, and never contradicts itself."""

import ast
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import shortlist
from shortlist import LabelModel, MajorityVote, Votes
from shortlist.analysis import Analysis
from shortlist.reporting.advice import (
    ENOUGH,
    Case,
    advise,
    balance_of_votes,
    check,
    contradiction,
)
from shortlist.reporting.checkup import Checkup
from shortlist.reporting.harm import suspects, worse_than_chance
from shortlist.reporting.overview import Final, Overview, verdict
from shortlist.reporting.snippets import Snippets
from shortlist.reporting.trials import Average, named_shares
from shortlist.votes import Failure
from tests.analysis.worked import quietly_fitted
from tests.reporting.showing import drawn, hostile, overview_of
from tests.reporting.test_trials import misled


def advice_of(votes, model=None, *, gold=None):
    return advise(overview_of(votes, model, gold=gold))


def case_of(votes, model=None):
    return Case(overview_of(votes, model), Snippets())


def kinds(found):
    return [one.kind for one in found]


def test_labelers_that_mislead_the_model_come_first_and_the_gain_is_measured():
    votes, truth, model = misled()
    found = advice_of(votes, model, gold=truth)
    assert {one.code for one in found[:2]} == {"del rumour", "del echo"}
    assert found[0].measured
    assert found[0].gain > 200
    assert "gold rows" in found[0].why


def with_a_copy():
    """Labelers of which one nearly repeats another."""
    votes = drawn(2000).votes
    copied = votes.codes[:, :1].copy()
    copied[:200], copied[200:400] = 0, 1
    return Votes.beside([votes, Votes(copied, votes.codomains[:1], votes.space, ["copy"])])


def test_without_gold_rows_near_copies_are_tried():
    votes = with_a_copy()
    reasons = dict(suspects(case_of(votes, quietly_fitted(votes))))
    assert "copy" in reasons or "goal" in reasons
    assert "agree more often than their accuracies explain" in next(iter(reasons.values()))


def test_the_most_gain_comes_first():
    votes, truth, model = misled(seed=3)
    for gold, least in ((truth, 2), (None, 1)):
        gains = [one.gain for one in advice_of(votes, model, gold=gold) if one.gain is not None]
        assert len(gains) >= least
        assert gains == sorted(gains, reverse=True)
        assert min(gains) >= 1


def contradicted(seen=()):
    """40 rows on which two labelers contradict each other, and each alone on gold rows: 20 of 20 right, 4 of 10."""
    codes = np.repeat([[1, 1], [1, 0], [0, 1]], [40, 20, 10], axis=0)
    votes = Votes(codes, [["a"], ["b"]], ["a", "b"], ["good", "poor"])
    alone = dict(enumerate(["a"] * 20 + ["b"] * 4 + ["a"] * 6, start=40))
    labels = np.eye(2)[np.repeat([1, 0, 1], [40, 20, 10])]  # they follow the poor one
    analysis = Analysis(votes, MajorityVote().fit(votes), gold={**alone, **dict(seen)})
    return Case(Overview(analysis, final=Final(labels, None, None, None)), Snippets())


def test_a_contradiction_that_labels_settle_for_the_worse_side():
    (one,) = contradiction(contradicted(dict.fromkeys(range(12), "a") | {12: "b"}))
    assert one.what == "Let poor abstain where it contradicts good."
    assert "It does on 40 rows" in one.why
    assert "Of the 13 of them that have a gold label, good is right on 12, poor on 1, and the labels on 1." in one.why
    assert one.gain == pytest.approx(40 * (12 - 1) / 13)
    assert (one.measured, one.gold_rows) == (True, 13)


@pytest.mark.parametrize("seen", [{}, dict.fromkeys(range(9), "a"), dict.fromkeys(range(10), "b")])
def test_of_a_contradiction_only_gold_rows_on_which_both_vote_tell_who_is_right(seen):
    """None, too few, or ten that side with the labels. On Debian packages, each alone said 115 of 115 and 5 of 5."""
    assert not list(contradiction(contradicted(seen)))


def test_a_labeler_worse_than_chance_by_gold_rows():
    table = pl.DataFrame(
        {"labeler": ["film", "state"], "votes": [50, 50], "size": [1.0, 1.0], "accuracy": [0.2, 0.2],
         "accuracy_high": [0.25, 0.25], "gold_votes": [40, 3], "gold_accuracy": [0.1, 0.1]}
    )  # fmt: skip
    assert dict(worse_than_chance(table, ["state"], 2)) == {
        "film": "It is right on 10% of 40 gold rows; random answers of its size would be right 50% of the time."
    }
    assert "estimated" in dict(worse_than_chance(table, [], 2))["state"]


def test_labelers_that_never_voted_are_told_in_one_line():
    votes, _ = drawn()
    codes = votes.codes.copy()
    codes[:, 2:] = 0
    found = advice_of(Votes(codes, votes.codomains, votes.space, votes.names), None)
    (one,) = (one for one in found if one.kind == "silent")
    assert one.what == f"Fix {votes.names[2]}, {votes.names[3]}, or delete them: they never voted on these rows."
    assert one.code == f"del {votes.names[2]}, {votes.names[3]}"


def test_what_is_broken_comes_before_what_could_be_better():
    votes, truth = drawn()
    codes = votes.codes.copy()
    codes[:, 3] = 0
    failures = [Failure(7, "Traceback …\nValueError: no title"), None, None, None]
    votes = Votes(codes, votes.codomains, votes.space, votes.names, failures=failures)
    found = advice_of(votes, quietly_fitted(votes, max_iter=1), gold=list(truth))
    assert kinds(found)[:3] == ["failed", "silent", "unfinished"]
    assert "failed on 7 rows" in found[0].what
    assert found[0].why.endswith("ValueError: no title")
    assert found[0].code == f"# in {votes.names[0]}: return None on rows where it cannot answer"
    assert "score" in found[1].what
    assert eval(found[2].code, {"LabelModel": LabelModel}).max_iter == 10


def test_a_labeler_that_failed_is_not_called_silent_as_well():
    votes, _ = drawn()
    codes = votes.codes.copy()
    codes[:, 3] = 0
    failures = [None, None, None, Failure(len(votes), "ValueError: no")]
    assert kinds(advice_of(Votes(codes, votes.codomains, votes.space, votes.names, failures=failures))) == ["failed"]


def test_one_sided_labelers_are_told_once_and_what_to_write():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 3, 600)
    hit = (rng.random((600, 3)) < 0.9) & (truth[:, None] == np.arange(3))
    votes = Votes(hit.astype(int), [["a"], ["b"], [{"a", "c"}]], ["a", "b", "c"], ["film", "state", "either"])
    (one,) = [one for one in advice_of(votes, quietly_fitted(votes)) if one.kind == "two-sided"]
    assert "film, state, either" in one.what
    assert 'no=Not("a")' in one.code


def keyword_lists(m=1500, seed=0, recall=0.2):
    """Two lists of words for each of four classes: each finds `recall` of its rows, and 6 % of the others."""
    rng = np.random.default_rng(seed)
    truth, own = rng.integers(0, 4, m), np.repeat(np.arange(4), 2)
    hit = rng.random((m, 8)) < np.where(truth[:, None] == own, recall, 0.06)
    votes = Votes(hit.astype(int), [["abcd"[j]] for j in own], list("abcd"), [f"words{i}" for i in range(8)])
    return votes, np.array(list("abcd"))[truth]


@pytest.mark.parametrize("seed", range(3))
def test_what_is_not_measured_is_not_told_as_a_gain(seed):
    """A newcomer without gold rows was promised 152 rows for saying what a row is not, and lost 100."""
    votes, truth = keyword_lists(seed=seed)
    model = quietly_fitted(votes)
    found = advice_of(votes, model)
    places = kinds(found)
    (one,) = [one for one in found if one.kind == "two-sided"]
    assert one.gain is None
    assert one.show_gain(len(votes)) == ""
    assert places.index("label") < places.index("two-sided")
    assert all(other.gain is None for other in found[places.index("two-sided") :])  # after all that has a gain
    assert "helps only a labeler that catches nearly all rows of its class" in one.why
    measured = advice_of(votes, model, gold=dict(enumerate(truth[:300])))
    assert all(other.measured and other.gain > 0 for other in measured if other.kind == "two-sided")


def test_without_gold_rows_only_new_labelers_have_a_gain():
    """What is tried on the votes at hand is measured, or has none."""
    votes = with_a_copy()
    found = advice_of(votes, quietly_fitted(votes))
    assert {one.kind for one in found if one.gain is not None} <= {"mixed", "uncovered"}
    left = [one for one in found if one.kind == "leave out"]
    assert left
    for one in left:
        assert one.gain is None
        assert "Leave it out only if it is wrong too often" in one.what
        assert "would change their label" in one.why
    votes, truth, model = misled()
    best = advice_of(votes, model, gold=truth)[0]
    assert best.show_gain(len(votes)) == f"About {best.gain:,.0f} more of 900 rows right (measured on 900 gold rows)"


def test_a_one_sided_labeler_is_not_judged_by_an_estimate_that_cannot_be_made():
    votes, _ = drawn(600)
    film = Votes(np.ones((600, 1), int), [["business"]], votes.space, ["film"])
    votes = Votes.beside([votes, film])
    assert "del film" not in [one.code for one in advice_of(votes, quietly_fitted(votes))]


def test_rows_without_a_vote_and_classes_that_are_mixed_up():
    votes = drawn(600).votes
    codes = votes.codes.copy()
    codes[:300] = 0
    found = advice_of(Votes(codes, votes.codomains, votes.space, votes.names), quietly_fitted(votes))
    assert "uncovered" in kinds(found)
    assert "mixed" in kinds(found)
    assert "300 rows (50%)" in next(one for one in found if one.kind == "uncovered").why


def test_one_row_is_told_as_one():
    votes = drawn(600).votes
    found = {one.kind: one for one in advice_of(votes, quietly_fitted(votes, max_iter=1), gold={5: "sports"})}
    assert found["label"].why.startswith("1 row has a known class.")
    assert found["unfinished"].why.endswith("after 1 step.")


def test_gold_rows_are_asked_for_until_there_are_enough():
    votes, truth = drawn()
    model, gold = quietly_fitted(votes), dict(enumerate(truth))
    assert kinds(advice_of(votes, model))[0] == "label"  # where nothing is measured, all else is a guess
    some = dict(list(gold.items())[: ENOUGH - 1])
    assert kinds(advice_of(votes, model, gold=some))[-1] == "label"
    assert "label" not in kinds(advice_of(votes, model, gold=dict(list(gold.items())[:ENOUGH])))
    assert "label" not in kinds(advice_of(votes))  # nothing to score yet


def test_where_gold_rows_show_no_mistake_there_is_nothing_to_do():
    votes, _ = drawn(600)
    model = quietly_fitted(votes)
    overview = overview_of(votes, model, gold=list(model.predict(votes)))
    assert check(overview).advice == ()
    assert "Nothing to do: the labels are right on 100.0% of the gold rows" in str(check(overview))


def test_the_code_of_every_advice_is_code():
    votes, model, _, gold = hostile()
    seen = [*advice_of(votes, model, gold=gold), *advice_of(votes, model)]
    odd, truth = drawn(600, classes=('it\'s "odd" \\ é', "sports", "world"))
    seen += [*advice_of(odd, quietly_fitted(odd), gold=list(truth)), *advice_of(odd, quietly_fitted(odd))]
    votes, truth, model = misled()
    seen += advice_of(votes, model, gold=truth)
    for one in seen:
        if one.kind not in ("failed", "silent", "leave out"):  # these hold a name, which need not be Python's
            ast.parse(one.code)
    assert {"failed", "mixed", "leave out"} <= set(kinds(seen))


def test_advice_names_only_what_is_there():
    assert hasattr(shortlist, "Analysis")
    assert hasattr(shortlist.Analysis, "suggest")


def test_findings_about_the_same_classes_do_not_contradict_each_other():
    """How many labelers tell two classes apart was counted in two ways on one page."""
    votes = drawn(600).votes
    overview = overview_of(votes, quietly_fitted(votes))
    words = " ".join([*(one.why for one in check(overview).advice), *check(overview).diagnosis.findings])
    assert "name one without the other" not in words
    assert "nobody" not in words


def test_where_gold_rows_settle_it_the_verdict_asks_for_nothing():
    """`check` said "Nothing to do", and then "Not identifiable … three are needed"."""
    overview = news_overview()
    assert check(overview).identifiable is False
    assert check(overview).advice == ()
    assert "You need not act on this" in str(check(overview))
    assert verdict(check(overview)).text == check(overview).verdict
    assert "You need not act" not in check(news_overview(known=0)).verdict


def test_who_has_gold_labels_is_not_told_to_add_them():
    assert "Add other labelers or gold labels" in check(news_overview(known=0)).verdict
    assert "Add other labelers" not in check(news_overview()).verdict


def test_gold_labels_that_take_no_part_in_the_fit_are_not_said_to_help_it():
    """`check` always ended with "Your gold labels help with what votes leave open"."""
    scoring = news_overview()
    assert "help" not in check(scoring).verdict
    assert check(scoring).verdict.startswith("You need not act on this: gold rows show how good the labels are. ")
    assert "There, the model falls back on its prior." in check(scoring).verdict
    busy = replace(check(scoring), advice=tuple(advise(news_overview(known=10))))
    assert "on its prior; your gold labels show how good the labels are." in busy.verdict
    fitting = check(Overview(scoring.analysis, gold_fits=True))
    assert "Your gold labels take part in the fit, and help with what votes leave open." in fitting.verdict
    assert Checkup.from_dict(fitting.to_dict()).verdict == fitting.verdict


def news_overview(known=300):
    """Rules of which each names its class and nothing else, always right."""
    truth = np.random.default_rng(0).integers(0, 3, 300)
    votes = Votes((truth[:, None] == np.arange(3)).astype(int), [["a"], ["b"], ["c"]], ["a", "b", "c"])
    gold = {a: "abc"[truth[a]] for a in range(known)}
    return overview_of(votes, quietly_fitted(votes), gold=gold or None)


def test_an_accuracy_that_is_not_known_is_no_part_of_the_average():
    """The table said "not known", and the advice counted a guess of 70 % with the others."""
    table = pl.DataFrame(
        {"labeler": ["film", "state"], "votes": [50, 50], "coverage": [0.5, 0.5], "accuracy": [0.7, 0.9],
         "accuracy_low": [0.0, 0.8], "accuracy_high": [1.0, 0.95]}
    )  # fmt: skip
    assert Average.of(table).accuracy == pytest.approx(0.9)
    assert Average.of(table[:1]).accuracy == pytest.approx(0.7)  # nothing else is told
    gold = table.with_columns(gold_accuracy=pl.Series([0.5, None]))
    assert Average.of(gold).accuracy == pytest.approx(0.7)


def test_fewer_labelers_are_tried_where_there_are_many():
    few = Votes([[1, 1]], [["a"], ["b"]], ["a", "b"])
    many = Votes(np.zeros((1, 300), int), [["a"]] * 300, ["a", "b"])
    assert case_of(few).most_tried == 20
    assert case_of(many).most_tried == 8  # 8 × 300 × 2 ≤ 5,000


def mostly_ham(m=2000, *, seed=0):
    """Six labelers that vote on a quarter of the rows and are right on 70 %; one row in ten is spam. And classes."""
    rng = np.random.default_rng(seed)
    truth = (rng.random(m) < 0.1).astype(int)
    said = 1 + np.where(rng.random((m, 6)) < 0.7, truth[:, None], 1 - truth[:, None])
    said[rng.random((m, 6)) < 0.75] = 0
    return Votes(said, [["ham", "spam"]] * 6, ["ham", "spam"]), np.array(["ham", "spam"])[truth]


def balance_advice(votes, model, **known):
    return [one for one in advice_of(votes, model, **known) if one.kind == "balance"]


def test_the_balance_is_asked_for_where_labels_depend_on_it():
    votes, truth = mostly_ham()
    model = quietly_fitted(votes)
    (one,) = balance_advice(votes, model)
    share = (votes.codes == 1).sum() / (votes.codes > 0).sum()
    assert f"ham has {share:.0%} of the votes" in one.why
    assert f"the model takes {model.class_balance_[0]:.0%} of the rows" in one.why
    assert one.gain is None
    given = eval(one.code, {"model": LabelModel()})
    assert given.balance["ham"] == pytest.approx(share, abs=0.001)
    right = [(each.fit(votes).predict(votes) == truth)[votes.covered].sum() for each in (LabelModel(), given)]
    assert right[1] > right[0] + 50
    (measured,) = balance_advice(votes, model, gold=list(truth))
    assert measured.measured
    assert measured.gain == pytest.approx(right[1] - right[0], abs=3)  # the line has three digits


def test_the_balance_is_not_asked_for_where_it_is_known_or_changes_little():
    votes, truth = mostly_ham()
    assert not balance_advice(votes, LabelModel(balance={"ham": 0.9, "spam": 0.1}).fit(votes))
    assert not balance_advice(votes, LabelModel(balance="uniform").fit(votes))
    knowing = overview_of(votes, quietly_fitted(votes), gold=list(truth))
    knowing.gold_fits = True
    assert "balance" not in kinds(advise(knowing))
    equal, _ = drawn()
    assert not balance_advice(equal, quietly_fitted(equal))


def test_the_line_keeps_the_other_options_of_the_model():
    votes, _ = mostly_ham()
    (one,) = balance_advice(votes, quietly_fitted(votes, estimator="likelihood"))
    assert eval(one.code, {"model": LabelModel(estimator="likelihood")}).estimator == "likelihood"


def test_how_much_must_depend_on_the_balance():
    """Shares are 9 points apart, and 8 % of the labels change."""
    votes, _ = mostly_ham()
    case, shares = case_of(votes, quietly_fitted(votes)), named_shares(votes)
    assert list(balance_of_votes(case, case.trials, shares))
    assert not list(balance_of_votes(case, case.trials, shares, least=0.2))
    assert not list(balance_of_votes(case, case.trials, shares, apart=0.3))


def rules(spam, m=2000, *, seed=0):
    """Six rules for spam, and two for ham."""
    rng = np.random.default_rng(seed)
    truth = (rng.random(m) < spam).astype(int)
    hits = [rng.random(m) < np.where(truth == j, 0.4, 0.05) for j in (1, 1, 1, 1, 1, 1, 0, 0)]
    said = [["spam"]] * 6 + [["ham"]] * 2
    return Votes(np.column_stack(hits).astype(int), said, ["ham", "spam"]), truth


def test_rules_do_not_show_how_frequent_classes_are_so_no_shares_are_advised():
    """Shares of their votes were: 55 % spam, where 10 % is true, and labels were worse for it."""
    votes, truth = rules(0.1)
    assert named_shares(votes) is None
    model = quietly_fitted(votes)
    (one,) = balance_advice(votes, model)
    assert "Rules do not show it" in one.why
    assert one.code == '# model.set_params(balance={"ham": ..., ...}), with a share for each class'
    assert one.gain is None
    known = [quietly_fitted(votes, **options) for options in ({}, {"balance": {"ham": 0.9, "spam": 0.1}})]
    right = [(each.predict_proba(votes).argmax(axis=1) == truth)[votes.covered].mean() for each in known]
    assert right[1] > right[0] + 0.1  # so it is worth asking for


def test_shares_of_votes_by_hand():
    """A vote for two classes is half a vote for each, every class has one vote more, and rules do not count."""
    says = [[{"a", "b"}, "c"], ["a", "b", "c"], ["a"], [{"a", "b"}, {"a", "c"}]]
    votes = Votes([[1, 1, 1, 1], [1, 3, 1, 1], [2, 3, 1, 2]], says, ["a", "b", "c"])
    assert named_shares(votes) == {"a": pytest.approx(3 / 9), "b": pytest.approx(2 / 9), "c": pytest.approx(4 / 9)}
    assert named_shares(votes[:2, [0]]) is None  # it never says c: 49 % of the classes were advised for two of eight
