"""Stage 1: rows in, Votes out."""

from shortlist.labelers.answers import Ballot, checked_answer
from shortlist.labelers.apply import apply
from shortlist.labelers.attributes import Attribute, attributes
from shortlist.labelers.features import Feature, feature
from shortlist.labelers.labeler import FunctionLabeler, Labeler, Parts, labeler, labeler_kind
from shortlist.labelers.language import spacy_features
from shortlist.labelers.models import from_classifier
from shortlist.labelers.text_search import TextLabeler, keywords, pattern
from shortlist.labelspace import Not

__all__ = [
    "Attribute",
    "Ballot",
    "Feature",
    "FunctionLabeler",
    "Labeler",
    "Not",
    "Parts",
    "TextLabeler",
    "apply",
    "attributes",
    "checked_answer",
    "feature",
    "from_classifier",
    "keywords",
    "labeler",
    "labeler_kind",
    "pattern",
    "spacy_features",
]
