"""How a server of the OpenAI protocol is asked about choices, and how its replies are read.

first token   the log-probabilities of the likeliest first tokens of the answer
free text     whatever it writes, matched against the choices; no confidence
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from shortlist.arrays import Floats
from shortlist.models.language_model import Answer, no_answer

Body = dict[str, Any]


@dataclass(frozen=True)
class Protocol:
    """Writes requests, and reads the replies to them.

    chat   asks a chat; else for text to be continued
    top    number of first tokens to ask for; 0 asks for free text
    """

    chat: bool
    top: int

    @property
    def name(self) -> str:
        return "first token" if self.top else "free text"

    @property
    def path(self) -> str:
        return "chat/completions" if self.chat else "completions"

    def body(self, prompt: str, choices: Sequence[str]) -> Body:
        """The body of the request."""
        if not self.top:
            listed = ", ".join(choice.strip() for choice in choices)
            question = f"{prompt}\n\nAnswer with one of these words and nothing else: {listed}"
            return {"messages": messages(question), "max_tokens": 24, "temperature": 0}
        one_token: Body = {"max_tokens": 1, "temperature": 0}
        if self.chat:
            return one_token | {"messages": messages(prompt), "logprobs": True, "top_logprobs": self.top}
        return one_token | {"prompt": prompt, "logprobs": self.top}

    def read(self, reply: Mapping[str, Any], choices: Sequence[str]) -> Answer:
        """The answer in a reply; BadReply if it is not what was asked for. Why "shared": it is like several choices."""
        try:
            if refused(reply):
                return no_answer(choices, "refused", how=self.name, **token_counts(reply))
            if self.top:
                scores = first_token_scores(first_token(reply), choices)
            else:  # −∞ for the choices that were not written; NaN throughout where that is not clear
                match = matched(reply_text(reply), choices)
                scores = np.where(np.arange(len(choices)) == match, 0.0, np.nan if match is None else -np.inf)
        except (TypeError, ValueError, ArithmeticError, LookupError, AttributeError, RecursionError) as error:
            raise BadReply(f"the reply cannot be read ({type(error).__name__})") from error
        if scores is None:
            return no_answer(choices, "shared", how=self.name, **token_counts(reply))
        return Answer(scores, "outside" if np.isnan(scores).all() else "", self.name, **token_counts(reply))


def all_protocols(chat: bool | None) -> list[Protocol]:
    """All protocols, in the order in which they are tried: the best first, and of those the most tokens first."""
    completions = [] if chat else [Protocol(False, top) for top in (500, 20, 5)]
    chats = [] if chat is False else [Protocol(True, top) for top in (20, 5, 0)]
    return completions + chats


def messages(prompt: str) -> list[Body]:
    """A prompt as the one message of a chat."""
    return [{"role": "user", "content": prompt}]


# -- reading replies --------------------------------------------------------------------------------------


REFUSALS = ("content_filter", "refusal", "safety", "content_policy")


class BadReply(Exception):  # noqa: N818  as in errors.py
    """A reply that is not what the protocol says: broken JSON, or without what was asked for."""


def decoded(content: str) -> dict[str, Any]:
    """Decode a reply, which must be a JSON object."""
    try:
        reply = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise BadReply(f"the reply is no JSON: {content[:60]!r}") from error
    if not isinstance(reply, dict):
        raise BadReply(f"the reply is no JSON object: {content[:60]!r}")
    return reply


def token_counts(reply: Mapping[str, Any]) -> dict[str, Any]:
    """`tokens_in` and `tokens_out`, as the server counts them, 0 to 10⁹; 0 if it does not say."""
    usage = reply.get("usage")
    usage = usage if isinstance(usage, Mapping) else {}
    counts = {"tokens_in": usage.get("prompt_tokens"), "tokens_out": usage.get("completion_tokens")}
    return {name: min(max(count, 0), 10**9) if isinstance(count, int) else 0 for name, count in counts.items()}


def choice(reply: Mapping[str, Any]) -> dict[str, Any]:
    """The continuation that came back."""
    listed = reply.get("choices")
    if not isinstance(listed, list) or not listed or not isinstance(listed[0], dict):
        raise BadReply(f"the reply has no choices: {str(dict(reply))[:80]}")
    return listed[0]


def refused(reply: Mapping[str, Any]) -> bool:
    """True if the model or a content filter refused to answer."""
    one = choice(reply)
    message = one.get("message")
    says_so = isinstance(message, Mapping) and bool(message.get("refusal"))
    return says_so or str(one.get("finish_reason", "")).lower() in REFUSALS


def reply_text(reply: Mapping[str, Any]) -> str:
    """The text that the model wrote."""
    one = choice(reply)
    message = one.get("message")
    content = one.get("text") if not isinstance(message, Mapping) else message.get("content")
    if isinstance(content, list):  # in parts
        content = "".join(str(part.get("text", "")) for part in content if isinstance(part, Mapping))
    if content is None:
        content = ""
    if not isinstance(content, str):
        raise BadReply(f"the reply has no text: {str(one)[:80]}")
    return content


def first_token(reply: Mapping[str, Any]) -> list[tuple[str, float]]:
    """(token, log-probability) of the likeliest first tokens: those of a chat, or of older completions."""
    logprobs = choice(reply).get("logprobs") or {}
    if logprobs.get("content"):
        pairs = [(one["token"], one["logprob"]) for one in logprobs["content"][0]["top_logprobs"]]
    else:
        pairs = list((logprobs.get("top_logprobs") or [{}])[0].items())
    numbers = [(token, value) for token, value in pairs if isinstance(token, str) and isinstance(value, (int, float))]
    tokens = [(token, min(float(value), 0.0)) for token, value in numbers if math.isfinite(value)]
    if not tokens:
        raise BadReply("the reply has no log-probabilities")
    return tokens


def _error_in(content: str) -> Any:
    """The error in the content of a response, as the server gives it; None if the content is no JSON."""
    try:
        reply = json.loads(content)
    except (ValueError, RecursionError):
        return None
    return reply.get("error", reply) if isinstance(reply, dict) else reply


def error_message(content: str) -> str:
    """The error message of a server, in one line."""
    error = _error_in(content)
    if error is None:
        error = content
    while isinstance(error, dict) and ("message" in error or "detail" in error):
        error = error.get("message", error.get("detail"))
    return " ".join(str(error).split())[:200]


def prompt_error(content: str) -> str:
    """The reason if the prompt itself caused the error: "refused" or "too long", else an empty text."""
    error = _error_in(content)
    if not isinstance(error, dict):
        return ""
    inner = error.get("innererror")
    codes = [error.get("code"), error.get("type"), inner.get("code") if isinstance(inner, dict) else None]
    words = " ".join(str(code).lower() for code in codes)
    if any(word in words for word in REFUSALS):
        return "refused"
    words += str(error.get("message", ""))[:80].lower()  # the beginning: the rest may quote the prompt
    signs = ("context_length", "exceed_context", "context_size", "too_long", "string_above_max", "maximum context")
    return "too long" if any(sign in words for sign in signs) else ""


# -- matching answers to choices --------------------------------------------------------------------------


def plain(word: str) -> str:
    """Normalise a word for comparison: no blanks around it, quotation marks, full stop or capitals."""
    return word.strip().strip("\"'`*.").strip().casefold()


def first_token_scores(tokens: Sequence[tuple[str, float]], choices: Sequence[str]) -> Floats | None:
    """(c,): the log-probability that the answer begins as a choice does; NaN throughout where it is none of them.

    None where the likeliest of these tokens begins several choices, so that it does not distinguish them.

    A choice that is not among the tokens is at most as likely as the least likely of them, and as all that is left:
    that bound is its score, so that it can make a lead smaller and never larger than it is.
    """
    shares: dict[str, float] = {}  # all spellings of a token together
    for token, value in tokens:
        shares[plain(token)] = shares.get(plain(token), 0.0) + math.exp(value)
    firsts = [_first(plain(choice), shares) for choice in choices]
    shared = {one for one in firsts if one is not None and firsts.count(one) > 1}
    mass = np.array([0.0 if one is None or one in shared else shares[one] for one in firsts])
    if max((shares[one] for one in shared), default=0.0) > mass.max():
        return None
    if not mass.any():
        return np.full(len(choices), np.nan)
    left = max(1 - sum(shares.values()), 1e-12)
    bound = max(min(math.exp(min(value for _, value in tokens)), left), 1e-300)
    return np.log(np.where(mass > 0, np.minimum(mass, 1.0), bound))


def _first(word: str, shares: Mapping[str, float]) -> str | None:
    """The token that a choice begins with: the longest of these that is its beginning, or it and a mark: "yes,"."""
    if word in shares:
        return word
    marked = [token for token in shares if token.startswith(word) and not token[len(word)].isalnum()]
    begins = [token for token in shares if len(token) >= 2 and word.startswith(token)]
    return max(marked, key=lambda token: shares[token]) if marked else max(begins, key=len, default=None)


def matched(written: str, choices: Sequence[str]) -> int | None:
    """The number of the choice that a text is, begins with, or names as the only one; None if that is not clear."""
    answer = plain(written)
    words = [plain(one) for one in choices]
    if answer in words:
        return words.index(answer)
    whole = [re.compile(rf"(?<![^\W_]){re.escape(word)}(?![^\W_])") for word in words]  # no letter or digit beside it
    first = [i for i, word in enumerate(whole) if word.match(answer)]
    named = [i for i, word in enumerate(whole) if word.search(answer)]
    return first[0] if len(first) == 1 else named[0] if len(named) == 1 else None
