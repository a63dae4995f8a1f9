"""A node of a cluster that goes away in the middle, and nodes with GPUs. The clusters have an address, as yours has."""

import threading
from collections import Counter

import pytest

from shortlist import apply, labeler
from shortlist.engines.ray import Ray
from shortlist.errors import ShortlistError
from tests.engines.articles import outputs
from tests.engines.clusters import CLUSTERS
from tests.engines.nodes import two_nodes, until
from tests.engines.test_faults import ROWS, asked, results, slowly_watched, watched

GPUS = CLUSTERS[:2]  # of Spark, the session says what executors have


@pytest.mark.parametrize("kind", CLUSTERS)
def test_a_node_that_is_killed_in_the_middle(kind, tmp_path):
    reference = watched(tmp_path / "reference")
    reference.run()
    project = slowly_watched(tmp_path / "news")
    with two_nodes(kind, tmp_path) as (engine, kill):
        killer = threading.Thread(target=_kill_later, args=(project, kill))
        killer.start()
        project.run(engine=engine)
        killer.join()
    assert results(outputs(project)) == results(outputs(reference))
    often = asked(project)
    assert len(often) == ROWS
    assert sum(often.values()) < 1.5 * ROWS  # what was done before was not done again


def _kill_later(project, kill):
    votes = project.folder / ".shortlist" / "votes"
    until(lambda: len(list(votes.glob("*/*.parquet"))) >= 3)
    kill()


@pytest.mark.parametrize("kind", GPUS)
def test_a_labeler_that_needs_a_gpu_is_asked_where_there_is_one(kind, tmp_path):
    seen = tmp_path / "seen.txt"

    @labeler(says=["a", "b"], gpus=1)
    def model(text):
        import os

        with seen.open("a") as file:
            file.write(f"{os.getpid()}\n")
        return "a"

    with two_nodes(kind, tmp_path, gpus=(0, 1)) as (engine, _kill):
        apply([model], [str(a) for a in range(4000)], engine=engine, progress=False)
    assert list(Counter(seen.read_text().split()).values()) == [4000]  # one process: that of the node with the GPU


@pytest.mark.slow
def test_a_gpu_that_nobody_has_is_told():
    @labeler(says=["a", "b"], gpus=64)
    def model(text):
        return "a"

    with Ray(workers=1) as engine, pytest.raises(ShortlistError, match="asks for 64 GPUs, and Ray finds fewer"):
        apply([model], ["one", "two"], engine=engine, progress=False)
