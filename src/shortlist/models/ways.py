"""Ways: how a server is asked for its scores, the best way first.

whole strings   the log-probability of each whole choice after the prompt
first token     the log-probabilities of the likeliest first tokens
constrained     one of the choices, by a schema that the server enforces; no confidence
free text       whatever it writes, matched against the choices; no confidence
"""

from __future__ import annotations

import base64
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from shortlist.models.matching import first_token_scores, matched
from shortlist.models.model import Answer, no_answer
from shortlist.models.reply import BadReply, echoed, first_token, refused, text, usage

Body = dict[str, Any]
WORDS = 24  # tokens that a free answer may have
MAGIC = {b"\x89PNG": "png", b"\xff\xd8\xff": "jpeg", b"GIF8": "gif", b"RIFF": "webp"}


class Way(ABC):
    """How to ask, and how to read what comes back."""

    name: ClassVar[str]
    path: str
    chat = False

    @abstractmethod
    def body(self, prompt: str, choices: Sequence[str]) -> Body:
        """What is sent."""

    @abstractmethod
    def read(self, reply: Mapping[str, Any], prompt: str, choices: Sequence[str]) -> Answer:
        """What came back; BadReply where it is not what was asked for."""

    def plain(self) -> list[Any]:
        """As JSON holds it."""
        return [self.name, self.chat, getattr(self, "top", 0)]


class WholeStrings(Way):
    """Every choice is appended to the prompt, and the server repeats it with log-probabilities."""

    name = "whole strings"
    path = "completions"

    def body(self, prompt: str, choices: Sequence[str]) -> Body:
        strings = [prompt + choice for choice in choices]
        return {"prompt": strings, "max_tokens": 1, "echo": True, "logprobs": 1, "temperature": 0}

    def read(self, reply: Mapping[str, Any], prompt: str, choices: Sequence[str]) -> Answer:
        scores = [echoed(reply, prompt, i, choice) for i, choice in enumerate(choices)]
        return Answer(np.array(scores), how=self.name, **usage(reply)._asdict())


class FirstToken(Way):
    """One token is asked for, with the log-probabilities of the likeliest ones."""

    name = "first token"

    def __init__(self, chat: bool, top: int) -> None:
        self.chat, self.top = chat, top
        self.path = "chat/completions" if chat else "completions"

    def body(self, prompt: str, choices: Sequence[str]) -> Body:  # noqa: ARG002
        asked: Body = {"max_tokens": 1, "temperature": 0}
        if self.chat:
            return asked | {"messages": messages(prompt), "logprobs": True, "top_logprobs": self.top}
        return asked | {"prompt": str(prompt), "logprobs": self.top}

    def read(self, reply: Mapping[str, Any], prompt: str, choices: Sequence[str]) -> Answer:  # noqa: ARG002
        facts = usage(reply)._asdict()
        if refused(reply):
            return no_answer(choices, "refused", how=self.name, **facts)
        scores = first_token_scores(first_token(reply), choices)
        why = "outside" if np.isnan(scores).all() else ""
        return Answer(scores, why, self.name, **facts)


class Written(Way):
    """The model writes an answer, which is one of the choices or is not. It says nothing about how sure it is."""

    path = "chat/completions"
    chat = True

    def read(self, reply: Mapping[str, Any], prompt: str, choices: Sequence[str]) -> Answer:  # noqa: ARG002
        facts = usage(reply)._asdict()
        if refused(reply):
            return no_answer(choices, "refused", how=self.name, **facts)
        found = matched(text(reply), choices)
        if found is None:
            return no_answer(choices, "outside", how=self.name, **facts)
        scores = np.where(np.arange(len(choices)) == found, 0.0, -np.inf)
        return Answer(scores, "", self.name, **facts)


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
        longest = max(len(word) for word in words)
        return {
            "messages": messages(prompt),
            "max_tokens": WORDS + longest,
            "temperature": 0,
            "response_format": wrapped,
        }


class FreeText(Written):
    """The choices are named below the prompt."""

    name = "free text"

    def body(self, prompt: str, choices: Sequence[str]) -> Body:
        listed = ", ".join(choice.strip() for choice in choices)
        asked = f"{prompt}\n\nAnswer with one of these words and nothing else: {listed}"
        return {"messages": messages(prompt, asked), "max_tokens": WORDS, "temperature": 0}


def messages(prompt: str, text: str | None = None) -> list[Body]:
    """A prompt as the one message of a chat, with its picture if it has one."""
    said = str(prompt) if text is None else text
    image = getattr(prompt, "image", None)
    if image is None:
        return [{"role": "user", "content": said}]
    kind = next((name for magic, name in MAGIC.items() if image.startswith(magic)), "png")
    url = f"data:image/{kind};base64,{base64.b64encode(image).decode('ascii')}"
    return [
        {"role": "user", "content": [{"type": "text", "text": said}, {"type": "image_url", "image_url": {"url": url}}]}
    ]


def all_ways(chat: bool | None) -> list[list[Way]]:
    """The rungs of the ladder, and on each the variants to try, in this order."""
    completions: list[Way] = [] if chat else [FirstToken(False, 500), FirstToken(False, 20), FirstToken(False, 5)]
    chats: list[Way] = [] if chat is False else [FirstToken(True, 20), FirstToken(True, 5)]
    return [
        [] if chat else [WholeStrings()],
        completions + chats,
        [] if chat is False else [Constrained()],
        [] if chat is False else [FreeText()],
    ]


def from_plain(value: Sequence[Any]) -> Way:
    """A way as JSON holds it."""
    name, chat, top = value
    simple: dict[str, type[Way]] = {one.name: one for one in (WholeStrings, Constrained, FreeText)}
    return FirstToken(bool(chat), int(top)) if name == FirstToken.name else simple[name]()


def proves(way: Way, answer: Answer) -> bool:
    """Whether the answer to a trial shows that a server can be asked this way."""
    return not isinstance(way, Constrained) or not answer.why


__all__ = ["BadReply", "Constrained", "FirstToken", "FreeText", "Way", "WholeStrings", "all_ways", "from_plain"]
