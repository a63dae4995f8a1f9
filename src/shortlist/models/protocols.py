"""Request protocols: how a server is asked for its scores, the best protocol first, and how its replies are read.

whole strings   the log-probability of each whole choice after the prompt
first token     the log-probabilities of the likeliest first tokens
constrained     one of the choices, by a schema that the server enforces; no confidence
free text       whatever it writes, matched against the choices; no confidence
"""

from __future__ import annotations

import base64
import json
import math
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from shortlist.arrays import Floats
from shortlist.models.language_model import Answer, no_answer

Body = dict[str, Any]
ANSWER_TOKENS = 24  # that a written answer may have


class RequestProtocol(ABC):
    """Writes requests, and reads the replies to them."""

    name: ClassVar[str]
    path: str
    chat = False

    @abstractmethod
    def body(self, prompt: str, choices: Sequence[str]) -> Body:
        """The body of the request."""

    @abstractmethod
    def scores(self, reply: Mapping[str, Any], prompt: str, choices: Sequence[str]) -> Floats:
        """(c,): the scores in a reply, NaN if it is none of the choices; BadReply if it is not what was asked for."""

    def read(self, reply: Mapping[str, Any], prompt: str, choices: Sequence[str]) -> Answer:
        """The answer in a reply."""
        try:
            if refused(reply):
                return no_answer(choices, "refused", how=self.name, **token_counts(reply))
            scores = self.scores(reply, prompt, choices)
        except (TypeError, ValueError, ArithmeticError, LookupError, AttributeError, RecursionError) as error:
            raise BadReply(f"the reply cannot be read ({type(error).__name__})") from error
        return Answer(scores, "outside" if np.isnan(scores).all() else "", self.name, **token_counts(reply))

    def plain(self) -> list[Any]:
        """The protocol as plain data."""
        return [self.name, self.chat, getattr(self, "top", 0)]


class WholeStrings(RequestProtocol):
    """Every choice is appended to the prompt, and the server repeats it with log-probabilities."""

    name = "whole strings"
    path = "completions"

    def body(self, prompt: str, choices: Sequence[str]) -> Body:
        strings = [prompt + choice for choice in choices]
        return {"prompt": strings, "max_tokens": 1, "echo": True, "logprobs": 1, "temperature": 0}

    def scores(self, reply: Mapping[str, Any], prompt: str, choices: Sequence[str]) -> Floats:
        return np.array([echoed(reply, prompt, i, choice) for i, choice in enumerate(choices)])


class FirstToken(RequestProtocol):
    """One token is asked for, with the log-probabilities of the likeliest ones."""

    name = "first token"

    def __init__(self, chat: bool, top: int) -> None:
        self.chat, self.top = chat, top
        self.path = "chat/completions" if chat else "completions"

    def body(self, prompt: str, choices: Sequence[str]) -> Body:  # noqa: ARG002
        one_token: Body = {"max_tokens": 1, "temperature": 0}
        if self.chat:
            return one_token | {"messages": messages(prompt), "logprobs": True, "top_logprobs": self.top}
        return one_token | {"prompt": str(prompt), "logprobs": self.top}

    def scores(self, reply: Mapping[str, Any], prompt: str, choices: Sequence[str]) -> Floats:  # noqa: ARG002
        return first_token_scores(first_token(reply), choices)


class Written(RequestProtocol):
    """The model writes an answer, without a confidence."""

    path = "chat/completions"
    chat = True

    def scores(self, reply: Mapping[str, Any], prompt: str, choices: Sequence[str]) -> Floats:  # noqa: ARG002
        match = matched(reply_text(reply), choices)
        others = np.nan if match is None else -np.inf
        return np.where(np.arange(len(choices)) == match, 0.0, others)


class Constrained(Written):
    """A schema lets it answer with one of the choices only."""

    name = "constrained"

    def body(self, prompt: str, choices: Sequence[str]) -> Body:
        words = [choice.strip() for choice in choices]
        schema = {
            "type": "object",
            "properties": {"answer": {"type": "string", "enum": words}},
            "required": ["answer"],
            "additionalProperties": False,
        }
        wrapped = {"type": "json_schema", "json_schema": {"name": "answer", "strict": True, "schema": schema}}
        most = ANSWER_TOKENS + max(len(word) for word in words)
        return {"messages": messages(prompt), "max_tokens": most, "temperature": 0, "response_format": wrapped}


