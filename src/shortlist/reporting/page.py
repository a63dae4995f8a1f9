"""The report: one HTML file that needs nothing else."""

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
from shortlist.analysis.labeler_tables import LABELER_COLUMNS, labeler_columns
from shortlist.archive import atomic
from shortlist.errors import require
from shortlist.identifiability import Diagnosis
from shortlist.labelers import Labeler
from shortlist.labelmodel.evidence import Gold
from shortlist.reporting import drawings
from shortlist.reporting.advice import check
from shortlist.reporting.checkup import Checkup
from shortlist.reporting.examples import contradictions, labeler_rows, suggested
from shortlist.reporting.overview import Overview, notices, verdict
from shortlist.votes import Votes
from shortlist.wording import percent, visible


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
    overview = Overview(Analysis(votes, model, gold=gold), level=level, scores=scores)
    return write_page(overview, check(overview, diagnosis=diagnosis, time_limit=time_limit), rows, path, title)


def write_page(
    overview: Overview,
    checkup: Checkup,
    rows: Any,
    path: str | os.PathLike[str],
    title: str,
    labelers: Sequence[Labeler] = (),
    spent: Sequence[Mapping[str, Any]] = (),
) -> Path:
    """Write the page and return its path. Everything that comes from the user is escaped by the template engine.

    labelers   words that these match are marked
    spent      what language models have cost, a line for each labeler
    """
    script = asset("tips.js") + asset("report.js")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode("ascii")
    template = environment().get_template("report.html")
    text: str = template.render(
        title=title,
        version=shortlist.__version__,
        style=asset("style.css") + asset("report.css"),
        script=script,
        script_hash=f"sha256-{digest}",
        level=f"{overview.level:.0%}",
        spent=spent,
        **content(overview, checkup, rows),
        labeler_rows=labeler_rows(overview, rows, labelers),
    )
    with atomic(path) as file:
        file.write(text.encode("utf-8", "replace"))
    return Path(path)


def content(overview: Overview, checkup: Checkup, rows: Any) -> dict[str, Any]:
    """Everything that the template shows about votes and model."""
    model, calibration, columns = overview.model, overview.analysis.calibration, labeler_columns(overview.labelers)
    return {
        "tiles": overview.tiles,
        "advice": [(one, one.show_gain(len(overview.votes))) for one in checkup.advice],
        "order": checkup.order,
        "nothing": next(checkup.lines()),
        "verdict": verdict(checkup),
        "to_add": checkup.to_add,
        "promise": checkup.promise,
        "diagnosis": checkup.diagnosis.findings[1:],
        "notices": list(notices(overview)),
        "columns": columns,
        "words": LABELER_COLUMNS,
        "estimated": any(column.name == "accuracy" for column in columns),
        "gold": overview.analysis.gold is not None,
        "labelers": labeler_lines(overview),
        "pairs": drawings.labeler_heat(overview),
        "classes": drawings.class_heat(overview) if model is not None else None,
        "accuracies": drawings.accuracy_heat(overview) if overview.class_by_class else None,
        "balance": balance(overview) if model is not None else [],
        "beliefs": drawings.histogram(overview.analysis.belief) if model is not None else None,
        "calibration": drawings.reliability(calibration) if calibration else None,
        "calibration_error": calibration.error if calibration else None,
        "conflicts": contradictions(overview, rows),
        "conflict_kinds": len(overview.analysis.buckets()),
        "suggestions": suggested(overview, rows),
        "ids": overview.votes.ids is not None,
        "k": len(overview.votes.space),
    }


def labeler_lines(overview: Overview) -> list[dict[str, Any]]:
    """The table of labelers: name, answers, values to sort by, and cells."""
    votes = overview.votes
    lines = zip(overview.labelers.iter_rows(named=True), votes.codomains, strict=True)
    return [
        {
            "labeler": line["labeler"],
            "says": [votes.space.show(answer) for answer in codomain.says],
            "values": line,
            "cells": drawings.labeler_cells(line, len(votes.space), overview.level),
        }
        for line, codomain in lines
    ]


def balance(overview: Overview) -> list[dict[str, Any]]:
    """The share of each class, as believed and among gold rows."""
    gold, believed = overview.analysis.gold, (overview.analysis.mass / len(overview.votes)).tolist()
    known = [None if gold is None else float((gold[overview.known] == j).mean()) for j in range(len(believed))]
    columns = zip(overview.votes.space, believed, known, strict=True)
    return [dict(zip(("name", "believed", "gold"), line, strict=True)) for line in columns]


def environment() -> Any:
    """The template engine: everything is escaped, nothing may be undefined."""
    jinja2 = require("jinja2", extra="report")
    engine = jinja2.Environment(
        loader=jinja2.FunctionLoader(asset),
        autoescape=True,
        finalize=lambda value: type(value)(visible(value)) if isinstance(value, str) else value,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    engine.filters |= {"percent": percent, "breakable": breakable}
    return engine


def breakable(name: str) -> Any:
    """A name that may be broken after its underscores; escaped like everything else."""
    markup = require("markupsafe", extra="report")
    return markup.Markup("_<wbr>").join(markup.escape(part) for part in name.split("_"))


def asset(name: str) -> str:
    """A file of the page: template, style or script. The studio uses style.css and tips.js, too."""
    return (resources.files(__package__) / "assets" / name).read_text("utf-8")
