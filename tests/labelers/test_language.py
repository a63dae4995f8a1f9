"""spacy_features(), with a blank pipeline standing in for the English model that cannot be had here."""

import pytest

from shortlist import apply, labeler, spacy_features
from shortlist.errors import LabelerFailed, MissingPackage


@pytest.fixture(scope="module")
def pipeline():
    import spacy

    nlp = spacy.blank("en")
    nlp.add_pipe("entity_ruler").add_patterns([{"label": "GPE", "pattern": "Paris"}])
    return nlp


def test_features_of_a_sentence_reach_labelers_by_name(pipeline):
    given = spacy_features(pipeline)
    place = labeler(says=["LOC", "HUM"], name="place")(lambda entities: "LOC" if "GPE" in entities else None)
    size = labeler(says=["LOC", "HUM"], name="size")(
        lambda doc, lemmas: "HUM" if len(doc) == 2 == len(lemmas.split()) else None
    )
    subject = labeler(says=["LOC", "HUM"], name="subject")(lambda subject: subject)
    votes = apply([place, size, subject], [{"text": "Paris shines"}, {"text": "No"}], features=given)
    assert votes.codes.tolist() == [[1, 2, 0], [0, 0, 0]]


@pytest.mark.heavy
def test_it_says_plainly_which_model_is_missing():
    given = spacy_features("xx_no_such_model")
    rule = labeler(says=["LOC", "HUM"], name="rule")(lambda doc: "LOC")
    with pytest.raises(LabelerFailed) as error:
        apply(rule, ["x"], features=given)
    cause = error.value.__cause__
    assert isinstance(cause, MissingPackage)
    assert "xx_no_such_model" in str(cause)
    assert "spacy download" in str(cause)
