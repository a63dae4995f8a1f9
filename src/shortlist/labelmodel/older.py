"""Older files: label models of formats 1 and 2, as format 3 has them.

Until format 2, all options were those of LabelModel, and any option of the likelihood chose it. Format 1 knew only the
likelihood.
"""

from __future__ import annotations

from typing import Any

from shortlist.archive import Arrays, Renamed
from shortlist.labelmodel.formulae.balance import Balance, shares_of
from shortlist.labelspace import LabelSpace

LIKELIHOOD = (
    "accuracy", "propensity", "split", "accuracy_mean", "accuracy_votes", "propensity_rows", "balance_rows", "solver",
    "n_starts",
)  # fmt: skip
RENAMED = {"firing_ratio": "propensity_ratio", "firing_votes": "propensity_votes"}


def upgraded(header: dict[str, Any], arrays: Arrays) -> tuple[dict[str, Any], Arrays]:
    """The header and the arrays of a file of any format, in the format of today."""
    if header["version"] >= 3:
        return header, arrays
    own = {name: header["options"].get(name) for name in LIKELIHOOD}
    options = {name: value for name, value in header["options"].items() if name not in LIKELIHOOD}
    pooled = "trust" in header
    settings = _pooled(options["estimator"]) if pooled else _likelihood(own)
    facts = {name: header[name] for name in ("converged", "n_iter")} | {"silence": header.get("silence", True)}
    names = {name if name.startswith("seen.") else f"estimate.{_today(name)}": name for name in arrays}
    more: dict[str, Any] = {}
    if pooled:
        facts |= {name: header[name] for name in ("trust", "unanimity", "temperature")}
        facts["balance_chosen"] = options["balance"] is None
    else:
        facts["learn_balance"] = options["balance"] == "learn"
        given: Balance = "uniform" if options["balance"] in (None, "learn") else options["balance"]
        more["estimate.given_balance"] = shares_of(given, LabelSpace(header["panel"]["classes"]))
    options["estimator"] = settings
    header = {"options": options, "panel": header["panel"], "estimator": settings, "estimate": facts}
    return header, Renamed(arrays, names, more)


def _today(name: str) -> str:
    """What an array of an estimate is called today."""
    return name.replace("declared.", "prior.")


def _pooled(estimator: Any) -> dict[str, Any]:
    settings: dict[str, Any] = estimator if isinstance(estimator, dict) else {}
    return {"kind": "pooled", **{RENAMED.get(name, name): value for name, value in settings.items()}}


def _likelihood(options: dict[str, Any]) -> dict[str, Any]:
    """Options that were left at None had their defaults; the settings of a solver were those of Gradient."""
    settings = {name: value for name, value in options.items() if value is not None}
    if isinstance(settings.get("solver"), dict):
        settings["solver"] = {"kind": "gradient", **settings["solver"]}
    return {"kind": "likelihood", **settings}
