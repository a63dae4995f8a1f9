"""Events: a stream that tells a page what happens, for as long as the page is open."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from typing import Any

from shortlist.studio.desk import Desk

LOOK = 0.3  # seconds between looks whether the server stops
BEAT = 15.0  # seconds after which something is sent, so that a page that went away is noticed


async def events(desk: Desk, stopping: Callable[[], bool]) -> AsyncIterator[str]:
    """Server-sent events: what the desk tells, as JSON, until the server stops."""
    loop = asyncio.get_running_loop()
    waiting: asyncio.Queue[str] = asyncio.Queue()

    def tell(kind: str, facts: dict[str, Any]) -> None:
        text = json.dumps({"kind": kind, **facts}, ensure_ascii=False)
        loop.call_soon_threadsafe(waiting.put_nowait, f"data: {text}\n\n")

    desk.tellers.append(tell)
    try:
        yield f"data: {json.dumps({'kind': 'hello', 'revision': desk.revision})}\n\n"
        quiet = 0.0
        while not stopping():
            try:
                yield await asyncio.wait_for(waiting.get(), LOOK)
                quiet = 0.0
            except TimeoutError:
                quiet += LOOK
            if quiet >= BEAT:
                quiet = 0.0
                yield ": still here\n\n"
    finally:
        desk.tellers.remove(tell)
