"""@feature: asked for by name, computed once per row."""

from collections import Counter
from dataclasses import dataclass
from functools import cache, partial

import polars as pl
import pytest

from shortlist import apply, feature, keywords, labeler
from shortlist.errors import BadLabeler, BadRows, LabelerFailed

calls = Counter()


@feature
def words(text):
    calls["words", text] += 1
    return text.split()


@feature
def first(words):
    calls["first", tuple(words)] += 1
    return words[0]


@labeler(says=["a", "b"])
def by_first(first):
    return first if first in ("a", "b") else None


@labeler(says=["a"])
def by_length(text, words, first, shout=False):
    assert shout is False
    return "a" if len(words) > 2 and text.startswith(first) else None


def test_features_arrive_by_name_and_are_computed_once_per_row():
    calls.clear()
    votes = apply([by_first, by_length], ["a x", "b x y", "c"], space=["a", "b"])
    assert votes.codes.tolist() == [[1, 0], [2, 1], [0, 0]]
    assert set(calls.values()) == {1}
    assert len(calls) == 6


def test_a_labeler_with_features_can_be_tried_on_one_row():
    assert by_first("b x") == "b"
    assert first("b x") == "b"


def test_features_can_be_given_to_apply():
    @feature
    def initial(row):
        return row[0]

    rule = labeler(says=["a", "b"], name="rule")(lambda initial: initial)
    assert apply(rule, ["ax", "bx"], features=[initial]).codes.tolist() == [[1], [2]]


def test_given_features_come_before_those_of_the_module():
    @feature
    def first(row):
        return "b"

    assert apply(by_first, ["a"], features=[first]).codes.tolist() == [[2]]


def test_an_unknown_name_is_a_clear_error():
    rule = labeler(says=["a", "b"], name="rule")(lambda text, wrods: None)
    with pytest.raises(BadLabeler) as error:
        apply(rule, ["x"])
    for fact in ("'rule'", "'wrods'", "Did you mean 'words'?", "first"):
        assert fact in str(error.value)


def test_a_circle_is_a_clear_error():
    one = feature(lambda two: 1)
    two = feature(lambda one: 2)
    one.name, two.name = "one", "two"
    rule = labeler(says=["a", "b"], name="rule")(lambda one: None)
    with pytest.raises(BadLabeler) as error:
        apply(rule, ["x"], features=[one, two])
    assert "one → two → one" in str(error.value)


def test_two_features_of_one_name_are_a_clear_error():
    with pytest.raises(BadLabeler, match="one name"):
        apply(by_first, ["x"], features=[words, feature(words.function)])


def test_a_failing_feature_names_itself_and_the_row():
    with pytest.raises(LabelerFailed) as error:
        apply([by_first], ["a", ""])
    assert "'first'" in str(error.value)
    assert "row 1" in str(error.value)
    assert isinstance(error.value.__cause__, IndexError)


def test_a_failing_feature_makes_only_those_abstain_that_asked_for_it():
    bare = labeler(says=["a", "b"], name="bare")(lambda text: "b")
    votes = apply([by_first, by_length, bare], ["a x y", "", "b"], on_error="abstain")
    assert votes.codes.tolist() == [[1, 1, 2], [0, 0, 2], [2, 0, 2]]
    assert [f and f.count for f in votes.failures] == [1, 1, None]
    assert "IndexError" in votes.failures[0].first


class Holds:
    def __init__(self, word):
        self.word = word

    def __call__(self, words):
        return "a" if self.word in words else "b"


def holds(word, words):
    return "a" if word in words else "b"


def test_objects_and_partial_functions_ask_for_features_too():
    for function in (Holds("x"), partial(holds, "x")):
        votes = apply(labeler(says=["a", "b"], name="rule")(function), ["x y", "y"])
        assert votes.codes[:, 0].tolist() == [1, 2]


