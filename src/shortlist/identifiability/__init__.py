"""The doctor: whether accuracies can be learned from votes alone (Theorem 1), and what to do where they cannot."""

from shortlist.identifiability.certificate import Certificate, verify
from shortlist.identifiability.diagnosis import Diagnosis
from shortlist.identifiability.doctor import diagnose
from shortlist.identifiability.generic import Rank
from shortlist.identifiability.local import LocalDiagnosis, diagnose_fit
from shortlist.identifiability.repair import Repair
from shortlist.identifiability.verdict import Verdict

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
