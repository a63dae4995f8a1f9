"""The paper's sixteen labelers for TREC-6: what kind of answer does a question ask for?

Rows are those of the data set, with the question in the column text (the paper calls it string).

What differs from the paper (appendix "PLFs for Text Classification"):

- The paper does not print its `get_subject`. Here the subject is found by spaCy's small English model where that
  is installed, and else by the stand-in of `experiments/subject.py`.
- Where the paper lower-cases a question first, it is read without regard to case. That is the same but for a few
  letters from outside English (such as ſ and İ), and on every row of the data.
- Three of the paper's alternatives, "how can I", "how do I" and "how do I find", are looked for in lower-cased
  text, where they are never found; they are left out, so that they are never found here either.
- Four of the paper's labelers bear one name, num_patt; here each has its own.
"""

# ruff: noqa: SIM905 (lists of words read better as a sentence)

from experiments.subject import subject_feature
from shortlist import LabelSpace, feature, keywords, labeler, pattern

SPACE = LabelSpace(["ABBR", "DESC", "ENTY", "HUM", "LOC", "NUM"])


def rule(regex, yes, name):
    """A one-sided rule about the question, without regard to case."""
    return pattern(regex, yes=yes, on="text", ignore_case=True, name=name)


def phrases(words, says, name):
    """The same for phrases, found inside words too."""
    return keywords(words, says=says, on="text", whole_words=False, name=name)


def token(regex):
    """Found only between blanks, as a word of `question.split()` is."""
    return rf"(?:^|\s)(?:{regex})(?:\s|$)"


@feature
def words(row):
    return row["text"].lower().split()


@labeler(says=["HUM", "LOC", "NUM", "DESC", {"DESC", "NUM"}, {"ENTY", "HUM"}])
def first_word(words):
    match words[0]:
        case "who":
            return "HUM"
        case "where":
            return "LOC"
        case "when":
            return "NUM"
        case "why":
            return "DESC"
        case "how":
            return {"DESC", "NUM"}
        case "name":
            return {"ENTY", "HUM"}
    return None


called = rule(token("called"), {"ENTY", "HUM", "LOC"}, "called")
mean = rule(token("mean|meaning"), {"ABBR", "DESC"}, "mean")
abbreviation = phrases(["stand for", "abbreviat"], "ABBR", "abbreviation")
definition = rule(token("definition|origin") + "|come from", "DESC", "definition")

subject = subject_feature()
THINGS = frozenset(
    "animal body color creative currency disease event food instrument language letter plant product religion "
    "sport substance symbol technique term vehicle word".split()
)


@labeler(says=["ENTY"])
def subject_is_thing(subject):
    return "ENTY" if subject in THINGS else None


@labeler(says=["LOC"])
def subject_is_place(subject):
    return "LOC" if subject in ("city", "country", "mountain", "state", "capital") else None


what_year = phrases(["what year"], "NUM", "what_year")
how_many = phrases(["how many", "how much", "how old"], "NUM", "how_many")
what_mean = rule("what.*mean", "DESC", "what_mean")
what_use = rule("what.*use of|what.*origin of|why do", "DESC", "what_use")
measure = rule(
    "how far|what.*birthday|how long|how deep|when did|when was|how tall|what month|population|toll"
    "|how big|how long|what year",
    "NUM",
    "measure",
)
explain = rule(
    "what is the origin|what is the history|what.*mean|how do you buy|what is the difference|what effect",
    "DESC",
    "explain",
)
manner = rule(
    "how.*tell|how d.*affect|how do.*work|how do you fix|how do you get|how do you find|how.*made", "DESC", "manner"
)
how_verb = rule("how do|how was|how are|how is|how was|how could|how can", "DESC", "how_verb")
what_stands_for = rule("what.*stand for", "ABBR", "what_stands_for")

labelers = [
    first_word,
    called,
    mean,
    abbreviation,
    definition,
    subject_is_thing,
    subject_is_place,
    what_year,
    how_many,
    what_mean,
    what_use,
    measure,
    explain,
    manner,
    how_verb,
    what_stands_for,
]
