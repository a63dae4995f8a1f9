"""Findings: a diagnosis in sentences, the most important first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from shortlist.identifiability.generic import Rank
from shortlist.identifiability.verdict import Pair, Verdict
from shortlist.wording import some_of

if TYPE_CHECKING:
    from shortlist.identifiability.diagnosis import Diagnosis


def of(d: Diagnosis) -> Iterator[str]:
    """All that there is to say."""
    yield headline(d)
    if d.heard and d.heard.identifiable is not True:
        yield unheard(d)
    if d.generic:
        yield generic(d.generic)
    if d.inseparable_pairs:
        yield inseparable(d)
    if d.said.identifiable is not True:
        yield from obstacles(d)
    yield from letter(d)
    yield from resting_on_prior(d)
    yield from conditions(d)


def headline(d: Diagnosis) -> str:
    if d.identifiable:
        s1, s2, s3 = d.said.split or ((), (), ())
        return (
            "Identifiable: by Theorem 1, generic accuracies, propensities and balance can be learned from votes alone, "
            f"up to swapping classes. {some_of(s1)} single{_s(s1)} out every class; so do{_s(s2, 'es')} {some_of(s2)}; "
            f"{len(s3)} other{'s tell' if len(s3) > 1 else ' tells'} the classes apart."
        )
    if d.identifiable is None:
        return "Not decided: the time limit came before an answer. Raise time_limit, or ask about fewer labelers."
    fewer = sum(1 for said in d.says.values() if len(said) > 1)
    count = ("No labeler", "Only one labeler", "Only two labelers")[min(fewer, 2)]
    why = f" {count} can say more than one thing; it takes three." if fewer < 3 else ""
    blind = d.generic and d.generic.rank < d.generic.parameters
    return (
        f"{'Not identifiable' if blind else 'No promise'}: the labelers cannot be split as Theorem 1 asks, into two "
        f"sets that each single out every class and a third that tells the classes apart.{why}"
    )


def _s(one_or_more: Sequence[str], ending: str = "s") -> str:
    """How a verb ends after so many names."""
    return ending if len(one_or_more) == 1 else ""


def generic(found: Rank) -> str:
    if found.rank == found.parameters:
        return (
            "The theorem is sufficient, not necessary: at values picked at random, the votes do determine all "
            f"{found.parameters} parameters (accuracies and balance), at least among those near by."
        )
    return (
        f"At values picked at random, the votes determine only {found.rank} of {found.parameters} parameters (balance, "
        "and accuracies that are not settled by construction). More rows will not help; a prior, a given balance, "
        "gold labels or other labelers will."
    )


def unheard(d: Diagnosis) -> str:
    never = [f"{name} never said {' or '.join(d.space.show(t) for t in ts)}" for name, ts in d.unheard.items()]
    return (
        f"That counts shortlists which are declared but do not occur in these rows ({some_of(never)}). On what does "
        "occur, " + ("no split exists." if d.heard and d.heard.identifiable is False else "it is not decided.")
    )


def inseparable(d: Diagnosis) -> str:
    return (
        f"No labeler separates {_pairs(d.inseparable_pairs)}: every shortlist holds both or neither, so they can never "
        "be told apart. Add a labeler that names one without the other, or make them one class."
    )


def obstacles(d: Diagnosis) -> Iterator[str]:
    """What stands in the way, and what would remove it."""
    if d.untold_pairs:
        yield (
            f"Told apart by silence only: {_pairs(d.untold_pairs)}. "
            "A labeler names one without the other, but none names now the one and now the other. What they know is "
            'in whether they vote, which LabelModel() and propensity="class" read.'
        )
    if d.said.unreachable:
        yield (
            f"For {some_of(d.said.unreachable)} no choice of shortlists leaves that class alone standing, "
            "not even with all labelers together."
        )
    yield from few_separators(d.said, d)
    if d.repairs:
        at_least = "the fewest additions that do" if d.said.repairs.smallest else "perhaps not the fewest additions"
        yield (f"Theorem 1 would hold if {some_of([r.show(d.space) for r in d.repairs], 12, ' and if ')} ({at_least}).")


def few_separators(verdict: Verdict, d: Diagnosis) -> Iterator[str]:
    hidden = {frozenset(pair) for pair in (*d.inseparable_pairs, *d.untold_pairs)}
    pairs = {pair: who for pair, who in verdict.scarce.items() if frozenset(pair) not in hidden}
    if pairs:
        told = [f"{y} from {c}: {who[0] if who else 'nobody'}" for (y, c), who in pairs.items()]
        yield f"Two labelers are needed to tell one class from another, and there is at most one for {some_of(told)}."


def letter(d: Diagnosis) -> Iterator[str]:
    """Where the theorem to the letter says something else, or no better."""
    if d.identifiable is True or not d.dummies:
        return
    if d.identifiable_with_dummies:
        yield (
            "To the letter, Theorem 1 does hold: it counts dummies, shortlists that labelers never say. But a labeler "
            "that never says its dummy is one of the exceptions (of measure zero) that “generic” leaves out, so this "
            "is no promise about these labelers."
        )
    elif d.identifiable_with_dummies is None:
        yield "Whether Theorem 1 holds to the letter, with dummies counted as if they were said, is not decided."
    else:
        told = list(few_separators(d.letter, d))
        repairs = [r.show(d.space) for r in d.letter.repairs.additions]
        would = f" It would if {some_of(repairs, 12, ' and if ')}." if repairs else ""
        yield " ".join(["Theorem 1 does not hold even with dummies counted as if they were said.", *told]) + would


def resting_on_prior(d: Diagnosis) -> Iterator[str]:
    everything = [name for name, classes in d.prior_only.items() if len(classes) == len(d.space)]
    some = {name: classes for name, classes in d.prior_only.items() if name not in everything}
    if everything:
        yield (
            f"All accuracies of {some_of(everything)} rest on the prior: with one thing to say, a labeler is always "
            "right about the classes in it and always wrong about the others, whatever it is worth."
        )
    if some:
        told = [f"{name} on {some_of(classes)}" for name, classes in some.items()]
        yield (
            f"The accuracy of {some_of(told, 4, '; ')} rests on the prior: such a class is in none of what the labeler "
            "says, or in all of it."
        )


def conditions(d: Diagnosis) -> Iterator[str]:
    """The two conditions on T(G), the dummies, and labelers that say nothing."""
    if d.dummies:
        told = [f"{name} gets {d.space.show(t)}" for name, t in d.dummies.items()]
        yield (
            "The model asks that every class be in some shortlist of a labeler and no class in all of them. Where what "
            f"is said breaks that, a dummy is added that is never said: {some_of(told, 4, '; ')}."
        )
    silent = [name for name, said in d.says.items() if not said]
    if silent:
        yield f"{some_of(silent)} never said anything: nothing can be learned about a labeler that does not vote."


def _pairs(pairs: Sequence[Pair]) -> str:
    return some_of([f"{a} and {b}" for a, b in pairs], joint="; ")
