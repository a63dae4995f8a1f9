"""A diagnosis in sentences: the verdict and what to do come first, then the theory (Theorem 1)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from shortlist.wording import some_of

if TYPE_CHECKING:
    from shortlist.identifiability.diagnosis import Diagnosis, Pair

REMEDY = "Add other labelers or gold labels, or give the class balance. Until then, the model falls back on its prior."


def of(d: Diagnosis) -> Iterator[str]:
    """All findings."""
    yield _headline(d)
    if d.identifiable and not d.identifiable_as_heard:
        never = [f"{name} never said {' or '.join(d.space.show(t) for t in ts)}" for name, ts in d.unheard.items()]
        outcome = "Theorem 1 does not apply." if d.identifiable_as_heard is False else "it is not decided."
        yield f"But some declared answers do not occur here: {some_of(never)}. With only the answers that do, {outcome}"
    yield from _one_sided(d)
    if d.inseparable_pairs:
        yield (
            f"No labeler separates {_pairs(d.inseparable_pairs)}: every shortlist holds both or neither, so they can "
            "never be told apart. Add a labeler that names one without the other, or make them one class."
        )
    if silent := [name for name, said in d.says.items() if not said]:
        yield f"{some_of(silent)} never said anything: nothing can be learned about a labeler that does not vote."
    yield from theory(d)


def theory(d: Diagnosis) -> Iterator[str]:
    """Reasons, by Theorem 1."""
    if d.split:
        s1, s2, s3 = d.split
        yield (
            f"Proof: {some_of(s1)} can single out every class; so can {some_of(s2)}; {some_of(s3)} "
            f"tell{_s(s3)} the classes apart. This holds for generic parameters and up to swapping classes."
        )
    if d.generic and d.generic.rank < d.generic.parameters:
        yield (
            f"At randomly chosen values, votes determine {d.generic.rank} of {d.generic.parameters} parameters "
            "(accuracies that are not fixed by construction, and the class balance)."
        )
    if not d.identifiable:
        yield from _obstacles(d)
    yield from _by_construction(d)


def _headline(d: Diagnosis) -> str:
    if d.identifiable:
        return "Identifiable: all accuracies and the class balance can be learned from votes alone (Theorem 1)."
    if d.identifiable is None:
        return "Not decided: the time limit came before an answer. Raise time_limit, or ask about fewer labelers."
    able = sum(1 for shortlists in d.says.values() if len(shortlists) > 1)
    count = ("No labeler gives", "Only one labeler gives", "Only two labelers give")[min(able, 2)]
    few = f" {count} more than one answer; three are needed." if able < 3 else ""
    if d.status == "not identifiable":
        what = "Not identifiable: votes alone do not determine all accuracies, however many rows there are."
        return f"{what} {REMEDY}{few}"
    numerical = "" if d.generic is None else (
        f" But a numerical check finds that votes determine all {d.generic.parameters} parameters (accuracies that are "
        "not fixed by construction, and the class balance), at least near randomly chosen values."
    )  # fmt: skip
    return f"Not guaranteed: Theorem 1 does not apply to these labelers.{numerical}{few}"


def _one_sided(d: Diagnosis) -> Iterator[str]:
    """One-sided labelers, whose accuracy is not a parameter."""
    fixed = [name for name, classes in d.prior_only.items() if len(classes) == len(d.space)]
    if people := [name for name in fixed if name in d.open]:
        yield (
            f"{some_of(people)} gave one answer only, so how accurate {_they(people)} cannot be estimated from votes. "
            "Gold labels show it, and so do answers about more rows."
        )
    if names := [name for name in fixed if name not in d.open]:
        (said,) = d.says[names[0]]
        yield (
            f"{some_of(names)} always give{_s(names)} the same answer, so how accurate {_they(names)} cannot be "
            "estimated from votes. Gold labels show it. So does a second answer where nothing matches, for example for "
            f"{names[0]}: {show_not(d.space.ordered(said))}. Add one only where the labeler catches nearly all rows of "
            "its class: on each row it misses, it would rule out the right class."
        )


def show_not(classes: Sequence[str]) -> str:
    """`Not("a", "b")`, as Python code."""
    return f"Not({', '.join(quoted(name) for name in classes)})"


def quoted(name: str) -> str:
    """A name as a Python string."""
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _s(names: Sequence[str]) -> str:
    return "s" if len(names) == 1 else ""


def _they(names: Sequence[str]) -> str:
    return "it is" if len(names) == 1 else "they are"


def _pairs(pairs: Sequence[Pair]) -> str:
    return some_of([f"{a} and {b}" for a, b in pairs], joint="; ")


def _obstacles(d: Diagnosis) -> Iterator[str]:
    """Obstacles, and what would remove them."""
    if d.untold_pairs:
        yield (
            f"Told apart only by whether labelers vote at all: {_pairs(d.untold_pairs)}. A labeler names one without "
            "the other, but none gives both answers, now the one and now the other. Theorem 1 does not count that; "
            'LabelModel() and propensity="class" use it.'
        )
    hidden = {frozenset(pair) for pair in (*d.inseparable_pairs, *d.untold_pairs)}
    cases = [
        f"{c} out, {y} still possible ({who[0] if who else 'none'})"
        for y, c, who in d.scarce
        if frozenset((y, c)) not in hidden
    ]
    if cases:
        yield (
            "Theorem 1 needs two labelers that can rule one class out and keep another. A labeler that always gives "
            f"the same answer rules nothing out. Fewer than two can rule: {some_of(cases, joint='; ')}."
        )
    if d.repairs:
        at_least = "the fewest additions that do" if d.repairs_smallest else "perhaps not the fewest additions"
        additions = some_of([repair.show(d.space) for repair in d.repairs], 12, " and if ")
        yield f"Theorem 1 would hold if {additions} ({at_least})."
    if d.identifiable_with_dummies and d.dummies:
        yield (
            "To the letter, Theorem 1 does hold, because it counts dummies: shortlists that labelers never say. It "
            "leaves out exceptional parameters, and a labeler that never says its dummy is such an exception. So this "
            "guarantees nothing here."
        )


def _by_construction(d: Diagnosis) -> Iterator[str]:
    """Labelers that cannot be both right and wrong about some classes, though they give several answers; dummies."""
    if partly := {name: classes for name, classes in d.prior_only.items() if len(classes) < len(d.space)}:
        cases = [f"{name} on {some_of(classes)}" for name, classes in partly.items()]
        yield (
            f"These accuracies rest on the prior: {some_of(cases, 4, '; ')}. The class is in none of the labeler's "
            "answers, or in all of them."
        )
    if d.dummies:
        cases = [f"{name} gets {d.space.show(t)}" for name, t in d.dummies.items()]
        yield (
            "The model needs every class in some shortlist of a labeler, and no class in all of them. Where that does "
            f"not hold, it adds a dummy, a shortlist that is never said: {some_of(cases, 4, '; ')}."
        )
