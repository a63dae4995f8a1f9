"""The paper's ten labelers for SciCite: what is a citation for, background, method or result?

Rows are those of the data set, with the columns string, sectionName, citeStart and citeEnd.

What differs from the paper (appendix "PLFs for Text Classification"):

- The paper reads a column `preprocessed_string` that was not published; here it is `string`.
- The paper reads a column `citation`; here it is cut out of `string` by the offsets, and empty where those are
  missing, as they are in a few rows.
- Where the paper lower-cases a text and looks for words, the words are looked for without regard to case. That
  is the same but for a few letters from outside English (such as ſ and İ), and on every row of the data.
- A quotation mark that the printed list of method words lacks is put back ("simulating"). Other slips, such as
  "Lconclusion", are part of the rules and are kept.
"""

import re

from shortlist import LabelSpace, feature, keywords, labeler, pattern

SPACE = LabelSpace(["background", "method", "result"])

first_person = pattern(
    " we | our | by us ", yes={"method", "result"}, on="string", ignore_case=True, name="first_person"
)


@labeler(says=["background", "method", {"background", "result"}])
def section_title(row):
    title = str(row["sectionName"]).lower()
    if re.search("method|approach|experiment|evaluation", title):
        return "method"
    if re.search("introduction|background", title):
        return "background"
    if re.search("result|discussion|Lconclusion|observation", title):
        return {"background", "result"}
    return None


result_word = pattern(
    " result | results ", yes="result", no={"background", "method"}, on="string", ignore_case=True, name="result_word"
)


@feature
def citation(row):
    """The text of the citation: offsets may be missing, and are floats where some are."""
    start, end = row["citeStart"], row["citeEnd"]
    if start is None or end is None or start != start or end != end:  # nan is not equal to itself
        return ""
    return row["string"][int(start) : int(end)]


@labeler(says=[{"background", "method"}])
def many_cited(citation):
    """Three or more works cited at once."""
    if len(citation.split(";")) > 2:
        return {"background", "method"}
    return None


qualified_result = keywords(
    ["equivocal result", "similar result", "same result", "different result", "expected result"],
    says={"background", "result"},
    on="string",
    whole_words=False,
    name="qualified_result",
)

method_words = pattern(
    "using|measuring|used|the method|data|state-of-art|calculated|applied|according to|approach",
    yes="method",
    no={"background", "result"},
    on="string",
    name="method_words",
)

comparison = keywords(
    [
        "in line with",
        "discordant with",
        "consistent with",
        "keeping with",
        "accordance with",
        "agreement with",
        "similar with",
        "compared to",
        "contrast to",
        "contrary to",
        "comparable to",
        "contradict to",
        "affirmed by",
        "supported by",
        "in support of",
    ],
    says="result",
    on="string",
    whole_words=False,
    name="comparison",
)

known_so_far = keywords(
    ["has been", "in order to", "considered to", "initially", "even if", "have shown", "has shown"],
    says={"background", "method"},
    on="string",
    whole_words=False,
    name="known_so_far",
)

finding = pattern(
    "our result|this is in keeping|with previous|this study differ|this is in agreement with|this conclusion"
    "|this finding|similar result.*(found|observed|obtained)",
    yes="result",
    on="string",
    name="finding",
)

method_terms = pattern(
    "we (employ|utilize)|iap-as|metaanalyses|temporal transition|was estimated|quantitative (analyses|analysis)"
    "|this procedure|implementation|sequence analysis|regularization method|were analysed|we adopt|bayesian"
    "|were sampled|quantitative method|fracture|simulating|this design|algorithm|developed|model performance"
    "|(was|were) evaluated|as control|scheme|control management|(was|were|is|are) measured|the rats|the pigs|we appl",
    yes="method",
    on="string",
    name="method_terms",
)

labelers = [
    first_person,
    section_title,
    result_word,
    many_cited,
    qualified_result,
    method_words,
    comparison,
    known_so_far,
    finding,
    method_terms,
]
