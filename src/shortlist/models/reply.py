"""Reply: what servers answer, in whatever words. Providers name the same things differently."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

REFUSING = ("content_filter", "refusal", "safety", "content_policy")
TOO_LONG = ("context_length", "exceed_context", "context_size", "too_long", "string_above_max", "maximum context")


class BadReply(Exception):  # noqa: N818  as in errors.py
    """A reply that is not what the protocol says: broken JSON, or without what was asked for."""


class Usage(NamedTuple):
    """Tokens of the prompt and of the answer."""

    tokens_in: int
    tokens_out: int


def decoded(content: bytes) -> dict[str, Any]:
    """A reply as data."""
    try:
        found = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise BadReply(f"the reply is no JSON: {content[:60]!r}") from error
    if not isinstance(found, dict):
        raise BadReply(f"the reply is no JSON object: {content[:60]!r}")
    return found


def usage(reply: Mapping[str, Any]) -> Usage:
    """Tokens, as the server counts them; 0 where it does not say."""
    told = reply.get("usage")
    told = told if isinstance(told, Mapping) else {}
    return Usage(
        _whole(told, "prompt_tokens", "input_tokens", "prompt_eval_count"),
        _whole(told, "completion_tokens", "output_tokens", "eval_count"),
    )


def _whole(told: Mapping[str, Any], *names: str) -> int:
    values = [told[name] for name in names if isinstance(told.get(name), int)]
    return int(values[0]) if values else 0


def choice(reply: Mapping[str, Any], at: int = 0) -> dict[str, Any]:
    """One of the continuations that came back."""
    found = reply.get("choices")
    if not isinstance(found, list) or len(found) <= at or not isinstance(found[at], dict):
        raise BadReply(f"the reply has no choices: {str(dict(reply))[:80]}")
    one: dict[str, Any] = found[at]
    return one


def refused(reply: Mapping[str, Any]) -> bool:
    """Whether the model, or a filter before it, would not answer."""
    one = choice(reply)
    message = one.get("message")
    says_so = isinstance(message, Mapping) and bool(message.get("refusal"))
    return says_so or str(one.get("finish_reason", "")).lower() in REFUSING


def text(reply: Mapping[str, Any]) -> str:
    """What was written."""
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
    told = choice(reply).get("logprobs")
    if told is None:
        told = reply.get("completion_probabilities")
    found = _tokens(told)
    if not found:
        raise BadReply("the reply has no log-probabilities")
    return found


def _tokens(told: Any) -> list[tuple[str, float]]:
    listed = told.get("content") or told.get("top_logprobs") if isinstance(told, Mapping) else told
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
    usable = isinstance(token, str) and isinstance(value, (int, float)) and value == value
    return (token, min(float(value), 0.0)) if usable else None


def echoed(reply: Mapping[str, Any], prompt: str, at: int, continuation: str) -> float:
    """The log-probability of a continuation, out of a reply that repeats the prompt with its log-probabilities."""
    told = choice(reply, at).get("logprobs")
    tokens = told.get("tokens") if isinstance(told, Mapping) else None
    values = told.get("token_logprobs") if isinstance(told, Mapping) else None
    if not isinstance(tokens, list) or not isinstance(values, list) or len(tokens) != len(values):
        raise BadReply("the reply does not repeat the prompt with its log-probabilities")
    starts = np.cumsum([0, *(len(str(token)) for token in tokens)])
    first, last = len(prompt), len(prompt) + len(continuation)
    if starts[-1] < last:
        raise BadReply("the reply does not repeat the whole prompt")
    inside = [value for value, a, b in zip(values, starts, starts[1:], strict=False) if a < last and b > first]
    if not inside or not all(isinstance(value, (int, float)) for value in inside):
        raise BadReply("the reply leaves log-probabilities out")
    return float(sum(inside))


def complaint(content: bytes) -> str:
    """What a server says is wrong, in one line."""
    try:
        found = json.loads(content)
    except (ValueError, RecursionError):
        return " ".join(content[:200].decode("utf-8", "replace").split())
    told = found.get("error", found.get("detail", found.get("message", found))) if isinstance(found, dict) else found
    if isinstance(told, dict):
        told = told.get("message", told)
    return " ".join(str(told).split())[:200]


def excuse(content: bytes) -> str:
    """Why a server does not answer one prompt, where the prompt is the reason: "refused", "too long", or nothing."""
    try:
        found = json.loads(content)
    except (ValueError, RecursionError):
        return ""
    error = found.get("error", found) if isinstance(found, dict) else {}
    if not isinstance(error, dict):
        return ""
    inner = error.get("innererror")
    codes = [error.get("code"), error.get("type"), inner.get("code") if isinstance(inner, dict) else None]
    said = " ".join(str(code).lower() for code in codes)
    if any(word in said for word in REFUSING):
        return "refused"
    said += str(error.get("message", ""))[:80].lower()  # the beginning: what follows may quote the prompt
    return "too long" if any(word in said for word in TOO_LONG) else ""
