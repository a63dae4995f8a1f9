"""Spark: pieces as jobs of a Spark session, by `mapInArrow` (extra `spark`; it needs Java 17)."""

from __future__ import annotations

import os
import pickle
import sys
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from shortlist.engines.engine import Cluster, Pieces, Results, as_they_finish, processes_here, unwrapped
from shortlist.engines.pickling import Packed, to_bytes
from shortlist.errors import PieceLost, ShortlistError, require


class Spark(Cluster):
    """Executors of a Spark session.

    address   of a master, "spark://10.0.0.1:7077"; without it, threads of this machine with a Python process each
    workers   number of these threads
    session   your own `SparkSession`, which is left open
    """

    def __init__(self, address: str | None = None, workers: int | None = None, *, session: Any = None) -> None:
        sql = require("pyspark.sql", extra="spark")
        self._own = session is None
        if session is None:
            session = _started(sql.SparkSession.builder.appName("shortlist"), address, workers)
        self.session = session

    @property
    def workers(self) -> int:
        """Number of pieces that run at the same time."""
        return max(1, int(self.session.sparkContext.defaultParallelism))

    @property
    def dashboard(self) -> str | None:
        """Address of the page that shows what executors do."""
        link: str | None = self.session.sparkContext.uiWebUrl
        return link

    def map(self, function: Callable[[Any], Any], pieces: Pieces[Any]) -> Results[Any]:
        """(id, result) as they finish: a job for each piece, several at the same time."""
        context = self.session.sparkContext
        sent, group = context.broadcast(Packed.of(function)), f"shortlist-{uuid.uuid4().hex}"
        run = _runner(sent)

        def work(numbered: tuple[int, Any]) -> Any:
            context.setJobGroup(group, "shortlist", interruptOnCancel=True)
            return self._result(run, *numbered)

        with ThreadPoolExecutor(2 * self.workers) as pool:
            try:
                yield from as_they_finish(pool, self.workers, work, ((number, (number, one)) for number, one in pieces))
            finally:
                context.cancelJobGroup(group)
                sent.unpersist()

    def _result(self, run: Callable[[Iterator[Any]], Iterator[Any]], number: int, piece: Any) -> Any:
        try:
            result = self._job(run, to_bytes(piece))
        except Exception as error:
            self._check_executors()
            raise PieceLost("its executor was lost each time it was begun", number=number) from error
        return unwrapped(pickle.loads(result))

    def _job(self, run: Callable[[Iterator[Any]], Iterator[Any]], piece: bytes) -> bytes:
        frame = self.session.createDataFrame([(piece,)], "piece binary").coalesce(1)
        ((result,),) = frame.mapInArrow(run, "result binary").collect()
        return bytes(result)

    def _check_executors(self) -> None:
        """Raise where even an empty piece fails, so that the executors are at fault."""
        try:
            self._job(_echo, b"")
        except Exception as error:
            raise ShortlistError(
                "the executors of the Spark session cannot work. They need the same versions of Python and shortlist. "
                f"Spark says: {error}"
            ) from error

    def close(self) -> None:
        """Stop the session that was started here."""
        if self._own:
            self.session.stop()


def _started(builder: Any, address: str | None, workers: int | None) -> Any:
    """A session on a cluster; without an address, on this machine, with the Python that runs this."""
    if address is not None:
        return builder.master(address).getOrCreate()
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    master = f"local[{processes_here(workers)},3]"  # 3 attempts a piece
    session = builder.master(master).config("spark.ui.showConsoleProgress", "false").getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    return session


def _runner(sent: Any) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """The function that an executor runs on batches of pieces."""

    def run(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow

        for batch in batches:
            results = [to_bytes(sent.value(pickle.loads(piece))) for piece in batch.column(0).to_pylist()]
            yield pyarrow.RecordBatch.from_arrays([pyarrow.array(results, pyarrow.binary())], names=["result"])

    return run


def _echo(batches: Iterator[Any]) -> Iterator[Any]:
    return (batch.rename_columns(["result"]) for batch in batches)
