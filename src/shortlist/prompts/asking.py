"""Asking: sends the prompts of a labeler to its model, except those in the score store, and stores the answers."""

from __future__ import annotations

import time
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice

import numpy as np

from shortlist.errors import BudgetSpent, ModelFailed, ModelWarning
from shortlist.models.language_model import Answers, Model
from shortlist.models.server_model import ServerModel
from shortlist.progress import Tell, still_wanted
from shortlist.prompts.score_store import ScoreStore, Spent, prompt_keys

FEW = 20  # prompts: fewer without an answer may be chance
REASONS = {"refused": "refused", "outside": "outside the choices", "too_long": "too long", "failed": "failed"}
ADVICE = {
    "refused": "Ask in other words, or raise max_failed: these rows then abstain",
    "outside the choices": "Let the prompt end so that a choice is the next word (with a blank before it)",
    "too long": "Take a model with a longer context, or name a column with shorter texts",
}


def expected_cost(model: Model, spent: Spent, prompts: int, characters: int) -> Spent:
    """Estimate the cost of prompts by the cost of earlier ones, or at 4 characters a token."""
    per_token = spent.characters / spent.tokens_in if spent.tokens_in and spent.characters else 4.0
    per_answer = spent.tokens_out / spent.replies if spent.replies and spent.tokens_out else 1.0
    tokens_in, tokens_out = characters / per_token, prompts * per_answer
    money = model.price.of(tokens_in, tokens_out) if model.price else 0.0
    return Spent(model.id, "", prompts, 0, round(tokens_in), round(tokens_out), characters, money)


