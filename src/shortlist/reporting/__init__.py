"""Reporting: what labelers do, to look at: one HTML page, or a summary on the terminal."""

from shortlist.reporting.page import report
from shortlist.reporting.summary import Summary, summarise

__all__ = ["Summary", "report", "summarise"]
