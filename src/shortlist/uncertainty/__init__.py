"""Certificates, label sets, rates and alarms from a few gold rows; intervals of accuracies; what to add next."""

from shortlist.uncertainty.alarms import Alarm, Monitor, agreement
from shortlist.uncertainty.certificate import Certificate, certify, plan_certificate
from shortlist.uncertainty.gold_sample import LabelSets, Rate, accuracy, class_shares, gold_needed, label_sets, rate
from shortlist.uncertainty.intervals import Intervals, intervals
from shortlist.uncertainty.next_steps import NextSteps, next_steps

__all__ = [
    "Alarm",
    "Certificate",
    "Intervals",
    "LabelSets",
    "Monitor",
    "NextSteps",
    "Rate",
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
