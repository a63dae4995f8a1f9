"""Intervals for the accuracies that a label model learned."""

from shortlist.uncertainty.intervals import Intervals, intervals

__all__ = ["Intervals", "intervals"]