class FreeText(Written):
    """The choices are named below the prompt."""

    name = "free text"

    def body(self, prompt: str, choices: Sequence[str]) -> Body:
        listed = ", ".join(choice.strip() for choice in choices)
        question = f"{prompt}\n\nAnswer with one of these words and nothing else: {listed}"
        return {"messages": messages(prompt, question), "max_tokens": ANSWER_TOKENS, "temperature": 0}


def messages(prompt: str, text: str | None = None) -> list[Body]:
    """A prompt as the one message of a chat, with its picture if it has one."""
    content = str(prompt) if text is None else text
    image = getattr(prompt, "image", None)
    if image is None:
        return [{"role": "user", "content": content}]
    kinds = {b"\x89PNG": "png", b"\xff\xd8\xff": "jpeg", b"GIF8": "gif", b"RIFF": "webp"}
    kind = next((name for magic, name in kinds.items() if image.startswith(magic)), "png")
    url = f"data:image/{kind};base64,{base64.b64encode(image).decode('ascii')}"
    parts = [{"type": "text", "text": content}, {"type": "image_url", "image_url": {"url": url}}]
    return [{"role": "user", "content": parts}]


def all_protocols(chat: bool | None) -> list[list[RequestProtocol]]:
    """All protocols, best first, each with its variants in the order in which they are tried."""
    completions = [] if chat else [FirstToken(False, top) for top in (500, 20, 5)]
    chats = [] if chat is False else [FirstToken(True, top) for top in (20, 5)]
    return [
        [] if chat else [WholeStrings()],
        [*completions, *chats],
        [] if chat is False else [Constrained()],
        [] if chat is False else [FreeText()],
    ]


def protocol_from_plain(value: Sequence[Any]) -> RequestProtocol:
    """Make a protocol from plain data."""
    name, chat, top = value
    simple: dict[str, type[RequestProtocol]] = {one.name: one for one in (WholeStrings, Constrained, FreeText)}
    return FirstToken(bool(chat), int(top)) if name == FirstToken.name else simple[name]()


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
    """`tokens_in` and `tokens_out`, as the server counts them, 0 to 10⁹; 0 if it does not say. Names differ."""
    names = {
        "tokens_in": ("prompt_tokens", "input_tokens", "prompt_eval_count"),
        "tokens_out": ("completion_tokens", "output_tokens", "eval_count"),
    }
    usage = reply.get("usage")
    usage = usage if isinstance(usage, Mapping) else {}
    return {
        key: next((min(max(usage[name], 0), 10**9) for name in names_of if isinstance(usage.get(name), int)), 0)
        for key, names_of in names.items()
    }


def choice(reply: Mapping[str, Any], at: int = 0) -> dict[str, Any]:
    """One of the continuations that came back."""
    listed = reply.get("choices")
    if not isinstance(listed, list) or len(listed) <= at or not isinstance(listed[at], dict):
        raise BadReply(f"the reply has no choices: {str(dict(reply))[:80]}")
    one: dict[str, Any] = listed[at]
    return one


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
    """(token, log-probability) of the likeliest first tokens."""
    logprobs = choice(reply).get("logprobs")
    if logprobs is None:
        logprobs = reply.get("completion_probabilities")
    tokens = _tokens(logprobs)
    if not tokens:
        raise BadReply("the reply has no log-probabilities")
    return tokens


def _tokens(logprobs: Any) -> list[tuple[str, float]]:
    """Read the tokens at the first place, in any of the layouts that servers use."""
    listed = logprobs.get("content") or logprobs.get("top_logprobs") if isinstance(logprobs, Mapping) else logprobs
    if not isinstance(listed, list) or not listed:
        return []
    place = listed[0]
    if isinstance(place, Mapping):
        inside = next((place[name] for name in ("top_logprobs", "top_probs", "probs") if place.get(name)), None)
        place = inside if inside is not None else place
    if isinstance(place, Mapping):
        return [pair for token, value in place.items() if (pair := _pair(token, value))]
    return [pair for one in place if isinstance(one, Mapping) and (pair := _named(one))]


