"""What one types at a prompt, or in a notebook, is answered by a table of text that a person reads."""

import re

import pytest

from shortlist import Analysis, LabelModel, Votes, diagnose, intervals
from shortlist.errors import BadFit, BadVotes
from tests.analysis.worked import quietly_fitted
from tests.reporting.showing import drawn, hostile


@pytest.fixture(scope="module")
def shown():
    """Name → an object to look at, made of names that attack."""
    votes, model, _, gold = hostile()
    return {
        "votes": votes,
        "model": model,
        "analysis": Analysis(votes, model, gold=gold),
        "diagnosis": diagnose(votes),
        "explanation": model.explain(votes, 3),
        "intervals": intervals(model),
    }


@pytest.mark.parametrize("name", ["votes", "model", "analysis", "diagnosis", "explanation", "intervals"])
def test_nothing_prints_as_an_address(shown, name):
    thing = shown[name]
    assert " object at 0x" not in repr(thing)
    if name not in ("diagnosis", "explanation"):
        for labeler in shown["votes"].names:
            assert labeler in repr(thing)


def test_a_fitted_model_says_what_it_found():
    votes = drawn().votes
    assert repr(LabelModel()) == "LabelModel()"
    text = repr(quietly_fitted(votes))
    assert text.startswith("LabelModel()\nFitted on 300 rows and 4 labelers; converged after")
    assert "stopped before it converged" in repr(quietly_fitted(votes, max_iter=1))


def test_a_fitted_model_does_not_call_a_labeler_with_one_answer_perfect():
    """Newcomer M2: 0 % and 100 %, by construction."""
    votes = Votes([[1, 1], [0, 2], [1, 2], [0, 1]] * 10, [["a"], ["a", "b"]], ["a", "b"], ["film", "both"])
    (line,) = [line for line in repr(quietly_fitted(votes)).splitlines() if line.startswith("film")]
    assert line.split() == ["film", "50.0%", "–", "–"]


def test_a_fitted_model_leaves_out_a_class_that_a_labeler_cannot_name():
    """Newcomer B5: `worst class 0%`, by construction, where `accuracies` and the report leave it blank."""
    both, all_three = [["cat"], ["dog"]], [["cat"], ["dog"], ["owl"]]
    codes = [[1, 1, 1], [2, 2, 2], [0, 3, 3], [1, 1, 2], [2, 2, 3], [2, 2, 2]] * 10
    votes = Votes(codes, [both, all_three, all_three], ["cat", "dog", "owl"], ["two", "x", "y"])
    model = quietly_fitted(votes)
    assert model.accuracy_[0, 2] == 0
    told = Analysis(votes, model).accuracies().drop_nulls("accuracy")
    ends = [f"{end:.0%}" for end in (told["accuracy"][:2].min(), told["accuracy"][:2].max())]
    assert told["labeler"].to_list()[:3] == ["two", "two", "x"]
    (line,) = [line for line in repr(model).splitlines() if line.startswith("two")]
    assert line.split()[2:] == ends


def test_an_analysis_does_not_print_an_accuracy_that_votes_cannot_tell():
    """Newcomer B5: `accuracy 87.8%` where `fit`, and the report say that they are unsure."""
    codes = [[1, 1, 1], [0, 2, 2], [1, 2, 2], [0, 1, 1]] * 10
    votes = Votes(codes, [["a"], ["a", "b"], ["a", "b"]], ["a", "b"], ["film", "both", "more"])
    analysis = Analysis(votes, quietly_fitted(votes))
    told = {line[0]: line[-1] for line in (line.split("  ") for line in repr(analysis).splitlines()[2:])}
    assert re.fullmatch(r"~\d+%, unsure", told["film"].strip())
    assert told["both"].strip() == f"{analysis.labelers()['accuracy'][1]:.1%}"
    assert analysis.labelers()["accuracy"].null_count() == 0  # the table keeps them, with their intervals


def test_an_analysis_says_how_good_it_is():
    votes, truth = drawn()
    analysis = Analysis(votes, quietly_fitted(votes), gold=list(truth))
    head = repr(analysis).splitlines()[0]
    assert head.startswith("Analysis: 300 rows, 4 labelers, 3 classes, LabelModel, 300 gold rows, right on")
    assert f"(counting votes: {analysis.counting_on_gold:.1%})" in head
    assert repr(Analysis(votes)).splitlines()[1].split() == ["labeler", "coverage", "overlap", "conflict", "size"]


def test_a_label_matrix_is_told_how_to_come_in():
    with pytest.raises(BadVotes, match=r"from_snorkel"):
        LabelModel().fit(drawn().votes.codes)
    with pytest.raises(BadVotes, match=r"from_snorkel"):
        LabelModel().fit([[0, 1], [1, 1]])


def test_votes_are_no_beliefs():
    from shortlist import NoiseAwareClassifier

    votes = drawn().votes
    with pytest.raises(BadFit, match="predict_proba"):
        NoiseAwareClassifier().fit(["text"] * len(votes), votes)


@pytest.mark.parametrize("row", ["uid", 300, -301, 1.5, None])
def test_a_row_to_explain_is_a_number(row):
    votes = drawn().votes
    with pytest.raises(BadVotes, match="from 0 to 299"):
        quietly_fitted(votes).explain(votes, row)
