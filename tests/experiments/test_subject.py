"""The stand-in for the grammatical subject of a question, and when it stands in."""

import pytest

from experiments import subject as home
from experiments.subject import subject, subject_feature
from shortlist import spacy_features

QUESTIONS = {
    "What city has the world 's longest subway system ?": "city",
    "What English word contains the most letters ?": "word",
    "What 's the Hungarian word for pepper ?": "word",
    "What are the five richest countries in the world ?": "country",
    "What country 's capital was formed when Pesth and Buda merged ?": "capital",
    "What kind of tree graces Lebanon 's flag ?": "tree",
    "Which type of submarine was bought recently by South Korea ?": "submarine",
    "In what year did the Bounty mutiny happen ?": "year",
    "What international sport was originally called hurley ?": "sport",
    "What is the largest U.S. state east of the Mississippi ?": "state",
    "What does the Peugeot company manufacture ?": "company",
    "Name Randy Craft 's lawyer .": "lawyer",
    "What is a disaccharide ?": "disaccharide",
    "What's the main vegetable in vichyssoise ?": "vegetable",
    "What animals acted as lapwarmers for American colonists in church ?": "animal",
    "Who wrote Hamlet ?": None,
    "How far is it from Denver to Aspen ?": None,
    "What ?": None,
    "What": None,
    "": None,
}


@pytest.mark.parametrize(("question", "answer"), QUESTIONS.items(), ids=map(repr, QUESTIONS))
def test_the_stand_in_finds_what_is_asked_for(question, answer):
    assert subject({"text": question}) == answer


@pytest.mark.parametrize("installed", [(), ("spacy",), ("en_core_web_sm",)], ids=str)
def test_the_stand_in_is_used_unless_spacy_and_its_model_are_there(installed, monkeypatch):
    monkeypatch.setattr(home, "find_spec", lambda package: package in installed or None)
    assert subject_feature() is subject


def test_spacy_is_used_where_it_and_its_model_are_there(monkeypatch):
    monkeypatch.setattr(home, "find_spec", lambda _package: True)
    chosen = subject_feature()
    assert chosen is not subject
    assert chosen.name == "subject"
    assert chosen.siblings["doc"].name == "doc"


def test_spacy_passes_over_the_question_word():
    """In "What is the capital ?" the parser calls both "what" and "capital" by names of a subject."""
    tokens = pytest.importorskip("spacy.tokens")
    vocab = pytest.importorskip("spacy.vocab").Vocab()
    words, deps = ["What", "is", "the", "capital", "?"], ["attr", "ROOT", "det", "nsubj", "punct"]
    parsed = tokens.Doc(
        vocab, words=words, lemmas=["what", "be", "the", "capital", "?"], deps=deps, heads=[1, 1, 3, 1, 1]
    )
    assert spacy_features(lambda _text: parsed).subject("What is the capital ?") == "capital"
