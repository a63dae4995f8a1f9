"""The different words of texts, and how often each stands in each."""

from shortlist.classifier.grams.word_list import list_words


def test_words_are_listed_once_and_counted_in_each_text():
    listed = list_words(["The cat, the dog", "", "dog\tDOG"])
    assert listed.words == ["the", "cat,", "dog"]
    assert listed.counts().toarray().tolist() == [[2, 1, 1], [0, 0, 0], [0, 0, 2]]
    assert listed.texts.items.tolist() == [0, 1, 0, 2, 2, 2]  # counting leaves the order of words alone
