"""LlamaCpp: a GGUF file, run by llama.cpp in this process. Needs the package xllamacpp."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from shortlist.errors import BadFile, BadLabeler, require
from shortlist.models.language_model import Budget, checked_budget, model_kind
from shortlist.models.protocols import Body, prompt_error
from shortlist.models.server_model import ServerModel, Unanswered


@model_kind("llama.cpp")
class LlamaCpp(ServerModel):
    """A model in a GGUF file.

    file      the file
    package   or an installed Python package that carries one; it is not imported
    context   tokens of the longest prompt
    at_once   prompts in flight at a time; each has `context` tokens
    threads   of the processor
    chat      True: as a chat only; False: as text to be continued only; None: find out, continuing text first
    """

    def __init__(
        self,
        file: str | os.PathLike[str] | None = None,
        *,
        package: str | None = None,
        context: int = 2048,
        at_once: int = 1,
        threads: int | None = None,
        chat: bool | None = None,
        budget: Budget | Mapping[str, float] | None = None,
        kept: str | os.PathLike[str] | None = None,
        max_failed: float = 0.2,
    ) -> None:
        super().__init__(chat)
        if (file is None) == (package is None):
            raise BadLabeler("a llama.cpp model is in a file= or in a package=: give one of them", option=("file",))
        self.package = package
        self.file = gguf_in(package) if package is not None else Path(file or "")
        if not self.file.is_file():
            raise BadFile("does not exist", file=str(self.file))
        self.context, self.at_once, self.threads = context, at_once, threads
        self.budget, self.kept, self.max_failed = checked_budget(budget, None), kept, max_failed

    @cached_property
    def id(self) -> str:  # type: ignore[override]
        with self.file.open("rb") as head:  # the first MiB and the size stand for the whole file
            word = hashlib.blake2b(head.read(1 << 20), digest_size=6).hexdigest()
        manner = {None: "", True: ", chat", False: ", text"}[self.chat]
        return f"{self.file.name} ({self.file.stat().st_size:,} bytes, {word}){manner}"

    def __repr__(self) -> str:
        where = f"package={self.package!r}" if self.package else repr(str(self.file))
        return f"LlamaCpp({where})"

    def send(self, path: str, body: Body) -> tuple[dict[str, Any], int]:
        chat = path.startswith("chat")
        reply = self._server.handle_chat_completions(body) if chat else self._server.handle_completions(body)
        if "error" in reply or "choices" not in reply:
            error = reply.get("error", reply)
            facts = error if isinstance(error, Mapping) else {"message": error}
            why, message = prompt_error(json.dumps({"error": facts})), str(facts.get("message", facts))[:200]
            raise Unanswered(why or "failed", message, status=400)
        return reply, 0

    @cached_property
    def _server(self) -> Any:
        """The model in memory, loaded by the first prompt, while others wait."""
        xllamacpp = require("xllamacpp", extra="llama")
        options = xllamacpp.CommonParams()
        options.model.path = str(self.file)
        options.n_parallel, options.n_ctx = self.at_once, self.context * self.at_once
        options.warmup, options.verbosity = False, -1
        for pool in (options.cpuparams, options.cpuparams_batch):
            pool.n_threads = self.threads or os.cpu_count() or 1
            pool.poll = 0  # idle threads sleep: others may need the processor
        try:
            return xllamacpp.Server(options)
        except Exception as error:
            raise BadFile(f"cannot be loaded by llama.cpp ({error})", file=str(self.file)) from error

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in super().__getstate__().items() if name != "_server"}


def gguf_in(package: str) -> Path:
    """The GGUF file of an installed package, which is not imported."""
    spec = importlib.util.find_spec(package.replace("-", "_")) if package.isidentifier() or "-" in package else None
    folders = list(spec.submodule_search_locations or ()) if spec else []
    files = sorted(path for folder in folders for path in Path(folder).rglob("*.gguf"))
    if len(files) != 1:
        reason = f"{len(files)} GGUF files are in it" if spec else "it is not installed"
        raise BadLabeler(f"package {package!r}: {reason}: name the file with file=…", option=("package",))
    return files[0]
