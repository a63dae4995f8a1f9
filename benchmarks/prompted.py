"""What asking a model through shortlist costs besides the model.

    python benchmarks/prompted.py

1. Overhead: the same requests to the same server on localhost, 8 at once, by bare http.client connections that are
   kept open, and through `apply` with scores kept in SQLite. In turns; the best wall time of each counts. The server is
   a process of its own, and answers after a fixed time, as a model would.
2. A rerun with nothing new: no call, and the processor time to read 100,000 kept scores and to vote.
3. Another margin on the same 100,000 rows.
"""

import argparse
import asyncio
import http.client
import json
import multiprocessing
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue

import numpy as np

from shortlist import apply, choose
from shortlist.models import HTTP, Model
from shortlist.models.protocols import Protocol

ANSWERS = {" person": "person", " place": "place", " number": {"number", "date"}}
SPACE = ["person", "place", "number", "date"]
AT_ONCE = 8
TOP = [{"token": f" word{i}", "logprob": -3.0 - i / 10} for i in range(17)]
TOP += [{"token": token, "logprob": -1.0 - i} for i, token in enumerate(ANSWERS)]
CHOICE = {"text": " person", "logprobs": {"content": [{"token": " person", "logprob": -1.0, "top_logprobs": TOP}]}}
REPLY = json.dumps({"choices": [CHOICE], "usage": {"prompt_tokens": 12, "completion_tokens": 1}}).encode()


# -- a server that answers after a while ---------------------------------------------------------------


def serve(delay, port):
    async def answer(reader, writer):
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                length = int(
                    next(line for line in head.lower().split(b"\r\n") if b"content-length" in line).split(b":")[1]
                )
                await reader.readexactly(length)
                await asyncio.sleep(delay)
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(REPLY), REPLY))
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    async def main():
        server = await asyncio.start_server(answer, "127.0.0.1", 0)
        port.value = server.sockets[0].getsockname()[1]
        await server.serve_forever()

    asyncio.run(main())


# -- 1: overhead ---------------------------------------------------------------------------------------


def bare(port, prompts):
    """The same bodies over connections that are kept open, 8 at once; replies are read, not looked at."""
    way, idle = Protocol(False, 500), SimpleQueue()
    for _ in range(AT_ONCE):
        idle.put(http.client.HTTPConnection("127.0.0.1", port))

    def send(prompt):
        connection = idle.get()
        body = json.dumps({"model": "m", **way.body(prompt, tuple(ANSWERS))}).encode()
        connection.request("POST", "/v1/completions", body, {"Content-Type": "application/json"})
        content = connection.getresponse().read()
        idle.put(connection)
        return len(content)

    with ThreadPoolExecutor(AT_ONCE) as pool:
        assert sum(pool.map(send, prompts)) == len(REPLY) * len(prompts)
    while not idle.empty():
        idle.get().close()


def through(port, prompts, folder, run):
    model = HTTP(f"http://127.0.0.1:{port}/v1", "m", at_once=AT_ONCE, kept=folder / f"{run}.db")
    votes = apply(choose("{text}", ANSWERS, model=model, name="kind"), prompts, space=SPACE, progress=False)
    assert votes.covered.all()


def overhead(calls, delay, repeats, folder):
    port = multiprocessing.Value("i", 0)
    server = multiprocessing.Process(target=serve, args=(delay, port), daemon=True)
    server.start()
    while not port.value:
        time.sleep(0.01)
    prompts = [f"question number {i} about something" for i in range(calls)]
    bare(port.value, prompts[:50])
    through(port.value, prompts[:50], folder, "warm")
    times = {"bare": [], "shortlist": []}
    for run in range(repeats):
        times["bare"].append(timed(lambda: bare(port.value, prompts)))
        times["shortlist"].append(timed(lambda run=run: through(port.value, prompts, folder, run)))
    server.terminate()
    (bare_wall, bare_cpu), (wall, cpu) = (tuple(map(min, zip(*times[name], strict=True))) for name in times)
    print(f"{calls:,} calls of {1000 * delay:.0f} ms, {AT_ONCE} at once, best of {repeats} in turns")
    print(f"  bare       {bare_wall:.3f} s wall, {1e6 * bare_cpu / calls:.0f} µs of processor time a call")
    print(f"  shortlist  {wall:.3f} s wall, {1e6 * cpu / calls:.0f} µs of processor time a call")
    print(f"  ratio of wall times {wall / bare_wall:.3f}")


# -- 2 and 3: what is kept -----------------------------------------------------------------------------


class Quick(Model):
    """Answers at once, and counts."""

    id = "quick"
    asked = 0

    def scores(self, prompts, choices):
        self.asked += len(prompts)
        return np.log(np.random.default_rng(len(prompts)).dirichlet(np.ones(len(choices)), len(prompts)))


def kept(rows, folder):
    model = Quick()
    model.kept = folder / "kept.db"
    texts = [f"question number {i} about something" for i in range(rows)]

    def voted(margin):
        labeler = choose("{text}\nThe answer is a", ANSWERS, model=model, margin=margin, name="kind")
        apply(labeler, texts, space=SPACE, progress=False)

    _, first = timed(lambda: voted(0.1))
    asked = model.asked
    again = min(timed(lambda: voted(0.1))[1] for _ in range(3))
    other = min(timed(lambda margin=margin: voted(margin))[1] for margin in (0.2, 0.3, 0.4))
    assert model.asked == asked == rows
    print(f"{rows:,} rows, processor time")
    print(f"  asking and keeping           {first:.2f} s")
    print(f"  rerun, nothing new, no call  {again:.2f} s")
    print(f"  another margin, no call      {other:.2f} s")


def timed(work):
    """(wall, processor) seconds."""
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - wall, time.process_time() - cpu


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calls", type=int, default=1000)
    parser.add_argument("--delay", type=float, default=0.05, help="seconds after which the server answers")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--rows", type=int, default=100_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        overhead(options.calls, options.delay, options.repeats, Path(folder))
        kept(options.rows, Path(folder))


if __name__ == "__main__":
    main()
