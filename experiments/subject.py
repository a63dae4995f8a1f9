"""The subject of a question: the thing that is asked about, in lower case and singular.

TREC's labelers ask for it by name. `subject_feature()` is spaCy's grammatical subject where spaCy and its small
English model are installed, and else the stand-in `subject` of this file, which knows no grammar:

- It reads the first noun phrase after "what", "which" or "name" ("what kind of" counts as "what"), and answers
  with the last word of it; a question without such a word has no subject here.
- The phrase ends at a preposition, a form of be, do or have, a modal verb, a conjunction or a punctuation mark, and
  where another phrase begins: at an article, a number or a name. Unless the question begins with "what is" or
  "name", the verb stands between the two: "What English word contains | the most letters".
- What stands before a possessive 's is left out; plurals lose their ending.
"""

# ruff: noqa: SIM905 (lists of words read better as a sentence)

from importlib.util import find_spec
from itertools import pairwise

from shortlist import feature, spacy_features

BE = frozenset("is are was were 's".split())
DO = frozenset("do does did has have had can could will would shall should may might must".split())
ARTICLES = frozenset("a an the this these those his her its their your my our all each every most".split())
ENDS = frozenset(
    "of in on at by for from to with into over under about as between among after before during per like since through "
    "that which who whom whose when where why how if and or but not be been being there also called "
    "east west north south ? . , ; : ! `` '' ( )".split()
)
KINDS = frozenset("kind kinds type types sort sorts".split())
ASKS = frozenset("what which name".split())


@feature
def subject(row):
    """The subject of the question in the column text, or None: see the top of this file."""
    tokens = row["text"].replace("What's", "What 's").split()
    asked = next((a for a, token in enumerate(tokens) if token.lower() in ASKS), None)
    if asked is None:
        return None
    verb, rest = tokens[asked + 1 : asked + 2], tokens[asked + 1 :]
    if verb and verb[0] in BE | DO:
        rest = rest[1:]
    if rest[1:2] == ["of"] and rest[0] in KINDS:
        rest = rest[2:]
    said = tokens[asked].lower() == "name" or (verb and verb[0] in BE)  # the verb, if any, is not in the rest
    phrase, ended_by_phrase = noun_phrase(rest)
    if not said and len(phrase) > 1 and (ended_by_phrase or verb[0] in DO):
        phrase.pop()
    while len(phrase) > 1 and looks_past(phrase[-1]):
        phrase.pop()
    return singular(phrase[-1].lower()) if phrase else None


def noun_phrase(tokens):
    """The words of the first noun phrase, without articles and owners, and whether another phrase follows at once."""
    phrase = []
    for token, following in pairwise([*tokens, "?"]):
        if token in ("'s", "'") and phrase:
            phrase = []
        elif phrase and another_begins(token, phrase[-1], following):
            return phrase, True
        elif token in ENDS | BE | DO:
            break
        elif token.lower() not in ARTICLES:
            phrase.append(token)
    return phrase, False


def another_begins(token, last, following):
    """Whether a new noun phrase begins at this token; a name before a common noun is still part of this one."""
    if token.lower() in ARTICLES or token[0].isdigit() or token[0] == "$":
        return True
    a_name = token[0].isupper() and last[0].islower()
    return a_name and not (following[0].islower() and following not in ENDS | BE | DO)


def looks_past(word):
    return len(word) > 4 and word.endswith("ed") and not word.endswith("eed")


def singular(noun):
    """A plural without its ending; naive."""
    if noun.endswith("ies"):
        return noun[:-3] + "y"
    if noun.endswith(("sses", "xes", "ches", "shes")):
        return noun[:-2]
    return noun[:-1] if noun.endswith("s") and not noun.endswith(("ss", "us", "is")) else noun


def subject_feature():
    """The feature `subject`: spaCy's where it is installed with its small English model, else the stand-in."""
    if find_spec("spacy") and find_spec("en_core_web_sm"):
        return spacy_features("en_core_web_sm").subject
    return subject