def _named(one: Mapping[str, Any]) -> tuple[str, float] | None:
    token = one.get("token", one.get("tok_str"))
    if "prob" in one and "logprob" not in one:
        share = one["prob"]
        return _pair(token, math.log(share) if isinstance(share, (int, float)) and share > 0 else None)
    return _pair(token, one.get("logprob"))


def _pair(token: Any, value: Any) -> tuple[str, float] | None:
    usable = isinstance(token, str) and isinstance(value, (int, float)) and math.isfinite(value)
    return (token, min(float(value), 0.0)) if usable else None


def echoed(reply: Mapping[str, Any], prompt: str, at: int, continuation: str) -> float:
    """The log-probability of a continuation, out of a reply that repeats the prompt with its log-probabilities."""
    logprobs = choice(reply, at).get("logprobs")
    logprobs = logprobs if isinstance(logprobs, Mapping) else {}
    tokens, values = logprobs.get("tokens"), logprobs.get("token_logprobs")
    if not isinstance(tokens, list) or not isinstance(values, list) or len(tokens) != len(values):
        raise BadReply("the reply does not repeat the prompt with its log-probabilities")
    starts = np.cumsum([0, *(len(str(token)) for token in tokens)])
    first, last = len(prompt), len(prompt) + len(continuation)
    if starts[-1] < last:
        raise BadReply("the reply does not repeat the whole prompt")
    inside = [value for value, a, b in zip(values, starts, starts[1:], strict=False) if a < last and b > first]
    if not inside or not all(isinstance(value, (int, float)) and math.isfinite(value) for value in inside):
        raise BadReply("the reply leaves log-probabilities out")
    return float(sum(inside))


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


class SharedToken(Exception):  # noqa: N818
    """Two choices begin with the same token, so the first token does not distinguish them."""


def first_token_scores(tokens: Sequence[tuple[str, float]], choices: Sequence[str]) -> Floats:
    """(c,): the log-probability that the answer begins as a choice does; NaN throughout where it is none of them.

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
        raise SharedToken(", ".join(repr(one) for one in choices))
    if not mass.any():
        return np.full(len(choices), np.nan)
    left = max(1 - sum(shares.values()), 1e-12)
    bound = max(min(math.exp(min(value for _, value in tokens)), left), 1e-300)
    scores: Floats = np.log(np.where(mass > 0, np.minimum(mass, 1.0), bound))
    return scores


def _first(word: str, shares: Mapping[str, float]) -> str | None:
    """The token that a choice begins with: the longest of these that is its beginning, or it and a mark: "yes,"."""
    if word in shares:
        return word
    marked = [token for token in shares if token.startswith(word) and not token[len(word)].isalnum()]
    begins = [token for token in shares if len(token) >= 2 and word.startswith(token)]
    return max(marked, key=lambda token: shares[token]) if marked else max(begins, key=len, default=None)


def matched(written: str, choices: Sequence[str]) -> int | None:
    """The number of the choice that a text is, begins with, or names as the only one; None if that is not clear."""
    answer = plain(_unquoted(written))
    words = [plain(one) for one in choices]
    if answer in words:
        return words.index(answer)
    whole = [re.compile(rf"(?<![^\W_]){re.escape(word)}(?![^\W_])") for word in words]  # no letter or digit beside it
    first = [i for i, word in enumerate(whole) if word.match(answer)]
    named = [i for i, word in enumerate(whole) if word.search(answer)]
    return first[0] if len(first) == 1 else named[0] if len(named) == 1 else None


def _unquoted(written: str) -> str:
    """The text itself, if it was written as JSON: `"yes"` or `{"answer": "yes"}`."""
    try:
        value = json.loads(written)
    except (ValueError, RecursionError):
        return written
    if isinstance(value, dict) and len(value) == 1:
        value = next(iter(value.values()))
    return value if isinstance(value, str) else written
