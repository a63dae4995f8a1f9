"""Language models behind one small protocol: prompts and choices in, log-probabilities out."""

from shortlist.models.http import HTTP
from shortlist.models.language_model import Answer, Budget, Model, Price, as_model, model_from_record, model_kind
from shortlist.models.llamacpp import LlamaCpp
from shortlist.models.transformers import Transformers

__all__ = [
    "HTTP",
    "Answer",
    "Budget",
    "LlamaCpp",
    "Model",
    "Price",
    "Transformers",
    "as_model",
    "model_from_record",
    "model_kind",
]
