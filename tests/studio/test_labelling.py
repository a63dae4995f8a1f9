"""Labels of the page: on disk at once, taken back, used by the fit where asked."""

import pytest

from shortlist.browse.queue import random_rows
from shortlist.errors import ShortlistError, UnknownClass
from shortlist.studio.labelling import label_row, next_to_label, take_back
from shortlist.studio.rules import use_gold
from shortlist.studio.web.service import Service


def test_a_label_is_on_disk_and_in_the_figures_at_once(desk):
    before = next_to_label(desk)
    row = before["row"]["row"]
    answer = label_row(desk, row, ["sports"])
    assert answer["gold"]["rows"] == before["gold"]["rows"] + 1
    assert answer["row"]["gold"] == ["sports"]
    assert [entry.classes for entry in desk.opened.gold_file.entries()] == [("sports",)]
    assert next_to_label(desk)["row"]["row"] != row


def test_it_can_be_taken_back(desk):
    row = next_to_label(desk)["row"]["row"]
    answer = label_row(desk, row, ["sports", "business"])
    assert answer["entry"]["classes"] == ["business", "sports"]
    back = take_back(desk, answer["entry"])
    assert back["gold"]["several"] == 0
    assert next_to_label(desk)["row"]["row"] == row
    with pytest.raises(ShortlistError, match="elsewhere"):
        take_back(desk, answer["entry"])


def test_skipped_and_passed_rows(desk):
    first = next_to_label(desk)["row"]["row"]
    assert next_to_label(desk, [first])["row"]["row"] != first
    assert label_row(desk, first, [])["gold"]["skipped"] == 1
    assert next_to_label(desk)["row"]["row"] != first


def test_a_change_is_not_looked_at_twice(desk):
    label_row(desk, 1, ["sports"])
    assert not desk.watch.changed()


def test_the_fit_takes_them_in_where_asked(desk):
    use_gold(desk, fits=True)
    before = desk.opened
    label_row(desk, 1, ["sports"])
    assert desk.opened is not before
    assert desk.opened.gold[1] == "sports"


@pytest.mark.parametrize("classes", [["sprots"], ["business", "politics", "sports"]])
def test_what_says_nothing_is_told(desk, classes):
    with pytest.raises(ShortlistError):
        label_row(desk, 1, classes)
    assert desk.opened.gold_file.entries() == []


def test_an_unknown_class_offers_the_nearest(desk):
    with pytest.raises(UnknownClass, match="'sports'"):
        label_row(desk, 1, ["sprots"])


def test_rows_keep_filter_and_place_while_they_are_labelled(desk):
    service = Service(desk)
    asked = {"query": {"labeler": "power"}, "offset": 3, "limit": 4}
    before = service.rows(asked)
    label_row(desk, before["rows"][1]["row"], ["business"])
    after = service.rows(asked)
    assert [row["row"] for row in after["rows"]] == [row["row"] for row in before["rows"]]
    assert after["rows"][1]["gold"] == ["business"]


def test_random_rows_are_offered_and_remembered_as_such(desk):
    service = Service(desk)
    first = service.next({"picked": "random"})["row"]["row"]
    assert first == random_rows(desk.opened, 1)[0]
    answer = service.label({"row": first, "classes": ["sports"], "picked": "random"})
    assert answer["entry"]["picked"] == "random"
    assert answer["gold"]["hard"] == 0
    second = service.next({"picked": "gain"})["row"]["row"]
    assert service.label({"row": second, "classes": ["sports"], "picked": "gain"})["gold"]["hard"] == 1
    assert "picked" not in service.label({"row": 1, "classes": ["sports"]})["entry"]  # in the table of rows
    with pytest.raises(ShortlistError, match="best"):
        service.next({"picked": "best"})