@pytest.mark.parametrize(
    ("call", "fact"),
    [
        (lambda: apply(lambda row, limit=3, words=None: "a", ["x"], space=["a", "b"]), "'words' after 'limit'"),
        (lambda: apply(lambda row, *, words: "a", ["x"], space=["a", "b"]), "'words' by name only"),
        (lambda: apply(words, ["x"]), "'words' is a feature"),
        (lambda: apply(lambda row: "a", ["x"], features=[len]), "@feature"),
        (lambda: apply(lambda row, elsewhere: "a", ["x"]), "features="),
    ],
)
def test_what_asks_for_features_the_wrong_way_is_told_the_right_one(call, fact):
    with pytest.raises(BadLabeler) as error:
        call()
    assert fact in str(error.value)


@pytest.mark.parametrize("name", ["wrds", "wordz", "Words"])
def test_a_misspelt_first_parameter_does_not_receive_the_row(name):
    rule = labeler(says=["a"], name="rule")(eval(f"lambda {name}: None"))
    with pytest.raises(BadLabeler, match=r"Did you mean 'words'\? To receive the whole row") as error:
        apply(rule, ["a"], features=[words], space=["a", "b"])
    assert error.value.labeler == "rule"


@pytest.mark.parametrize("name", ["row", "x", "text", "question"])
def test_any_other_first_parameter_receives_the_row(name):
    rule = labeler(says=["a"], name="rule")(eval(f"lambda {name}: 'a' if {name} == 'the row' else None"))
    assert apply(rule, ["the row"], features=[words], space=["a", "b"]).codes.tolist() == [[1]]


TABLE = {"snippet": ["@me", "you"], "stars": [1, 2]}


@pytest.mark.parametrize("name", ["snipet", "Snippets"])
@pytest.mark.parametrize(
    "make",
    [pl.DataFrame, lambda table: pl.DataFrame(table).to_dicts(), lambda table: iter(pl.DataFrame(table).to_dicts())],
)
def test_a_misspelt_column_does_not_receive_the_row(make, name):
    """`"@" in snipet` asked the keys of the row, and nobody was told."""
    rule = labeler(says=["a"], name="rule")(eval(f"lambda {name}: 'a' if '@' in {name} else None"))
    with pytest.raises(BadLabeler, match=r"^'rule' .* no column and no feature\. Did you mean 'snippet'\?"):
        apply(rule, make(TABLE), space=["a", "b"])


def test_a_feature_goes_before_the_column_of_its_name():
    starred = feature(lambda row: row.stars > 1)
    starred.name = "stars"
    rule = labeler(says=["a"], name="rule")(lambda stars: "a" if stars is True else None)
    assert apply(rule, pl.DataFrame(TABLE), features=[starred], space=["a", "b"]).codes.tolist() == [[0], [1]]


def test_a_labeler_that_changes_a_feature_changes_it_for_nobody_else():
    spoils = labeler(says=["a"], name="spoils")(lambda words: words.clear())
    reads = labeler(says=["a"], name="reads")(lambda words: "a" if words else None)
    votes = apply([spoils, reads], ["one word"], features=[words], space=["a", "b"])
    assert votes.codes.tolist() == [[0, 1]]


@pytest.mark.parametrize("rule", [by_first, labeler(says=["a"], name="rule")(lambda text, first: None)])
def test_a_feature_of_a_feature_that_fails_is_named_and_not_who_asked(rule):
    with pytest.raises(LabelerFailed, match=r"feature 'first' failed on row 2") as error:
        apply(rule, ["a", "b", ""], space=["a", "b"])
    assert "feature" in error.value.facts
    assert "labeler" not in error.value.facts
    assert isinstance(error.value.__cause__, IndexError)


def test_what_a_labeler_raises_itself_is_its_own_failure_where_its_feature_is_made_on_the_way():
    rule = labeler(says=["a"], name="rule")(lambda words: words[1])
    with pytest.raises(LabelerFailed, match=r"labeler 'rule' failed on row 1"):
        apply(rule, ["a a", "b"], space=["a", "b"])


def test_a_table_that_one_labeler_reads_row_by_row():
    rows = pl.DataFrame({"text": ["x", None, "a"], "size": [1, 2, None]})
    rule = labeler(says=["a"], name="rule")(lambda row: "a" if (row.text, row.size) in {("", 2), ("a", None)} else None)
    assert apply(rule, rows, space=["a", "b"]).codes.tolist() == [[0], [1], [1]]


lowered = []


@feature
def low(text):
    lowered.append(text)
    return text.lower()


