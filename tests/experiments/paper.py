"""The rules as the paper prints them (appendix "PLFs for Text Classification"), to check ours against.

`RULES[name]` lists, for each labeler of `experiments/<name>.py` in order, the printed decision function of a row (a
number; −1 abstains) and the printed label_maps (number → classes by their index). The column names are those of the
published data, and `get_subject` is ours. Nothing here comes from the library.
"""

import re

from experiments.subject import subject


def regex(re_pattern, column, lower=True, unipolar=True):
    """BinaryRERules."""

    def decide(row):
        text = row[column].lower() if lower else row[column]
        return 1 if re.search(re_pattern, text) else (-1 if unipolar else 0)

    return decide


def anywhere(patterns, column):
    return lambda row: 1 if any(p in row[column].lower() for p in patterns) else -1


# -- SciCite: 0 background, 1 method, 2 result -----------------------------------------------------------


def section_title(row):
    title = str(row["sectionName"]).lower()
    if re.search("method|approach|experiment|evaluation", title):
        return 1
    elif re.search("introduction|background", title):  # noqa: RET505
        return 0
    elif re.search("result|discussion|Lconclusion|observation", title):
        return 2
    return -1


def length_citation(row):
    try:
        citation = row["string"][int(row["citeStart"]) : int(row["citeEnd"])]
    except (TypeError, ValueError):  # null, NaN
        citation = ""
    return 1 if len(citation.split(";")) > 2 else -1


RE_PATT_0 = "using|measuring|used|the method|" + "data|state-of-art|calculated|applied|" + "according to|approach"
RE_PATT_1 = (
    "our result|this is in keeping|"
    + "with previous|this study differ|"
    + "this is in agreement with|this conclusion|"
    + "this finding|"
    + "similar result.*(found|observed|obtained)"
)
RE_PATT_2 = (
    "we (employ|utilize)|iap-as|"
    + "metaanalyses|temporal transition|"
    + "was estimated|quantitative (analyses|analysis)"
    + "|this procedure|implementation|sequence analysis"
    + "|regularization method|were analysed|we adopt|"
    + "bayesian|were sampled|quantitative method|fracture|"
    + "simulating|this design|algorithm|developed|"
    + "model performance|(was|were) evaluated|as control"
    + "|scheme|control management|(was|were|is|are) measured"
    + "|the rats|the pigs|we appl"
)
RESULTS = ["equivocal result", "similar result", "same result", "different result", "expected result"]
COMPARISONS = [
    *("in line with", "discordant with", "consistent with", "keeping with", "accordance with", "agreement with"),
    *("similar with", "compared to", "contrast to", "contrary to", "comparable to", "contradict to", "affirmed by"),
    *("supported by", "in support of"),
]
ADDED = ["has been", "in order to", "considered to", "initially", "even if", "have shown", "has shown"]

SCICITE = [
    (anywhere([" we ", " our ", " by us "], "string"), {0: [0], 1: [1, 2]}),
    (section_title, {0: [0], 1: [1], 2: [0, 2]}),
    (lambda row: max(anywhere([" result ", " results "], "string")(row), 0), {0: [0, 1], 1: [2]}),
    (length_citation, {0: [2], 1: [0, 1]}),
    (anywhere(RESULTS, "string"), {0: [1], 1: [0, 2]}),
    (regex(RE_PATT_0, "string", lower=False, unipolar=False), {0: [0, 2], 1: [1]}),
    (anywhere(COMPARISONS, "string"), {0: [0, 1], 1: [2]}),
    (anywhere(ADDED, "string"), {0: [2], 1: [0, 1]}),
    (regex(RE_PATT_1, "string", lower=False), {0: [0, 1], 1: [2]}),
    (regex(RE_PATT_2, "string", lower=False), {0: [0, 2], 1: [1]}),
]

# -- TREC: 0 ABBR, 1 DESC, 2 ENTY, 3 HUM, 4 LOC, 5 NUM ---------------------------------------------------


def first_word(row):
    word = row["text"].split()[0].lower()
    return {"who": 0, "where": 1, "when": 2, "why": 3, "how": 4, "name": 5}.get(word, -1)


def called(row):
    return 1 if "called" in row["text"].lower().split() else -1


def mean(row):
    st = row["text"].lower().split()
    return 1 if "mean" in st or "meaning" in st else -1


def desc(row):
    st = row["text"].lower()
    tokens = st.split()
    return 1 if "definition" in tokens or "come from" in st or "origin" in tokens else -1


def enty(row):
    kinds = ("animal", "body", "color", "creative", "currency", "disease", "event", "food", "instrument", "language")
    kinds += ("letter", "plant", "product", "religion", "sport", "substance", "symbol", "technique", "term")
    kinds += ("vehicle", "word")
    return 1 if subject(row) in kinds else -1


def loc(row):
    return 1 if subject(row) in ("city", "country", "mountain", "state", "capital") else -1


NUM_PATTERN = (
    "how far|what.*birthday|how long|how deep|"
    + "when did|when was|how tall|what month|population|toll"
    + "|how big|how long|what year"
)
DESC_PATTERN_1 = (
    "what is the origin|what is the history"
    + "|what.*mean|how do you buy|what is the difference"
    + "|how can I|how do I|what effect"
)
DESC_PATTERN_2 = (
    "how.*tell|how d.*affect|how do.*work"
    + "|how do you fix|how do you get|how do you find"
    + "|how do I find|how.*made"
)
NEW_HOW = "how do|how was|how are|how is" + "|how was|how could|how can"
ABBR_NOT, DESC_NOT, NUM_NOT = [1, 2, 3, 4, 5], [0, 2, 3, 4, 5], [0, 1, 2, 3, 4]

