"""Attribute detectors: votes and gold in an npz file, the shortlists they stand for in a json file beside it."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from shortlist.datasets.dataset import Split
from shortlist.datasets.reading import (
    gold_of_positions,
    read_json,
    read_npz,
)
from shortlist.errors import BadFile, UselessLabeler
from shortlist.labelspace import LabelSpace, natural
from shortlist.votes import Votes


def read_attributes(stem: Path) -> tuple[LabelSpace, dict[str, Split]]:
    """Vote v of detector i stands for the shortlist `clusters_one_based[i][v]`."""
    about = read_json(stem.with_name(stem.name + ".json"), "class_names", "clusters_one_based")
    arrays = read_npz(stem.with_name(stem.name + ".npz"), "votes")
    space, votes, clusters = LabelSpace(about["class_names"]), arrays["votes"], about["clusters_one_based"]
    keys = sorted(clusters, key=natural)
    if votes.ndim != 2 or votes.shape[1] != len(keys) or votes.dtype.kind not in "iub":
        raise BadFile(f"{stem}: {len(keys)} detectors, but votes are {votes.dtype} of shape {votes.shape}")
    useful = [i for i, key in enumerate(keys) if all(0 < len(group) < len(space) for group in clusters[key])]
    if len(useful) < len(keys):
        left_out = [key for i, key in enumerate(keys) if i not in useful]
        warnings.warn(
            f"{stem}: detectors {', '.join(left_out)} do not divide the classes and were left out",
            UselessLabeler,
            stacklevel=4,
        )
    table = Votes.from_paper(
        votes[:, useful].astype(np.int64) + 1,
        {keys[i]: clusters[keys[i]] for i in useful},
        space,
        [f"attribute_{keys[i]}" for i in useful],
        ids=_image_ids(arrays),
    )
    y = arrays.get("y", np.full(len(votes), -1))
    return space, {"all": Split(None, table, gold_of_positions(y, space, len(votes)))}


def _image_ids(arrays: Mapping[str, npt.NDArray[Any]]) -> npt.NDArray[Any] | None:
    """Which image of the original set a row is, where that is known of every row (it is −1 where not)."""
    index = arrays.get("image_index")
    return index if index is not None and (index >= 0).all() else None
