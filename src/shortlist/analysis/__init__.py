"""Analysis: tables about labelers, rows and classes, before and after fitting."""

from shortlist.analysis.analysis import Analysis, suggest_questions

__all__ = ["Analysis", "suggest_questions"]
