"""Older files: label models of formats 1 to 4, as format 5 has them.

Until format 2, all options were those of LabelModel, and any option of the likelihood chose it. Format 1 knew only the
likelihood. Until format 3, the default estimator was another one: what it found cannot be read. Until format 4, it
kept no gold rows, and had an option more.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from shortlist.archive import Arrays, Renamed
from shortlist.errors import BadFile
from shortlist.labelmodel.formulae.balance import Balance, as_given, scaled
from shortlist.labelspace import LabelSpace

LIKELIHOOD = (
    "accuracy", "propensity", "split", "accuracy_mean", "accuracy_votes", "propensity_rows", "balance_rows", "solver",
    "n_starts",
)  # fmt: skip


def upgraded(header: dict[str, Any], arrays: Arrays) -> tuple[dict[str, Any], Arrays]:
    """The header and the arrays of a file of any format, in the format of today."""
    if header["version"] < 4 and _pooled(header):
        raise BadFile("it was fitted by the default estimator of an earlier version: fit again, on the same votes")
    if header["version"] == 4 and _pooled(header):
        return _without_ratio(header), _without_gold_rows(arrays)
    if header["version"] >= 3:
        return header, arrays
    settings = _likelihood({name: header["options"].get(name) for name in LIKELIHOOD})
    options = {name: value for name, value in header["options"].items() if name not in LIKELIHOOD}
    facts = {name: header[name] for name in ("converged", "n_iter")} | {"silence": header.get("silence", True)}
    facts["learn_balance"] = options["balance"] == "learn"
    given: Balance = "uniform" if options["balance"] in (None, "learn") else options["balance"]
    shares = scaled(as_given(given, LabelSpace(header["panel"]["classes"])))  # the sum was any
    if not isinstance(options["balance"], (str, type(None))):
        options["balance"] = dict(zip(header["panel"]["classes"], shares.tolist(), strict=True))
    names = {name if name.startswith("seen.") else f"estimate.{name}": name for name in arrays}
    more = {"estimate.given_balance": shares}
    options["estimator"] = settings
    header = {"options": options, "panel": header["panel"], "estimator": settings, "estimate": facts}
    return header, Renamed(arrays, names, more)


def _without_ratio(header: dict[str, Any]) -> dict[str, Any]:
    """Without an option that is gone. What was fitted with it is kept; a new fit goes without it."""
    found = {**header, "options": dict(header["options"])}
    for place in (found, found["options"]):
        if isinstance(place.get("estimator"), dict):
            place["estimator"] = {name: x for name, x in place["estimator"].items() if name != "propensity_ratio"}
    return found


def _without_gold_rows(arrays: Arrays) -> Arrays:
    """As if there had been no gold rows: rows with the same votes are believed to be what the labelers say."""
    n, k = arrays["estimate.parameters.accuracy"].shape
    more: Arrays = {"estimate.gold.codes": np.zeros((0, n), np.uint8), "estimate.gold.counts": np.zeros((0, k))}
    return Renamed(arrays, {name: name for name in arrays}, more)


def _pooled(header: dict[str, Any]) -> bool:
    """Whether the default estimator was fitted."""
    return "trust" in header or "trust" in header.get("estimate", {})


def _likelihood(options: dict[str, Any]) -> dict[str, Any]:
    """Options that were left at None had their defaults; the settings of a solver were those of Gradient."""
    settings = {name: value for name, value in options.items() if value is not None}
    if isinstance(settings.get("solver"), dict):
        settings["solver"] = {"kind": "gradient", **settings["solver"]}
    return {"kind": "likelihood", **settings}
