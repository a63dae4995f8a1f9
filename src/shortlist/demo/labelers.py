"""Ten labelers for news. None of them can name a topic.

Each knows a word with two trades: a president heads a state or a company, a star sings or plays, games are won or sold.
They were written from knowing newspapers, before any topic was looked at: what stories mention, and how the BBC writes
(its sports pages call nobody "Mr"). In a first draft nearly all of them said one thing or nothing. The doctor pointed
out that accuracies cannot be learned from that, so most now also say what it means when their words are missing.
"""

from shortlist.labelers import keywords, labeler, pattern
from shortlist.labelspace import Not

CLASSES = ["business", "entertainment", "politics", "sports", "tech"]


@labeler(says=[{"business", "politics", "tech"}, {"entertainment", "sports"}])
def honorific(article: dict[str, str]) -> set[str]:
    """The BBC writes "Mr Blair" in news, and plain surnames about players and stars."""
    if any(title in article["text"] for title in (" Mr ", " Mrs ", " Ms ")):
        return {"business", "politics", "tech"}
    return {"entertainment", "sports"}


LABELERS = [
    honorific,
    pattern(
        r"\b(president|government|ministers?|chancellor|tax)\b",
        yes={"business", "politics"},
        no={"entertainment", "sports", "tech"},
        on="text",
        ignore_case=True,
        name="power",
    ),
    pattern(
        r"\b(firms?|compan(y|ies)|customers?|consumers?|sales)\b",
        yes={"business", "tech"},
        no={"entertainment", "politics", "sports"},
        on="text",
        ignore_case=True,
        name="company",
    ),
    pattern(
        r"\b(stars?|fans?|awards?|winners?)\b",
        yes={"entertainment", "sports"},
        no={"business", "politics", "tech"},
        on="text",
        ignore_case=True,
        name="stardom",
    ),
    pattern(
        r"\b(tv|dvds?|videos?|digital|downloads?)\b",
        yes={"entertainment", "tech"},
        no={"business", "politics", "sports"},
        on="text",
        ignore_case=True,
        name="screen",
    ),
    pattern(
        r"\b(games?|players?)\b",
        yes={"sports", "tech"},
        no={"business", "entertainment", "politics"},
        on="text",
        ignore_case=True,
        name="play",
    ),
    pattern(
        r"\b(defeat(ed)?|victory|rivals?|campaign|leader)\b",
        yes={"politics", "sports"},
        no={"business", "entertainment", "tech"},
        on="text",
        ignore_case=True,
        name="contest",
    ),
    pattern(r"[£$€]\s?\d|\d%", yes=Not("sports"), no=Not("business"), on="text", name="sums"),
    keywords(["law", "court", "police", "ban"], says=Not("sports"), on="opening", name="law"),
    keywords(["record", "records"], says={"business", "entertainment", "sports"}, on="opening", name="record"),
]
