"""Mails of SpamAssassin: spam or ham, or ham that looks like spam as a class of its own.

`spam2_few` has few broad rules, all but one for spam.
"""

from __future__ import annotations

import re

from .rules import (
    KEYWORDS,
    MIXED,
    PARTIAL,
    Part,
    Rule,
    Table,
    above,
    below,
    cases,
    found,
    otherwise,
    regex,
    words,
)

SPAM, HAM, EASY_HAM, HARD_HAM = "spam", "ham", "easy-ham", "hard-ham"
TWO_CLASSES = {EASY_HAM: HAM, HARD_HAM: HAM, SPAM: SPAM}
FREE_MAIL = r"@(?:hotmail|yahoo|aol|msn|excite|lycos|netzero|juno|earthlink)\b"


def header(mail: str) -> str:
    return mail.partition("\n\n")[0]


def body(mail: str) -> str:
    return mail.partition("\n\n")[2]


def body_size(mail: str) -> int:
    return len(body(mail))


def capitals(mail: str) -> float:
    """The share of capitals among the letters of the body."""
    letters = [letter for letter in body(mail) if letter.isalpha()]
    return sum(letter.isupper() for letter in letters) / (len(letters) + 1)


def field(name: str) -> Part:
    search = re.compile(rf"^{name}:[ \t]*(.*)$", re.IGNORECASE | re.MULTILINE).search

    def value(mail: str) -> str:
        found = search(header(mail))
        return found.group(1).strip() if found else ""

    return value


subject, sender, to = field("Subject"), field("From"), field("To")
content_type, mailer = field("Content-Type"), field("X-Mailer")


OFFERS = [
    words(
        "money",
        SPAM,
        "$$$ earn_money make_money extra_income home_business work_from_home financial_freedom",
        of=body,
    ),
    words("click", SPAM, "click_here click_below visit_our_website", of=body),
    words(
        "remove",
        SPAM,
        "to_be_removed remove_me removed_from unsubscribe opt-out opt_out remove_in_the_subject",
        of=body,
    ),
    words("guarantee", SPAM, "guarantee guaranteed risk_free no_obligation 100%_free money_back", of=body),
]
WARES = [
    words("loan", SPAM, "mortgage refinance credit_card debt lowest_rates insurance", of=body),
    words("pills", SPAM, "viagra weight_loss lose_weight pills herbal hgh penis enlargement", of=body),
    words("porn", SPAM, "xxx teens sex nude porn webcam horny", of=body),
    words("nigeria", SPAM, "million_dollars nigeria confidential_transaction next_of_kin bank_account", of=body),
]
SUBJECTS = [
    regex("subject_shout", SPAM, r"!|\$|\bFREE\b", of=subject),
    regex("subject_code", SPAM, r"\s{4,}\S+$|\b[a-z]{4,7}\d{2,}\b", of=subject),
]


def friendly(ham: str) -> list[Rule]:
    return [
        regex("reply", ham, r"^re:", of=subject),
        regex("list", ham, r"(?m)^list-id:|^x-beenthere:|mailman", of=header),
        regex("quoted", ham, r"(?m)^>", at_least=2, of=body),
        words("wrote", ham, "wrote: writes: wrote", of=body),
        words("linux", ham, "linux perl python kernel rpm debian redhat sourceforge apache", of=body),
    ]


