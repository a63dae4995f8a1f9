"""The paper's eleven labelers for AG-News: is a news item about the world, sports, business or science?

Rows are those of the splits dev and test, with the columns sen_ner and title_ner (lists of the kinds of named
entities in text and title) and sen_lemma (the text with its words in their base form). The split train_subset
has no such columns.

What differs from the paper (appendix "PLFs for Text Classification"):

- Where the paper lower-cases the lemmas first, they are read without regard to case. That is the same but for a
  few letters from outside English (such as ſ and İ), and on every row of the data.
- Among the world words is ' coup ', with blanks, which no word begins with; it is left out, so that it is never
  found here either.
- Slips such as "mangement", "comsumer" and "wireness" are part of the rules and are kept.
"""

# ruff: noqa: SIM905 (lists of words read better as a sentence)

from shortlist import LabelSpace, feature, keywords, labeler, pattern

SPACE = LabelSpace(["World", "Sports", "Business", "Sci/Tech"])


@labeler(says=["Sports"])
def place_and_event(row):
    return "Sports" if "EVENT" in row["sen_ner"] and "GPE" in row["sen_ner"] else None


@labeler(says=["World"])
def location_in_title(row):
    return "World" if "LOC" in row["title_ner"] else None


sports_names = keywords(
    [
        "kelvim escobar",
        "red sox",
        "formula one",
        "grand prix",
        "svetlana kuznetsova",
        "billy wagner",
        " kobe ",
        " beckham",
        "johnny damon",
        "robin ventura",
        "olivier panis",
    ],
    says="Sports",
    on="sen_lemma",
    whole_words=False,
    name="sports_names",
)

business_words = pattern(
    r"(?:^|\s)(?:profit|bankrupt|yen|financial)",
    yes="Business",
    on="sen_lemma",
    ignore_case=True,
    name="business_words",
)

tech_terms = pattern(
    "space.com|space station|network authentication|(python|java|matlab|c) developer|application|virus"
    "|browser hijack|search engine|internet-based|windows update|smart phone|source code|mangement software"
    "|software.*develop|internet connection|interactive gam|game console|transfer datum|internet security|g network"
    "|internet company|storage capacity|music player|microsystem|comsumer electronic|operat.*system"
    "|wireness network|motherboard|spacecraft|malicious program|video game",
    yes="Sci/Tech",
    on="sen_lemma",
    ignore_case=True,
    name="tech_terms",
)

TECH = tuple(
    "robot robotic web internet linux stem-cell biotechnology xbox playstation microsoft space nasa adobe ipod apple "
    "xerox ibm".split()
)
WORLD = tuple(
    "mideast iraq baghdad pakistan afghan kurd arab egypt iran turkey syria bahrain israel jordan kuwait lebanon oman "
    "palestine qatar saudi uae yemen chechnya al-qaeda taliban hostage abduct hijack invasion curfew army troop peace "
    "militant missile murder death".split()
)
SPORTS = tuple(
    "baseball football soccer hockey basketball tennis golf stadium arena season playoff tournament mlb nfl nba mls "
    "nhl ncaa league racing premiership quarterback centerback fullback pitcher".split()
)
BUSINESS = ("profit", "bankrupt", "financial")


@feature
def lemmas(row):
    return row["sen_lemma"].lower().split()


@labeler(says=["World", "Sports", "Business", {"Business", "Sci/Tech"}])
def exclusive_words(lemmas):
    """The first topic of which some word is there; a word is there when a lemma begins with it."""
    topics = [({"Business", "Sci/Tech"}, TECH), ("World", WORLD), ("Sports", SPORTS), ("Business", BUSINESS)]
    for answer, beginnings in topics:
        if any(word.startswith(beginnings) for word in lemmas):
            return answer
    return None


@labeler(says=[{"World", "Sports"}])
def person_and_place_in_title(row):
    return {"World", "Sports"} if "PERSON" in row["title_ner"] and "GPE" in row["title_ner"] else None


@labeler(says=[{"World", "Sports"}])
def person_and_event(row):
    return {"World", "Sports"} if "PERSON" in row["sen_ner"] and "EVENT" in row["sen_ner"] else None


@labeler(says=[{"Business", "Sci/Tech"}])
def product_in_title(row):
    return {"Business", "Sci/Tech"} if "PRODUCT" in row["title_ner"] else None


leaders = keywords(
    ["minister", "chairman"], says={"World", "Business"}, on="sen_lemma", whole_words=False, name="leaders"
)
internet = keywords(["internet"], says={"World", "Sci/Tech"}, on="sen_lemma", whole_words=False, name="internet")

labelers = [
    place_and_event,
    location_in_title,
    sports_names,
    business_words,
    tech_terms,
    exclusive_words,
    person_and_place_in_title,
    person_and_event,
    product_in_title,
    leaders,
    internet,
]
