"""The paper's labelers: they say what the printed rules say on every real row, with the printed shortlists."""

import numpy as np
import pytest

from experiments import agnews, scicite, trec
from experiments.subject import subject
from shortlist import apply
from shortlist.votes import Codomain
from tests.experiments.paper import RULES

MODULES = {"scicite": scicite, "trec": trec, "agnews": agnews}
LABELERS = [(name, i) for name, module in MODULES.items() for i in range(len(module.labelers))]
LABELER_IDS = [f"{name}-{MODULES[name].labelers[i].name}" for name, i in LABELERS]


def voted(name, rows):
    """The votes with the stand-in for the subject, whether spaCy is installed or not."""
    return apply(MODULES[name].labelers, rows, space=MODULES[name].SPACE, features=[subject])


def groups(name, label_maps):
    """The printed label_maps with class names."""
    return {key: frozenset(MODULES[name].SPACE[j] for j in classes) for key, classes in label_maps.items()}


def test_as_many_labelers_as_in_the_paper():
    assert {name: len(module.labelers) for name, module in MODULES.items()} == {"scicite": 10, "trec": 16, "agnews": 11}
    assert {name: len(rules) for name, rules in RULES.items()} == {"scicite": 10, "trec": 16, "agnews": 11}


@pytest.mark.parametrize("name", MODULES)
def test_names_of_labelers_are_unique(name):
    names = [labeler.name for labeler in MODULES[name].labelers]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize(("name", "i"), LABELERS, ids=LABELER_IDS)
def test_shortlists_are_the_label_maps_of_the_paper(name, i):
    """A group that a rule never returns is the dummy that the library adds."""
    codomain = Codomain.declare(MODULES[name].labelers[i].says, MODULES[name].SPACE)
    printed = set(groups(name, RULES[name][i][1]).values())
    assert set(codomain.shortlists) == printed
    assert set(codomain.says) == printed - codomain.dummies


@pytest.mark.parametrize("split", ["dev", "test"])
@pytest.mark.parametrize("name", MODULES)
def test_votes_are_those_of_the_printed_rules(name, split, load):
    rows = load(name)[split].rows
    votes = voted(name, rows)
    plain = rows.to_dicts()
    for i, (decide, label_maps) in enumerate(RULES[name]):
        meaning = {-1: None, **groups(name, label_maps)}
        expected = [meaning[decide(row)] for row in plain]
        shortlists = [None, *votes.codomains[i].shortlists]
        differing = [a for a, code in enumerate(votes.codes[:, i]) if shortlists[code] != expected[a]]
        assert differing == [], f"{votes.names[i]} differs from the paper's rule"


# What each labeler said about the test rows: how often it gave each of its shortlists, in the order it says them.
COVERED = {"scicite": (1861, 1861), "trec": (229, 500), "agnews": (3764, 7600)}
SAID = {
    "scicite": {
        "first_person": [227],
        "section_title": [85, 476, 1087],
        "result_word": [298, 1563],
        "many_cited": [43],
        "qualified_result": [22],
        "method_words": [460, 1401],
        "comparison": [131],
        "known_so_far": [151],
        "finding": [53],
        "method_terms": [84],
    },
    "trec": {
        "first_word": [47, 26, 26, 4, 33, 2],
        "called": [12],
        "mean": [8],
        "abbreviation": [7],
        "definition": [1],
        "subject_is_thing": [23],
        "subject_is_place": [21],
        "what_year": [14],
        "how_many": [16],
        "what_mean": [8],
        "what_use": [1],
        "measure": [53],
        "explain": [9],
        "manner": [0],
        "how_verb": [1],
        "what_stands_for": [5],
    },
    "agnews": {
        "place_and_event": [349],
        "location_in_title": [182],
        "sports_names": [138],
        "business_words": [327],
        "tech_terms": [310],
        "exclusive_words": [896, 764, 286, 849],
        "person_and_place_in_title": [284],
        "person_and_event": [347],
        "product_in_title": [121],
        "leaders": [272],
        "internet": [204],
    },
}


@pytest.mark.parametrize("name", MODULES)
def test_votes_on_the_test_rows_are_pinned(name, load):
    votes = voted(name, load(name)["test"].rows)
    said = {
        labeler: [int(counts[codomain.code(s)]) for s in codomain.says]
        for labeler, codomain, counts in zip(votes.names, votes.codomains, votes.counts(), strict=True)
    }
    assert said == SAID[name]
    assert (int(votes.covered.sum()), len(votes)) == COVERED[name]


def test_the_workers_say_the_same(load):
    rows = load("trec")["dev"].rows
    one = voted("trec", rows)
    two = apply(trec.labelers, rows, space=trec.SPACE, features=[subject], workers=2)
    assert np.array_equal(one.codes, two.codes)


def test_every_pattern_runs_in_the_linear_engine():
    declarative = [labeler for module in MODULES.values() for labeler in module.labelers if hasattr(labeler, "engine")]
    assert len(declarative) == 8 + 13 + 5
    assert {labeler.engine for labeler in declarative} == {"polars"}
