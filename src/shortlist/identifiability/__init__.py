"""The doctor: whether accuracies can be learned from votes alone (Theorem 1), and what to do where they cannot."""

from shortlist.identifiability.diagnosis import Diagnosis, Rank, diagnose
from shortlist.identifiability.theorem import Repair

__all__ = ["Diagnosis", "Rank", "Repair", "diagnose"]
