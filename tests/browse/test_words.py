"""Words that would make good rules, on texts whose words are known."""

import numpy as np

from shortlist.browse.trial import SteadyEvidence, TrialFit
from shortlist.browse.words import Words, suggest
from shortlist.classifier import TextFeatures
from shortlist.votes import Votes


class Sample:
    def __init__(self, inputs):
        self.inputs = inputs


def texts():
    """Cats purr, dogs bark. "house" is everywhere, "rare" once; half of the cats' rows have "whiskers"."""
    draw, rows = np.random.default_rng(0), []
    for a in range(200):
        own = ["purring", *(["whiskers"] if a % 4 == 0 else [])] if a % 2 == 0 else ["barking"]
        rows.append(" ".join(draw.permutation([*own, *draw.choice(["house", "garden", "street", "when"], 3)])))
    return [*rows[:-1], rows[-1] + " rare"]


def trial(rows, gold, votes=None):
    votes = Votes(np.zeros((len(rows), 1), int), [[{"cat"}]], ["cat", "dog"]) if votes is None else votes
    return TrialFit(votes, gold, SteadyEvidence(TextFeatures().fit_transform(rows)))


def test_words_that_tell_a_class_come_first_and_cover_what_is_left():
    rows = texts()
    gold = np.where(np.arange(200) < 60, np.arange(200) % 2, -1)
    found = suggest(trial(rows, gold), Words(Sample(rows)), 2000, ["cat"])
    assert found[0].word == "purring"
    assert found[0].rows == 1000  # of 2,000 rows, of which these 200 are a sample
    assert found[0].precision > 0.7
    assert not {"house", "garden", "street", "when", "rare", "barking"} & {one.word for one in found}
    assert suggest(trial(rows, gold), Words(Sample(rows)), 2000, ["cat"], taken=["Purring"])[0].word == "whiskers"


def test_where_no_spaces_part_words_two_characters_are_one():
    """Rows say "the cat purrs" or "the dog barks" in Chinese, about today or yesterday."""
    rows = [f"{'今天昨天'[a % 4 // 2 * 2 :][:2]}{'猫咪呼噜' if a % 2 == 0 else '小狗吠叫'}" for a in range(200)]
    gold = np.where(np.arange(200) < 60, np.arange(200) % 2, -1)
    found = {one.word for one in suggest(trial(rows, gold), Words(Sample(rows)), 200, ["cat"])}
    assert found
    assert found <= {"猫咪", "咪呼", "呼噜"}


def test_without_any_knowledge_the_names_of_classes_are_words():
    rows = [f"{text} cat" if a % 5 == 0 else text for a, text in enumerate(texts())]
    found = suggest(trial(rows, np.full(200, -1)), Words(Sample(rows)), 200)
    assert [(one.word, one.says, one.precision, one.rows) for one in found] == [("cat", ("cat",), None, 40)]


def test_a_table_has_no_words():
    rows = texts()
    assert suggest(trial(rows, np.full(200, -1)), Words(Sample(np.zeros((200, 2)))), 200) == []