@feature
def start(low):
    return low[:1]


@labeler(says=["a"])
def by_low(low):
    return "a" if "x" in low else None


@labeler(says=["a"])
def by_start(start):
    return "a" if start == "x" else None


@pytest.mark.parametrize(("labelers", "given"), [
    ([by_low, by_start], []),
    ([by_low, by_start], [start]),
    ([by_low, by_start], [low, start]),
])  # fmt: skip
def test_a_feature_is_computed_once_whoever_asks_for_it(labelers, given):
    lowered.clear()
    votes = apply(labelers, ["X", "y"], features=given, space=["a", "b"])
    assert votes.codes.tolist() == [[1, 1], [0, 0]]
    assert lowered == ["X", "y"]


@dataclass
class Document:
    tags: list


@labeler(says=["a", "b"])
def last(tags):
    return tags.pop()


ALWAYS = ["b", "a"]


@pytest.mark.parametrize("make", [lambda row: row.tags, cache(lambda _row: ["b", "a"]), lambda _row: ALWAYS])
def test_what_one_labeler_does_to_a_feature_stays_with_it(make):
    """Neither the user's rows, nor what a feature keeps, nor the next row is changed."""

    class Hashed(Document):
        __hash__ = object.__hash__

    rows = [Hashed(["b", "a"]), Hashed(["b", "a"])]
    tags = feature(make)
    tags.name = "tags"
    assert apply(last, [rows[0], rows[0], rows[1]], features=[tags], space=["a", "b"]).codes.tolist() == [[1], [1], [1]]
    assert [row.tags for row in rows] == [["b", "a"], ["b", "a"]]
    assert ALWAYS == ["b", "a"]


def test_objects_in_a_table_are_each_labelers_own():
    rows = pl.DataFrame({"tags": pl.Series([["a", "b"], ["b", "a"]], dtype=pl.Object)})
    rule = labeler(says=["a", "b"], name="rule")(lambda row: row.tags.pop())
    assert apply(rule, rows, space=["a", "b"]).codes.tolist() == [[2], [1]]
    assert rows["tags"].to_list() == [["a", "b"], ["b", "a"]]


@pytest.mark.parametrize("askers", [1, 2])
def test_a_feature_that_ends_the_program_is_named(askers):
    leaving = feature(lambda text: exit(3) if text == "q" else text)
    leaving.name = "leaving"
    rules = [labeler(says=["a"], name=f"rule{i}")(lambda leaving: "a") for i in range(askers)]
    with pytest.raises(LabelerFailed, match=r"feature 'leaving' failed on row 1: SystemExit"):
        apply(rules, ["p", "q"], features=[leaving], space=["a", "b"])
    votes = apply(rules, ["p", "q"], features=[leaving], space=["a", "b"], on_error="abstain")
    assert votes.codes.tolist() == [[1] * askers, [0] * askers]


def unmarked(row):
    return row.split()


def test_a_function_that_lacks_its_mark_is_named_before_any_row_is_read():
    """Newcomer: a TypeError about a row and a set."""
    rule = labeler(says=["a"], name="rule")(lambda unmarked: pytest.fail("it was asked"))
    with pytest.raises(BadLabeler, match=r"'rule' asks for 'unmarked', a function .* write @feature above it") as error:
        apply(rule, ["a"], space=["a", "b"])
    assert error.value.labeler == "rule"
    second = labeler(says=["a"])(lambda row, unmarked: None)
    with pytest.raises(BadLabeler, match="Write @feature above the function of that name"):
        apply(second, ["a"], space=["a", "b"])


@pytest.mark.parametrize("name", ["partial", "by_length", "calls", "text"])
def test_other_names_of_the_file_do_not_stand_for_features(name):
    """What is imported, a labeler, a value, and what the file does not hold: the parameter receives the row."""
    rule = labeler(says=["a"], name="rule")(eval(f"lambda {name}: 'a' if {name} == 'the row' else None"))
    assert apply(rule, ["the row"], space=["a", "b"]).codes.tolist() == [[1]]


def test_a_feature_may_be_marked_with_parentheses():
    @feature()
    def letters(row):
        return list(row)

    rule = labeler(says=["a"])(lambda letters: "a" if letters == ["x", "y"] else None)
    assert apply(rule, ["xy"], features=[letters], space=["a", "b"]).codes.tolist() == [[1]]