class Asking:
    """One labeler that asks its model about the prompts whose scores are not stored.

    name      the name of the labeler
    choices   the choices that are scored
    total     the number of rows, if known
    tell      shows progress in one line that replaces the one before
    """

    def __init__(
        self,
        name: str,
        model: Model,
        choices: Sequence[str],
        store: ScoreStore,
        total: int | None = None,
        tell: Tell | None = None,
    ) -> None:
        self.name, self.model, self.choices, self.store = name, model, choices, store
        self.rows, self.total, self.tell = 0, total, tell or (lambda _line: None)
        self.key = prompt_keys(model.id, choices)
        self.limits = model.budget.limits if model.budget is not None else {}
        self.now = Spent(model.id, name)  # by this asking
        self.stored: Counter[str] = Counter()  # why there is no answer ("": there is one) → prompts of earlier runs
        self._exceeded: str | None = None  # the limit of the budget that the next prompt would exceed
        self._broken: ModelFailed | None = None  # too many prompts have no answer
        self._elsewhere: dict[bytes, str] = {}  # prompts that another process has claimed
        self._detail = ""
        self._began = self._last_line = time.monotonic()

    def ask(self, batches: Iterable[Sequence[str | None]]) -> None:
        """Ask about every prompt whose score is not stored. None stands for a row without a prompt."""
        if isinstance(self.model, ServerModel):
            self.model.charge = self._charge
        prompts = self._not_stored(batches)
        while self._cost_unknown and (first := list(islice(prompts, 1))):
            self._send_all(first)
        self._send_all(prompts)
        if self._exceeded is not None:
            left = f"{self.total - self.rows + 1:,} rows are left." if self.total is not None else ""
            raise self._budget_spent(self._exceeded, left)
        if (error := self._broken or self._too_many(1)) is not None:
            raise error
        self._warn()

    @property
    def _over(self) -> bool:
        """True if nothing more is asked; answers to what is in flight still count."""
        return self._exceeded is not None or self._broken is not None

    @property
    def _cost_unknown(self) -> bool:
        """True if one prompt has to be asked alone, to know what others will cost."""
        if self._over or not self.limits:
            return False
        return not self.model.settled or (
            self.limits.keys() != {"calls"} and not self.store.spent_on(self.model.id).replies
        )

    def _charge(self) -> None:
        """Book a request besides the first about a prompt. They come from any thread."""
        exceeded = self.store.charge(Spent(self.model.id, self.name, calls=1), self.limits)
        if exceeded:
            raise self._budget_spent(exceeded)

    def _budget_spent(self, limit: str, left: str = "") -> BudgetSpent:
        used = getattr(self.store.spent_on(self.model.id), limit)
        return BudgetSpent(
            f"the budget of model {self.model.id!r} is spent: {used:,.6g} of {self.limits[limit]:,.6g} {limit}. {left} "
            f"All answers so far are kept: raise budget.{limit} and run again to go on",
            model=self.model.id, option=("budget", limit),
        )  # fmt: skip

    def _not_stored(self, batches: Iterable[Sequence[str | None]]) -> Iterator[tuple[bytes, str]]:
        """The prompts that are not stored, each once."""
        seen: set[bytes] = set()
        for prompts in batches:
            keys = [None if prompt is None else self.key(prompt) for prompt in prompts]
            stored = self.store.reasons([key for key in keys if key is not None], len(self.choices))
            self.stored.update(stored.values())
            for key, prompt in zip(keys, prompts, strict=True):
                self.rows += 1
                if key is None or prompt is None or key in stored or key in seen:
                    continue
                seen.add(key)
                yield key, prompt

    def _send_all(self, prompts: Iterable[tuple[bytes, str]]) -> None:
        """Send prompts, and wait for those that another process asks about."""
        self._send(prompts)
        while self._elsewhere and not self._over:
            time.sleep(0.05)
            still_wanted.get()()
            waiting, self._elsewhere = self._elsewhere, {}
            self._send(waiting.items())

    def _send(self, prompts: Iterable[tuple[bytes, str]]) -> None:
        """Send prompts, as far as the budget allows, and store the answers as they arrive."""
        in_flight: dict[int, tuple[bytes, str]] = {}
        began = time.monotonic()
        try:
            for answers in self.model.answers(self._affordable(prompts, in_flight), self.choices):
                self._store(answers, in_flight, time.monotonic() - began)
                began = time.monotonic()
        finally:
            if in_flight:  # sent and not answered: they count all the same
                calls = len(in_flight) if self.model.settled else 1
                self.store.add([], Spent(self.model.id, self.name, calls=calls))
            self.store.release(key for key, _ in in_flight.values())

    def _affordable(
        self, prompts: Iterable[tuple[bytes, str]], in_flight: dict[int, tuple[bytes, str]]
    ) -> Iterator[str]:
        """Prompts, drawn by the model when it has room for one more; none that would exceed the budget."""
        number = 0
        for key, prompt in prompts:
            if self._over:
                return
            if self._claimed(key, prompt):
                in_flight[number] = key, prompt
                if not number:
                    self.tell(self.progress_line(time.monotonic() - self._began))
                number += 1
                yield prompt

    def _claimed(self, key: bytes, prompt: str) -> bool:
        """Claim a prompt, unless it is asked about elsewhere, or would exceed the budget."""
        cost = Spent(self.model.id, self.name)
        if self.limits:
            cost = expected_cost(self.model, self.store.spent_on(self.model.id), 1, len(prompt))
        refused = self.store.claim(key, len(self.choices), cost, self.limits)
        if refused == "claimed":
            self._elsewhere[key] = prompt
        elif refused in self.limits:
            self._exceeded = refused
        return not refused

    def _store(self, answers: Answers, in_flight: dict[int, tuple[bytes, str]], seconds: float) -> None:
        """Store answers, and count their cost."""
        spent, rows = Spent(self.model.id, self.name, seconds=seconds), []
        for number, answer in answers:
            key, prompt = in_flight.pop(number)
            if not answer.why and not np.isfinite(answer.scores.max()):
                answer = replace(answer, why="failed", detail="its scores are no numbers")
            rows.append((key, answer))
            for total in (spent, self.now):
                total.add(prompt, answer, self.model.price)
            self._detail = answer.detail or self._detail
        if rows:
            self.store.add(rows, spent)
        self._broken = self._broken or self._too_many(FEW)
        self._show_progress()

    # -- messages --------------------------------------------------------------------------------------

    @property
    def without(self) -> dict[str, int]:
        """Why there is no answer → prompts, those of earlier runs included."""
        counts = {name: getattr(self.now, name) + self.stored[name.replace("_", " ")] for name in REASONS}
        return {REASONS[name]: count for name, count in counts.items() if count}

    def _too_many(self, failures: int) -> ModelFailed | None:
        """The error that too many prompts have no answer. `failures` is how many calls must have failed at least."""
        lost = sum(self.without.values())
        of = lost + self.now.answered + self.stored[""]
        if lost <= self.model.max_failed * of or (of < FEW and self.now.failed < failures):
            return None
        return ModelFailed(
            f"labeler {self.name!r}: {lost:,} of {of:,} prompts have no answer ({self._reasons()}), more than "
            f"max_failed = {self.model.max_failed:g} of model {self.model.id!r}. {self._advice()}",
            labeler=self.name, model=self.model.id,
        )  # fmt: skip

    def _reasons(self) -> str:
        return ", ".join(f"{count:,} {reason}" for reason, count in self.without.items())

    def _advice(self) -> str:
        """Advice for the commonest reason."""
        commonest = max(self.without, key=lambda reason: self.without[reason])
        if commonest == REASONS["failed"]:
            return f"The last error: {self._detail}. Answers so far are kept; run again to ask only what failed"
        return ADVICE[commonest]

    def _warn(self) -> None:
        if self.without:
            again = "; ask again with `shortlist vote --force`" if self.now.failed else ""
            count = sum(self.without.values())
            prompts = f"{count:,} prompts have" if count > 1 else "1 prompt has"
            message = f"labeler {self.name!r}: {prompts} no answer ({self._reasons()}): there it abstains{again}"
            warnings.warn(message, ModelWarning, stacklevel=2)
        for remark in self.model.remarks():
            warnings.warn(remark, ModelWarning, stacklevel=2)

    def _show_progress(self) -> None:
        """Show the progress, four times a second at most."""
        now = time.monotonic()
        if now - self._last_line >= 0.25:
            self._last_line = now
            self.tell(self.progress_line(now - self._began))

    def progress_line(self, seconds: float) -> str:
        """The progress in one line: rows, rate, cost, prompts without an answer, time left."""
        of = f" of {self.total:,}" if self.total is not None else ""
        left = (
            f"{seconds * (self.total - self.rows) / self.rows:,.0f} s left"
            if self.total and self.rows and self.now.calls
            else ""
        )
        parts = [
            f"{self.name}: {self.rows:,}{of} rows",
            f"{self.now.calls / max(seconds, 1e-9):.1f} calls/s",
            f"{self.now.tokens:,} tokens" if self.now.tokens else "",
            f"{self.now.money:.4f} spent" if self.model.price is not None else "",
            f"no answer: {self._reasons()}" if self.without else "",
            left,
        ]
        return " · ".join(filter(None, parts))
