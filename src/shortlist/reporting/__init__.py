"""Reporting: advice about labelers, one HTML page, and a summary for the terminal."""

from shortlist.reporting.advice import checkup
from shortlist.reporting.checkup import Advice, Checkup
from shortlist.reporting.page import report
from shortlist.reporting.summary import Summary, summarise

__all__ = ["Advice", "Checkup", "Summary", "checkup", "report", "summarise"]
