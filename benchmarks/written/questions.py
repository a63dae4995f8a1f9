"""Questions of TREC, by what is asked for."""

from __future__ import annotations

import re

from .rules import KEYWORDS, MIXED, PARTIAL, Part, Table, Test, cases, lean, regex, words

ABBR, DESC, ENTY, HUM, LOC, NUM = "ABBR", "DESC", "ENTY", "HUM", "LOC", "NUM"


def first_word(question: str) -> str:
    return question.split()[0].lower()


def noun(question: str) -> str:
    """The word after "what", adjectives left out."""
    found = re.match(r"what (?:u\.s\. |american |famous |former )?(\w+)", question.lower())
    return found.group(1) if found else ""


def one_of(listed: str, of: Part) -> Test:
    return lambda text: of(text) in listed.split()


TABLES = {
    "trec_keywords": Table(
        KEYWORDS,
        "trec",
        [
            regex("who", HUM, r"^(?:who|whose|whom)\b"),
            regex("where", LOC, r"^where\b"),
            regex("when", NUM, r"^when\b|what (?:year|date|day|time)\b"),
            regex("how_many", NUM, r"\bhow (?:many|much|long|far|old|tall|big|fast|often|high|deep|hot|large)\b"),
            words("place", LOC, "country city state capital river mountain island continent ocean town county"),
            words("stand_for", ABBR, "stand_for abbreviation acronym abbreviated"),
            regex("why", DESC, r"^why\b"),
            regex("how_do", DESC, r"^how (?:do|does|did|can|is|are|was|to)\b"),
            regex("what_is_a", DESC, r"^what (?:is|are) (?:an?|the)? ?(?:`` )?\w+(?: '')? \?$"),
            words("mean", DESC, "mean definition meaning origin difference describe"),
            words("person", HUM, "president actor actress author king queen leader singer inventor wife team company"),
            words(
                "thing",
                ENTY,
                "animal color movie film book song novel game instrument sport language food drink dog bird fish "
                "disease term",
            ),
            words("amount", NUM, "population percentage average temperature number length distance cost"),
        ],
    ),
    "trec_mixed": Table(
        MIXED,
        "trec",
        [
            cases(
                "wh",
                (HUM, one_of("who whose whom", first_word)),
                (LOC, one_of("where", first_word)),
                (NUM, one_of("when", first_word)),
                (DESC, one_of("why how", first_word)),
            ),
            cases(
                "first_noun",
                (
                    ENTY,
                    one_of(
                        "animal color kind type sort film movie book song game sport product language word term novel",
                        noun,
                    ),
                ),
                (
                    HUM,
                    one_of("president actor actress man woman person king team company comedian singer author", noun),
                ),
                (LOC, one_of("country city state river mountain island continent ocean county town", noun)),
                (NUM, one_of("year date day time percentage month number", noun)),
                (DESC, one_of("is are does causes", noun)),
            ),
            lean("length", lambda text: len(text.split()), (DESC, ENTY), 6, 8),
            regex("what_is", DESC, r"^what (?:is|are|was|were|'s)\b"),
            regex("what_is_2", DESC, r"^what (?:is|are|does)\b"),
            regex("what_else", ENTY, r"^what (?!is|are|was|does|did|do\b|'s)\w+"),
            regex("name", ENTY, r"^name\b|\bcalled\b|\bknown as\b"),
            regex("who", HUM, r"\bwho\b"),
            regex("who_2", HUM, r"^who\b"),
            regex("how_adj", NUM, r"how (?:many|much|long|far|old|tall)\b"),
            regex("how_many", NUM, r"how many|how much"),
            regex("digits", NUM, r"\d"),
            words("place_words", LOC, "where country city state located world capital"),
            regex("in_where", LOC, r"\bin the (?:world|u\.s\.)|located|located in"),
            regex("caps_abbr", ABBR, r"\b[A-Z]{3,5}\b", ignore_case=False),
            words("stand", ABBR, "stand_for abbreviation acronym"),
            regex("names", HUM, r"`` .* ''"),
        ],
    ),
    "trec_partial": Table(
        PARTIAL,
        "trec",
        [
            regex("who", HUM, r"^who"),
            regex("who_is_desc", {HUM, DESC}, r"^who (?:is|was|were)\b"),
            regex("where", LOC, r"^where"),
            regex("when", NUM, r"^when|what year"),
            regex("how_adj", NUM, r"^how (?:many|much|long|far|old|tall|big|fast)"),
            regex("how_other", {DESC, NUM}, r"^how\b"),
            regex("why", DESC, r"^why"),
            regex("what_is", {DESC, ENTY, NUM, ABBR, LOC}, r"^what (?:is|are|was|were)\b"),
            regex("what_noun", {ENTY, HUM, LOC, NUM}, r"^(?:what|which) (?!is|are|was|were|do|does|did|'s)\w+"),
            regex(
                "superlative",
                {LOC, ENTY, HUM, NUM},
                r"\b(?:largest|biggest|first|most|highest|longest|oldest|best|only)\b",
            ),
            words("geo", LOC, "country city state capital river island continent"),
            words("place_ish", {LOC, ENTY}, "located world located_in u.s."),
            words("called", {ENTY, HUM}, "called name named known_as nickname"),
            words("means", {DESC, ABBR}, "mean stand_for meaning abbreviation"),
            words("stuff", ENTY, "animal color film movie book song kind type"),
            regex("name", {ENTY, HUM, LOC}, r"^name\b"),
            regex("short_caps", {ABBR, DESC}, r"^what (?:is|are|does) (?:an? |the )?[A-Z]{2,5}\b"),
            words("cause", DESC, "difference origin cause work happens"),
        ],
    ),
}
