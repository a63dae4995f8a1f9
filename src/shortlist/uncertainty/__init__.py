"""How far what a label model learned is known: intervals from the curvature of the likelihood, or by bootstrap."""

from shortlist.uncertainty.intervals import Interval, Intervals, intervals

__all__ = ["Interval", "Intervals", "intervals"]
