"""The doctor: whether accuracies can be learned from votes alone (Theorem 1), and what to do where they cannot."""

from shortlist.identifiability.diagnosis import Diagnosis, Verdict, diagnose
from shortlist.identifiability.local_rank import LocalDiagnosis, Rank, diagnose_fit
from shortlist.identifiability.repair import Repair
from shortlist.identifiability.theorem import Certificate, verify

__all__ = [
    "Certificate",
    "Diagnosis",
    "LocalDiagnosis",
    "Rank",
    "Repair",
    "Verdict",
    "diagnose",
    "diagnose_fit",
    "verify",
]