TREC = [
    (first_word, {0: [3], 1: [4], 2: [5], 3: [1], 4: [1, 5], 5: [2, 3], 6: [0]}),
    (called, {0: [0, 1, 5], 1: [2, 3, 4]}),
    (mean, {0: [2, 3, 4, 5], 1: [0, 1]}),
    (anywhere(["stand for", "abbreviat"], "text"), {0: ABBR_NOT, 1: [0]}),
    (desc, {0: DESC_NOT, 1: [1]}),
    (enty, {0: [0, 1, 3, 4, 5], 1: [2]}),
    (loc, {0: [0, 1, 2, 3, 5], 1: [4]}),
    (anywhere(["what year"], "text"), {0: NUM_NOT, 1: [5]}),
    (anywhere(["how many", "how much", "how old"], "text"), {0: NUM_NOT, 1: [5]}),
    (regex("what.*mean", "text"), {0: DESC_NOT, 1: [1]}),
    (regex("what.*use of|what.*origin of|why do", "text"), {0: DESC_NOT, 1: [1]}),
    (regex(NUM_PATTERN, "text"), {0: NUM_NOT, 1: [5]}),
    (regex(DESC_PATTERN_1, "text"), {0: DESC_NOT, 1: [1]}),
    (regex(DESC_PATTERN_2, "text"), {0: DESC_NOT, 1: [1]}),
    (regex(NEW_HOW, "text"), {0: DESC_NOT, 1: [1]}),
    (regex("what.*stand for", "text"), {0: ABBR_NOT, 1: [0]}),
]

# -- AG-News: 0 World, 1 Sports, 2 Business, 3 Sci/Tech --------------------------------------------------


def entities(column, *kinds):
    return lambda row: 1 if all(kind in row[column] for kind in kinds) else -1


def starts(doc, keywords):
    for word in doc:
        for keyword in keywords:
            if word.startswith(keyword):
                return True
    return False


def bexclusive_lemmas(row):
    doc = row["sen_lemma"].lower().split()
    return 1 if starts(doc, {"profit", "bankrupt", "yen", "financial"}) else -1


# fmt: off
WORLD = {"mideast", "iraq", "baghdad", "pakistan", "afghan", "kurd", "arab", "egypt", "iran", "turkey", "syria",
         "bahrain", "israel", "jordan", "kuwait", "lebanon", "oman", "palestine", "qatar", "saudi", "uae", "yemen",
         "chechnya"}
WORLD |= {"al-qaeda", "taliban"}
WORLD |= {"hostage", "abduct", "hijack"}
WORLD |= {"invasion", " coup ", "curfew", "army", "troop", "peace", "militant", "missile"}
WORLD |= {"murder", "death"}
SPORTS = {"baseball", "football", "soccer", "hockey", "basketball", "tennis", "golf"}
SPORTS |= {"stadium", "arena"}
SPORTS |= {"season", "playoff", "tournament"}
SPORTS |= {"mlb", "nfl", "nba", "mls", "nhl", "ncaa", "league", "racing"}
SPORTS |= {"premiership"}
SPORTS |= {"quarterback", "centerback", "fullback", "pitcher"}
BUSINESS = {"profit", "bankrupt", "financial"}
TECH = {"robot", "robotic"}
TECH |= {"web", "internet"}
TECH |= {"linux"}
TECH |= {"stem-cell", "biotechnology"}
TECH |= {"xbox", "playstation"}
TECH |= {"microsoft"}
TECH |= {"space", "nasa"}
TECH |= {"adobe", "ipod", "apple", "xerox", "ibm"}
# fmt: on


def exclusive_lemmas(row):
    doc = row["sen_lemma"].lower().split()
    for answer, keywords in ((3, TECH), (0, WORLD), (1, SPORTS), (2, BUSINESS)):
        if starts(doc, keywords):
            return answer
    return -1


SPORTS_NAMES = (
    "kelvim escobar|red sox|"
    + "formula one|grand prix|svetlana kuznetsova"
    + "|billy wagner| kobe | beckham|johnny damon"
    + "|robin ventura|olivier panis"
)
TECH_PATT = (
    "space.com|space station|"
    + "network authentication|(python|java|matlab|c) developer|"
    + "application|virus|browser hijack|search engine|internet-based|"
    + "windows update|smart phone|source code|mangement software"
    + "|software.*develop|internet connection|interactive gam"
    + "|game console|transfer datum|internet security|g network"
    + "|internet company|storage capacity|music player|microsystem"
    + "|comsumer electronic|operat.*system|wireness network|motherboard"
    + "|spacecraft|malicious program|video game"
)

AGNEWS = [
    (entities("sen_ner", "EVENT", "GPE"), {0: [0, 2, 3], 1: [1]}),
    (entities("title_ner", "LOC"), {0: [1, 2, 3], 1: [0]}),
    (regex(SPORTS_NAMES, "sen_lemma"), {0: [0, 2, 3], 1: [1]}),
    (bexclusive_lemmas, {0: [0, 1, 3], 1: [2]}),
    (regex(TECH_PATT, "sen_lemma"), {0: [0, 1, 2], 1: [3]}),
    (exclusive_lemmas, {0: [0], 1: [1], 2: [2], 3: [2, 3]}),
    (entities("title_ner", "PERSON", "GPE"), {0: [2, 3], 1: [0, 1]}),
    (entities("sen_ner", "PERSON", "EVENT"), {0: [2, 3], 1: [0, 1]}),
    (entities("title_ner", "PRODUCT"), {0: [0, 1], 1: [2, 3]}),
    (regex("minister|chairman", "sen_lemma"), {0: [1, 3], 1: [0, 2]}),
    (regex("internet", "sen_lemma"), {0: [1, 2], 1: [0, 3]}),
]

RULES = {"scicite": SCICITE, "trec": TREC, "agnews": AGNEWS}
