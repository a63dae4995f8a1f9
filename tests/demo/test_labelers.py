"""The demo's labelers: none names a topic, and the paper's first example is among them."""

from shortlist import apply, diagnose
from shortlist.demo.labelers import CLASSES, LABELERS


def test_none_can_name_a_topic():
    votes = apply(LABELERS, [], space=CLASSES)
    assert not any(len(t) == 1 for c in votes.codomains for t in set(c.shortlists) - c.dummies)


def test_president_narrows_it_down():
    row = {"text": "The president spoke .", "opening": ""}
    assert apply(LABELERS, [row], space=CLASSES).said(0)["power"] == ("business", "politics")


def test_the_doctor_has_no_objection():
    assert diagnose(LABELERS, space=CLASSES).identifiable
