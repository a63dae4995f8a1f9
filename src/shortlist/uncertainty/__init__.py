"""Certificates, label sets, rates and alarms from a few gold rows; intervals of accuracies; what to add next."""

from shortlist.lazy import lazy_names
from shortlist.uncertainty.intervals import intervals as intervals  # functions that are called as their files
from shortlist.uncertainty.next_steps import next_steps as next_steps

__getattr__, __all__ = lazy_names(__name__)
