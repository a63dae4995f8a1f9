"""Intervals for what a label model learned, and the questions whose answers would tell most."""

from shortlist.uncertainty.intervals import Interval, Intervals, intervals

__all__ = ["Interval", "Intervals", "intervals"]
