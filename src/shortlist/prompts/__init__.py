"""Language models as labelers: questions whose answers are shortlists, scores that are kept, costs that are known."""

from shortlist.prompts.kept_scores import KeptScores
from shortlist.prompts.labeler import PromptLabeler, ask, choose
from shortlist.prompts.planning import Plan, plan, preview
from shortlist.prompts.rules import SuggestedRule, SuggestedRules, suggest_rules
from shortlist.prompts.spent import Spent

PROMPTS = ("ask", "choose")  # kinds of labelers that name a model

__all__ = [
    "PROMPTS",
    "KeptScores",
    "Plan",
    "PromptLabeler",
    "Spent",
    "SuggestedRule",
    "SuggestedRules",
    "ask",
    "choose",
    "plan",
    "preview",
    "suggest_rules",
]
