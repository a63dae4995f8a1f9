"""Language models as labelers: prompts whose answers are shortlists, stored scores, costs; texts like an example."""

from shortlist.prompts.planning import Plan, plan, preview
from shortlist.prompts.prompt_labeler import PromptLabeler, ask, choose
from shortlist.prompts.rule_writer import suggest_rules
from shortlist.prompts.score_store import ScoreStore, Spent
from shortlist.prompts.similarity import similar

PROMPTS = ("ask", "choose")  # kinds of labelers that name a model

__all__ = [
    "PROMPTS",
    "Plan",
    "PromptLabeler",
    "ScoreStore",
    "Spent",
    "ask",
    "choose",
    "plan",
    "preview",
    "similar",
    "suggest_rules",
]
