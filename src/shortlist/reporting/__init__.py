"""Reporting: advice about labelers, and one HTML page."""

from shortlist.reporting.advice import checkup
from shortlist.reporting.checkup import Advice, Checkup
from shortlist.reporting.page import report

__all__ = ["Advice", "Checkup", "checkup", "report"]