TABLES = {
    "spam2_keywords": Table(
        KEYWORDS,
        "mails",
        merged=TWO_CLASSES,
        rules=[
            *OFFERS,
            *WARES,
            *SUBJECTS,
            *friendly(HAM),
            regex("reply_to_thread", HAM, r"(?m)^in-reply-to:|^references:", of=header),
            regex("rss", HAM, r"rssfeeds", of=sender),
        ],
    ),
    "spam2_few": Table(
        KEYWORDS,
        "mails",
        merged=TWO_CLASSES,
        rules=[
            words("marketing", SPAM, "free offer money order guarantee click save credit", at_least=3, of=body),
            words("links", SPAM, "http", at_least=6, of=body),
            regex("exclaim", SPAM, r"!|\$|%|free", of=subject),
            regex("free_mail", SPAM, FREE_MAIL, of=sender),
            regex("html", SPAM, r"html", of=content_type),
            regex("re", HAM, r"\bre:|\[\w+\]", of=subject),
        ],
    ),
    "spam2_mixed": Table(
        MIXED,
        "mails",
        merged=TWO_CLASSES,
        rules=[
            regex("html_only", SPAM, r"text/html", of=content_type),
            cases("html_tags", (SPAM, found(r"<(?:html|body|font|table|br|p)\b", body)), (HAM, otherwise)),
            cases("caps", (SPAM, above(0.15, capitals)), (HAM, below(0.07, capitals))),
            cases("thread", (HAM, found(r"(?m)^in-reply-to:|^references:", header)), (SPAM, otherwise)),
            regex("to_me", SPAM, r"undisclosed|webnote|netnoteinc", of=to),
            regex("no_to", SPAM, r"^$|undisclosed", of=to),
            regex("sender_digits", SPAM, r"\w*\d{2,}\w*@", of=sender),
            regex("sender_free", SPAM, FREE_MAIL, of=sender),
            regex("sender_free_digits", SPAM, r"\d\w*" + FREE_MAIL, of=sender),
            regex("sender_edu_org", HAM, r"\.(?:edu|org|ie|uk|de|nl)>?$", of=sender),
            regex("mailer_outlook", SPAM, r"outlook|aol|the bat", of=mailer),
            regex("mailer_unix", HAM, r"mozilla|exmh|kmail|sylpheed|evolution|apple|ximian", of=mailer),
            regex("re", HAM, r"^re:", of=subject),
            regex("re_or_tag", HAM, r"^re:|\[\w[\w-]+\]", of=subject),
            words("click", SPAM, "click click_here", of=body),
            words("click_remove", SPAM, "click_here remove unsubscribe", of=body),
            words("money", SPAM, "money dollars free cash", of=body),
            words("geek", HAM, "linux perl code bug patch software install server", of=body),
            cases("length", (SPAM, above(4000, body_size)), (HAM, otherwise)),
            regex("exclaims", SPAM, r"!", at_least=4, of=body),
        ],
    ),
    "spam3_keywords": Table(
        KEYWORDS,
        "mails",
        [
            *OFFERS,
            *SUBJECTS,
            *friendly(EASY_HAM),
            words("newsletter", HARD_HAM, "newsletter subscriber subscription you_are_receiving this_issue", of=body),
            words(
                "customer", HARD_HAM, "your_order your_account member_services customer_service privacy_policy", of=body
            ),
            words("cnet", HARD_HAM, "cnet zdnet techupdate lockergnome", of=body),
        ],
    ),
    "spam3_partial": Table(
        PARTIAL,
        "mails",
        [
            cases(
                "html",
                ({HARD_HAM, SPAM}, found(r"<(?:html|body|font|table)\b", body)),
                ({EASY_HAM, HARD_HAM}, otherwise),
            ),
            regex("thread", EASY_HAM, r"(?m)^in-reply-to:", of=header),
            regex("list", EASY_HAM, r"(?m)^list-id:|^x-beenthere:", of=header),
            words("subscription", {HARD_HAM, SPAM}, "unsubscribe newsletter subscription subscribed", of=body),
            words("selling", {SPAM, HARD_HAM}, "offer save free price buy order", at_least=2, of=body),
            words("porn_money", SPAM, "sex xxx viagra make_money earn mortgage guarantee guaranteed", of=body),
            regex("shout", SPAM, r"!!|\$|\bfree\b", of=subject),
            regex("re", EASY_HAM, r"^re:", of=subject),
            words("geek", {EASY_HAM, HARD_HAM}, "linux perl python java developers unix software", of=body),
            words("news", HARD_HAM, "newsletter this_issue copyright_2002 all_rights_reserved privacy_policy", of=body),
            regex("free_mail", {SPAM, EASY_HAM}, FREE_MAIL, of=sender),
            regex("quoted", EASY_HAM, r"(?m)^>", at_least=2, of=body),
            cases("long", ({HARD_HAM, SPAM}, above(5000, body_size))),
        ],
    ),
}
