"""Analysis: tables about labelers, rows and classes, before and after fitting."""

from shortlist.analysis.analysis import Analysis

__all__ = ["Analysis"]
