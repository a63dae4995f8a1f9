"""Sentences of SciCite that cite something, after the name of their section: why do they cite it?"""

from __future__ import annotations

from .rules import KEYWORDS, MIXED, PARTIAL, Table, above, below, cases, found, otherwise, regex, words

BACKGROUND, METHOD, RESULT = "background", "method", "result"


def section(text: str) -> str:
    return text.split(" || ", 1)[0].lower()


def sentence(text: str) -> str:
    return text.split(" || ", 1)[1]


def size(text: str) -> int:
    return len(sentence(text))


TABLES = {
    "scicite_keywords": Table(
        KEYWORDS,
        "scicite",
        [
            words("used", METHOD, "was_used were_used we_used using_the performed measured calculated"),
            words(
                "as_described",
                METHOD,
                "as_described as_previously_described described_previously described_by according_to",
            ),
            words("tools", METHOD, "software package algorithm toolkit protocol kit program"),
            regex(
                "method_section",
                METHOD,
                r"method|material|experiment|implementation|data|procedure|participants|statistical",
                of=section,
            ),
            words("scale", METHOD, "scale questionnaire test samples dataset"),
            words(
                "consistent", RESULT, "consistent_with in_agreement in_line_with agree_with agrees_with in_accordance"
            ),
            words(
                "similar", RESULT, "similar_to similar_results comparable_to in_contrast_to contrast_with compared_to"
            ),
            words(
                "our_results",
                RESULT,
                "our_results our_findings our_data our_study present_study these_results this_study",
            ),
            words("previous", RESULT, "previous_studies previous_reports previous_findings reported_previously"),
            words("known", BACKGROUND, "is_known have_been has_been it_has_been well_known"),
            words("role", BACKGROUND, "role important associated involved plays regulate*"),
            words("suggest", BACKGROUND, "suggested proposed may can_be might"),
            regex("intro", BACKGROUND, r"introduction|background|related|review", of=section),
            words("eg", BACKGROUND, "e.g. for_example for_instance such_as including"),
        ],
    ),
    "scicite_mixed": Table(
        MIXED,
        "scicite",
        [
            cases(
                "section",
                (BACKGROUND, found(r"intro|background|related", section)),
                (METHOD, found(r"method|material|experiment|procedure|implementation", section)),
                (RESULT, found(r"discuss", section)),
            ),
            cases(
                "section_2",
                (METHOD, found(r"method|material|setup|analysis|design", section)),
                (BACKGROUND, otherwise),
            ),
            regex("many_cites", BACKGROUND, r"(?:19|20)\d\d", at_least=3, of=sentence),
            regex("many_cites_2", BACKGROUND, r";", at_least=2, of=sentence),
            cases("length", (BACKGROUND, above(250, size)), (METHOD, below(130, size))),
            words("we", METHOD, "we our"),
            words("we_used", METHOD, "we_used we_use was_used were_used used"),
            words("used", METHOD, "used using"),
            words("passive_past", METHOD, "was were"),
            words("present", BACKGROUND, "is are has have"),
            words("agree", RESULT, "consistent_with similar_to agree* agreement in_line_with"),
            words("agree_2", RESULT, "consistent similar comparable in_contrast"),
            words("studies", RESULT, "study studies found results reported"),
            words("show", RESULT, "showed shown demonstrated observed"),
            regex("percent", RESULT, r"\d%|\bp ?[<=]"),
            regex("et_al_start", BACKGROUND, r"\|\| [A-Z]\w+ (?:et al|and|&)"),
        ],
    ),
    "scicite_partial": Table(
        PARTIAL,
        "scicite",
        [
            cases(
                "section",
                (BACKGROUND, found(r"intro|background|related", section)),
                (METHOD, found(r"method|material|procedure", section)),
                ({BACKGROUND, RESULT}, found(r"discuss|result|conclu", section)),
            ),
            words("we", {METHOD, RESULT}, "we our this_study present_study"),
            words(
                "past_passive", METHOD, "was_performed were_performed was_used were_used was_measured were_calculated"
            ),
            words("used", {METHOD, BACKGROUND}, "used using method approach model"),
            words("agree", RESULT, "consistent_with similar_to in_agreement in_line_with in_contrast_to"),
            words("found", {RESULT, BACKGROUND}, "found showed reported demonstrated observed suggest*"),
            words("described", METHOD, "as_described described_previously according_to described_by"),
            words("hedge", BACKGROUND, "may might could role important known"),
            regex("many_cites", {BACKGROUND, RESULT}, r"(?:19|20)\d\d", at_least=3, of=sentence),
            words("eg", BACKGROUND, "e.g. such_as for_example"),
            words("tool", METHOD, "software algorithm package protocol"),
            words("not_method", {BACKGROUND, RESULT}, "studies evidence patients risk disease effect effects"),
        ],
    ),
}
