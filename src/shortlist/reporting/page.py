"""The page: one HTML file that needs nothing else."""

from __future__ import annotations

import base64
import hashlib
import os
from collections.abc import Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Any

import shortlist
from shortlist.analysis import Analysis
from shortlist.archive import atomic
from shortlist.errors import require
from shortlist.identifiability import Diagnosis
from shortlist.labelers import Labeler
from shortlist.labelmodel.evidence import Gold
from shortlist.reporting import examples, figures, heat
from shortlist.reporting.labeler_rows import labeler_rows
from shortlist.reporting.notices import notices, verdict
from shortlist.reporting.overview import Overview
from shortlist.votes import Votes
from shortlist.wording import visible


def report(
    votes: Votes,
    model: Any = None,
    rows: Any = None,
    gold: Gold | None = None,
    path: str | os.PathLike[str] = "report.html",
    *,
    title: str = "What the labelers do",
    level: float = 0.9,
    time_limit: float = 10.0,
    diagnosis: Diagnosis | None = None,
    scores: Mapping[str, float] | None = None,
) -> Path:
    """Write one self-contained HTML page about votes, and about the model and gold labels if there are any.

    rows        what the votes are about, in any form that `apply` takes: shown as examples
    gold        known classes, by row (None where unknown) or as a mapping from row to class
    level       of the intervals of accuracies
    time_limit  seconds that the identifiability check may take
    diagnosis   what `diagnose(votes)` found, where that is known already
    scores      who else is right on which share of the gold rows: `{"classifier": 0.8}`
    """
    analysis = Analysis(votes, model, gold=gold)
    overview = Overview(analysis, level=level, diagnosis=diagnosis, time_limit=time_limit, scores=scores)
    return write_page(overview, rows, path, title)


def write_page(
    overview: Overview,
    rows: Any,
    path: str | os.PathLike[str],
    title: str,
    labelers: Sequence[Labeler] = (),
    spent: Sequence[Mapping[str, Any]] = (),
) -> Path:
    """Write the page; where it is comes back.

    labelers   words are marked that these match
    spent      what language models have cost, a line for each labeler
    """
    page = render(overview, rows, title, labelers, spent)
    with atomic(path) as file:
        file.write(page.encode("utf-8", "replace"))
    return Path(path)


def render(
    overview: Overview,
    rows: Any,
    title: str,
    labelers: Sequence[Labeler] = (),
    spent: Sequence[Mapping[str, Any]] = (),
) -> str:
    """The page as text. Everything that comes from the user is escaped by the template engine."""
    script = template("page.js")
    page: str = (
        environment()
        .get_template("page.html")
        .render(
            title=title,
            version=shortlist.__version__,
            style=template("page.css"),
            script=script,
            script_hash=fingerprint(script),
            level=f"{overview.level:.0%}",
            spent=spent,
            **content(overview, rows),
            labeler_rows=labeler_rows(overview, rows, labelers),
        )
    )
    return page


def content(overview: Overview, rows: Any) -> dict[str, Any]:
    """All that the template shows."""
    model, space = overview.model, overview.votes.space
    m = len(overview.votes)
    return {
        "tiles": overview.tiles,
        "advice": [(one, one.show_gain(m)) for one in overview.checkup.advice],
        "order": overview.checkup.order,
        "nothing": next(overview.checkup.lines()),
        "verdict": verdict(overview),
        "diagnosis": overview.diagnosis.findings[1:],
        "notices": list(notices(overview)),
        "labelers": labeler_lines(overview),
        "columns": overview.labelers.columns,
        "pairs": heat.labeler_heat(overview),
        "classes": heat.class_heat(overview) if model is not None else None,
        "accuracies": heat.accuracy_heat(overview) if overview.class_by_class else None,
        "balance": balance(overview) if model is not None else [],
        "beliefs": figures.histogram(overview.belief) if model is not None else None,
        "calibration": figures.reliability(overview.calibration) if overview.calibration else None,
        "calibration_error": overview.calibration.error if overview.calibration else None,
        "history": figures.climb(model.history_) if getattr(model, "converged_", True) is False else None,
        "conflicts": examples.conflicts(overview, rows),
        "conflict_kinds": len(overview.buckets),
        "suggestions": examples.suggested(overview, rows),
        "ids": overview.votes.ids is not None,
        "k": len(space),
    }


def labeler_lines(overview: Overview) -> list[dict[str, Any]]:
    """The table of labelers with what each says."""
    space = overview.votes.space
    says = {
        name: [space.show(s) for s in codomain.says]
        for name, codomain in zip(overview.votes.names, overview.votes.codomains, strict=True)
    }
    return [
        {**line, "says": says[line["labeler"]], "chance": (line["size"] or 0) / len(space)}
        for line in overview.labelers.iter_rows(named=True)
    ]


def balance(overview: Overview) -> list[dict[str, Any]]:
    """The share of each class as believed, and among gold rows."""
    believed = overview.analysis.mass / len(overview.votes)
    gold = overview.analysis.gold
    lines = []
    for j, name in enumerate(overview.votes.space):
        known = None if gold is None else float((gold[overview.known] == j).mean())
        lines.append({"name": name, "believed": float(believed[j]), "gold": known})
    return lines


def environment() -> Any:
    """The template engine, with everything escaped and nothing undefined."""
    jinja2 = require("jinja2", extra="report")
    found = jinja2.Environment(
        loader=jinja2.FunctionLoader(template),
        autoescape=True,
        finalize=shown,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.filters |= {"percent": percent, "minus": minus, "breakable": breakable}
    return found


def shown(value: Any) -> Any:
    """What a template prints: texts without characters that change how others are shown."""
    return type(value)(visible(value)) if isinstance(value, str) else value


def percent(value: float | None, digits: int = 1) -> str:
    return "–" if value is None else f"{value:.{digits}%}"


def breakable(name: str) -> Any:
    """A name that may be broken after its underscores; escaped like everything else."""
    markup = require("markupsafe", extra="report")
    return markup.Markup("_<wbr>").join(markup.escape(part) for part in name.split("_"))


def minus(number: str) -> str:
    """A number with the sign that printers use."""
    return number.replace("-", "−")


def template(name: str) -> str:
    return (resources.files(__package__) / "templates" / name).read_text("utf-8")


def fingerprint(script: str) -> str:
    """What the page's security policy asks of its one script."""
    return "sha256-" + base64.b64encode(hashlib.sha256(script.encode()).digest()).decode("ascii")
