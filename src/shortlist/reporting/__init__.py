"""Reporting: what labelers do, to look at: one HTML page, or a summary on the terminal."""

from shortlist.reporting.advising.advice import Advice
from shortlist.reporting.checkup import Checkup
from shortlist.reporting.overview import checkup
from shortlist.reporting.page import report
from shortlist.reporting.summary import Summary, summarise

__all__ = ["Advice", "Checkup", "Summary", "checkup", "report", "summarise"]
