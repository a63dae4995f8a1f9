"""Certificates, label sets, rates and alarms from a few gold rows; intervals of accuracies; what to add next."""

from shortlist.uncertainty.alarms import Alarm, Watch, agreement
from shortlist.uncertainty.certificate import Certificate, certify, plan_certificate
from shortlist.uncertainty.intervals import Intervals, intervals
from shortlist.uncertainty.label_sets import LabelSets, label_sets
from shortlist.uncertainty.next_steps import NextSteps, next_steps
from shortlist.uncertainty.rates import Rate, accuracy, class_shares, gold_needed, rate

__all__ = [
    "Alarm",
    "Certificate",
    "Intervals",
    "LabelSets",
    "NextSteps",
    "Rate",
    "Watch",
    "accuracy",
    "agreement",
    "certify",
    "class_shares",
    "gold_needed",
    "intervals",
    "label_sets",
    "next_steps",
    "plan_certificate",
    "rate",
]
