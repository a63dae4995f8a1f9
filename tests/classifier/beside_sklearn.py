"""Our text features beside those of scikit-learn: the same n-grams, in another order of columns."""

import numpy as np

from shortlist.classifier.grams.word_list import list_words


def their_columns(theirs, names):
    """Which column of theirs each of our names has. All names of theirs are ours, too."""
    assert sorted(names) == theirs.get_feature_names_out().tolist()
    return [theirs.vocabulary_[name] for name in names]


def assert_same_counts(make, theirs, texts, more):
    """Learned from texts, `make()` counts in all texts as theirs does; so does one restored from its names."""
    ours = make()
    counts = ours.fit_count(list_words(texts))
    try:
        expected = theirs.fit_transform(texts)
    except ValueError:  # scikit-learn refuses texts without any n-gram
        assert counts.shape == (len(texts), 0)
        return
    same = their_columns(theirs, ours.names())
    np.testing.assert_array_equal(counts.toarray(), expected.toarray()[:, same])
    for counter in (ours, make().restore(ours.names())):
        counted, new = counter.count(list_words(more)), theirs.transform(more)
        np.testing.assert_array_equal(counted.toarray(), new.toarray()[:, same])
