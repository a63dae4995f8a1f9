"""Asking: what is not known yet is asked of the model, and kept as it comes."""

from __future__ import annotations

import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from shortlist.errors import ModelFailed, ModelWarning
from shortlist.models.model import Answer, Answers, Prompt
from shortlist.prompts.kept_scores import KeptScores, Keys
from shortlist.prompts.spent import Purse, Spent
from shortlist.rows import Chunk

if TYPE_CHECKING:
    from shortlist.prompts.labeler import PromptLabeler

FEW = 20  # prompts: fewer without an answer may be chance
OFTEN = 0.25  # seconds between two lines that tell how it goes
PAUSE = 0.05  # seconds between two looks at what another process asks for
REASONS = {"refused": "refused", "outside": "outside the choices", "too_long": "too long", "failed": "failed"}
Tell = Callable[[str], None]


class Asking:
    """One labeler that asks its model about rows it does not know yet."""

    def __init__(self, labeler: PromptLabeler, kept: KeptScores, total: int | None = None, tell: Tell | None = None):
        self.labeler, self.model, self.kept = labeler, labeler.model, kept
        self.keys = Keys(self.model.id, labeler.map.choices)
        self.purse = Purse(self.model, kept.spent(self.model.id))
        self.now = Spent(self.model.id, labeler.name)  # what this asking has spent
        self.known: dict[str, int] = {}  # why there is no answer ("": there is one) → prompts known from before
        self.rows, self.total, self.tell = 0, total, tell
        self._stopped: str | None = None  # the limit that would be broken
        self._broken: ModelFailed | None = None  # too many prompts have no answer
        self._elsewhere: dict[bytes, Prompt] = {}  # what another process asks for
        self._ways: list[Any] = []  # how the model can be asked, as it is kept
        self._detail = ""
        self._began = self._told = time.monotonic()

    def ask(self, chunks: Iterable[Chunk]) -> Spent:
        """Ask about every row whose score is not kept. What it cost comes back."""
        self._ways = self.kept.ways(self.model.id)
        if not self.model.ways():
            self.model.know_ways(self._ways)
        self._stream(self._unknown(chunks))
        while self._elsewhere and not self._over:
            self._stream(self._given_up())
        if self._stopped is not None:
            raise self.purse.empty(self._stopped, self._left())
        if (error := self._broken or self._too_many(1)) is not None:
            raise error
        self._warn()
        return self.now

    @property
    def _over(self) -> bool:
        """Whether nothing more is asked: answers to what is under way still count."""
        return self._stopped is not None or self._broken is not None

    def _stream(self, prompts: Iterable[tuple[bytes, Prompt]]) -> None:
        """Ask for these, as far as the budget goes, and keep what comes back as it comes."""
        drawn: dict[int, tuple[bytes, Prompt]] = {}
        try:
            for some in self.model.answers(self._paid(prompts, drawn), self.labeler.map.choices):
                self._take(some, drawn)
        finally:
            self.kept.claims.drop(key for key, _ in drawn.values())

    def _paid(
        self, prompts: Iterable[tuple[bytes, Prompt]], drawn: dict[int, tuple[bytes, Prompt]]
    ) -> Iterator[Prompt]:
        """Prompts, drawn by the model when it has room for one more; none that would break the budget."""
        number = 0
        for key, prompt in prompts:
            if self._over:
                return
            if not self._ours(key, prompt):
                continue
            self._stopped = self.purse.takes(prompt)
            if self._stopped is not None:
                self.kept.claims.drop([key])
                return
            drawn[number] = key, prompt
            number += 1
            yield prompt

    def _ours(self, key: bytes, prompt: Prompt) -> bool:
        """Whether it is for us to ask this: nobody else does so now, nor has done a moment ago."""
        if not self.kept.claims.take(key):
            self._elsewhere[key] = prompt
            return False
        if self.kept.knows(key):
            self.kept.claims.drop([key])
            return False
        return True

    def _unknown(self, chunks: Iterable[Chunk]) -> Iterator[tuple[bytes, Prompt]]:
        """The prompts that are not known, each once."""
        seen: set[bytes] = set()
        for chunk in chunks:
            prompts = self.labeler.prompts(chunk)
            keys = [None if prompt is None else self.keys.of(prompt) for prompt in prompts]
            known = self._count([key for key in keys if key is not None])
            for key, prompt in zip(keys, prompts, strict=True):
                self.rows += 1
                if key is None or prompt is None or key in known or key in seen:
                    continue
                seen.add(key)
                yield key, prompt if isinstance(prompt, Prompt) else Prompt(prompt)

    def _given_up(self) -> Iterator[tuple[bytes, Prompt]]:
        """Prompts that another process was asking for: those it has not answered after a while are tried again."""
        time.sleep(PAUSE)
        waiting, self._elsewhere = self._elsewhere, {}
        return ((key, prompt) for key, prompt in waiting.items() if not self.kept.knows(key))

    def _count(self, keys: list[bytes]) -> set[bytes]:
        """The keys that are known."""
        found = self.kept.known(keys)
        for why, count in Counter(found.values()).items():
            self.known[why] = self.known.get(why, 0) + count
        return set(found)

    def _take(self, some: Answers, drawn: dict[int, tuple[bytes, Prompt]]) -> None:
        """Keep answers, and count them."""
        spent, kept = Spent(self.model.id, self.labeler.name), []
        for number, answer in some:
            key, prompt = drawn.pop(number)
            kept.append((key, answer))
            self._pay(prompt, answer, spent)
        if kept:
            self.kept.keep(kept, spent)
        if (found := self.model.plain_ways()) != self._ways:
            self.kept.keep_ways(self.model.id, found)
            self._ways = found
        self._broken = self._broken or self._too_many(FEW)
        self._line()

    def _pay(self, prompt: Prompt, answer: Answer, spent: Spent) -> None:
        self.purse.pay(prompt, answer)
        for one in (spent, self.now):
            one.add(prompt, answer, self.model.price)
        self._detail = answer.detail or self._detail

    # -- what is told ----------------------------------------------------------------------------------

    @property
    def without(self) -> dict[str, int]:
        """Why there is no answer → prompts, those known from before included."""
        counts = {name: getattr(self.now, name) + self.known.get(name.replace("_", " "), 0) for name in REASONS}
        return {REASONS[name]: count for name, count in counts.items() if count}

    def _too_many(self, failures: int) -> ModelFailed | None:
        """The error that too many prompts have no answer. `failures` is how many calls must have failed at least."""
        lost = sum(self.without.values())
        of = lost + self.now.answered + self.known.get("", 0)
        if lost <= self.model.max_failed * of or (of < FEW and self.now.failed < failures):
            return None
        return ModelFailed(
            f"labeler {self.labeler.name!r}: {lost:,} of {of:,} prompts have no answer ({self._reasons()}), more than "
            f"max_failed = {self.model.max_failed:g} of model {self.model.id!r}. {self._advice()}",
            labeler=self.labeler.name, model=self.model.id,
        )  # fmt: skip

    def _reasons(self) -> str:
        return ", ".join(f"{count:,} {reason}" for reason, count in self.without.items())

    def _advice(self) -> str:
        """What to do, by the commonest reason."""
        commonest = max(self.without, key=lambda reason: self.without[reason])
        if commonest == REASONS["failed"]:
            return f"The last error: {self._detail}. Answers so far are kept; run again to ask only what failed"
        if commonest == REASONS["outside"]:
            return "Let the prompt end so that a choice is the next word (with a blank before it), or name the choices"
        if commonest == REASONS["too_long"]:
            return "Take a model with a longer context, or name a column with shorter texts"
        return "Ask in other words, or raise max_failed: these rows then abstain"

    def _warn(self) -> None:
        lost = self.without
        if lost:
            again = "; ask again with `shortlist vote --force`" if self.now.failed else ""
            count = sum(lost.values())
            what = f"{count:,} prompts have" if count > 1 else "1 prompt has"
            message = f"labeler {self.labeler.name!r}: {what} no answer ({self._reasons()}): there it abstains{again}"
            warnings.warn(message, ModelWarning, stacklevel=2)
        for remark in self.model.remarks():
            warnings.warn(remark, ModelWarning, stacklevel=2)

    def _left(self) -> str:
        return f"{self.total - self.rows + 1:,} rows are left." if self.total is not None else ""

    def _line(self) -> None:
        """Tell how it goes, now and then."""
        now = time.monotonic()
        if self.tell is None or now - self._told < OFTEN:
            return
        self._told = now
        self.tell(live_line(self, now - self._began))


def live_line(asking: Asking, seconds: float) -> str:
    """How it goes, in one line: rows, rate, cost, what has no answer, time left."""
    now, of = asking.now, f" of {asking.total:,}" if asking.total is not None else ""
    parts = [f"{asking.labeler.name}: {asking.rows:,}{of} rows", f"{now.calls / max(seconds, 1e-9):.1f} calls/s"]
    if now.tokens:
        parts.append(f"{now.tokens:,} tokens")
    if asking.model.price is not None:
        parts.append(f"{now.money:.4f} spent")
    if asking.without:
        parts.append(f"no answer: {asking._reasons()}")
    if asking.total and asking.rows:
        parts.append(f"{seconds * (asking.total - asking.rows) / asking.rows:,.0f} s left")
    return " · ".join(parts)