# -- one rule for lists, tables and projects ---------------------------------------------------------------------

POSTS = ["a fast car", "two bikes", "a car and a bike"]


@feature
def tokens(text):
    return text.split()


@labeler(says=["cars", "bikes"])
def many(tokens, post, size=3):
    assert post.split() == tokens
    return ("cars" if "car" in tokens else "bikes") if len(tokens) >= size else None


def of_dicts(posts):
    return [{"id": i, "post": post, "lang": "en"} for i, post in enumerate(posts)]


def of_pandas(posts):
    return pytest.importorskip("pandas").DataFrame(of_dicts(posts))


def of_arrow(posts):
    return pytest.importorskip("pyarrow").Table.from_pylist(of_dicts(posts))


def of_hugging_face(posts):
    return pytest.importorskip("datasets").Dataset.from_list(of_dicts(posts))


@pytest.mark.parametrize(
    "make",
    [
        list,
        iter,
        of_dicts,
        lambda posts: iter(of_dicts(posts)),
        lambda posts: pl.DataFrame(of_dicts(posts)),
        lambda posts: pl.LazyFrame(of_dicts(posts)),
        of_pandas,
        of_arrow,
        of_hugging_face,
    ],
)
def test_parameters_mean_the_same_whatever_the_rows_are(make):
    """Newcomer: a labeler that worked in a project did not work in a notebook."""
    rules = [many, keywords(["bike"], says="bikes", name="word"), labeler(says=["cars"], name="row")(lambda row: None)]
    votes = apply(rules, make(POSTS), text="post", space=["cars", "bikes"])
    assert votes.codes.tolist() == [[1, 0, 0], [0, 0, 0], [1, 1, 0]]


def test_the_only_column_of_text_is_the_text():
    rows = pl.DataFrame({"post": POSTS, "stars": [1, 2, 3]})
    rule = labeler(says=["cars"], name="rule")(lambda stars, text, post: "cars" if text == post and stars > 1 else None)
    assert apply(rule, rows, space=["cars", "bikes"]).codes.tolist() == [[0], [1], [1]]


@pytest.mark.parametrize("make", [of_dicts, lambda posts: pl.DataFrame(of_dicts(posts))])
def test_a_column_that_is_not_there_is_named_before_any_row_is_read(make):
    with pytest.raises(BadRows, match=r"no column is called 'pst'\. Did you mean 'post'\?"):
        apply(many, make(POSTS), text="pst", space=["cars", "bikes"])
    with pytest.raises(BadLabeler, match=r"'rule' asks for 'text', .* text=…"):
        apply(labeler(says=["cars"], name="rule")(lambda text: "cars"), make(POSTS), space=["cars", "bikes"])


def test_a_second_parameter_of_strings_is_told_how_to_be_bound():
    with pytest.raises(BadLabeler, match=r"'many' asks for 'post', which is no feature and no column.* text='post'"):
        apply(many, POSTS, space=["cars", "bikes"])


def test_a_row_without_the_column_fails_like_any_feature():
    rows = [{"post": "a car"}, {"title": "a bike"}]
    rule = labeler(says=["cars"], name="rule")(lambda post: "cars" if "car" in post else None)
    with pytest.raises(LabelerFailed, match="feature 'post' failed on row 1"):
        apply(rule, rows, space=["cars", "bikes"])
    assert apply(rule, rows, space=["cars", "bikes"], on_error="abstain").codes.tolist() == [[1], [0]]


def test_trying_one_out_binds_columns_too():
    assert many({"post": "a fast car", "text": "a fast car"}) == "cars"


def test_a_search_reads_the_text_under_either_name():
    rules = [
        keywords(["bike"], says="bikes", on="text", name="a"),
        keywords(["bike"], says="bikes", on="post", name="b"),
    ]
    for rows in (POSTS, of_dicts(POSTS), pl.DataFrame(of_dicts(POSTS))):
        assert apply(rules, rows, text="post", space=["cars", "bikes"]).codes.tolist() == [[0, 0], [0, 0], [1, 1]]
