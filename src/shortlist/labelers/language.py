"""spacy_features(): features of the grammar of a text, computed once per row and shared by all labelers.

doc, lemmas, entities, subject = spacy_features()

@labeler(says=["LOC"])
def place(subject):
    if subject in ("city", "country"):
        return "LOC"
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

from shortlist.errors import MissingPackage, require
from shortlist.labelers.features import Feature, feature


class SpacyFeatures(NamedTuple):
    """doc: the parsed text; lemmas: its words in their base form, joined by blanks; entities: the kinds of the
    named entities in it (a list of names such as GPE); subject: the lemma of its grammatical subject, or None.
    """

    doc: Feature
    lemmas: Feature
    entities: Feature
    subject: Feature


def spacy_features(model: str | Any = "en_core_web_sm") -> SpacyFeatures:
    """Features of the text of a row, by spaCy.

    model   the name of an installed model, which is loaded when the first row asks for it, or a pipeline
    """

    @feature
    def doc(text: str) -> Any:
        return (_load(model) if isinstance(model, str) else model)(text)

    @feature
    def lemmas(doc: Any) -> str:
        return " ".join(token.lemma_ or token.text for token in doc)

    @feature
    def entities(doc: Any) -> list[str]:
        return [entity.label_ for entity in doc.ents]

    @feature
    def subject(doc: Any) -> str | None:
        subjects = (t.lemma_.lower() for t in doc if t.dep_ in ("nsubj", "nsubjpass", "attr"))
        asking = ("what", "which", "who", "whom", "whose")  # never the topic of a question
        return next((lemma for lemma in subjects if lemma not in asking), None)

    for one in (lemmas, entities, subject):
        one.siblings = {"doc": doc}
    return SpacyFeatures(doc, lemmas, entities, subject)


@cache
def _load(model: str) -> Any:
    spacy = require("spacy", extra="spacy")
    try:
        return spacy.load(model)
    except OSError as error:
        raise MissingPackage(
            f"spaCy is installed, but its model {model!r} is not: python -m spacy download {model}"
        ) from error
