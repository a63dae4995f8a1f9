"""Analysis: what labelers do, in numbers, before and after fitting. Tables, never plots."""

from shortlist.analysis.core import Analysis, suggest_questions

__all__ = ["Analysis", "suggest_questions"]
