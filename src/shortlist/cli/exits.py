"""Exits: how a command ends, as a code for programs and as one line for people."""

from __future__ import annotations

import json
import os
import sys
import traceback
from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, TypeVar

import typer

from shortlist.cli.streams import give_up_output, reads_unicode
from shortlist.wording import visible

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")

DONE, UNEXPECTED, USAGE, MISTAKE, MISSING, FOUND, INTERRUPTED = 0, 1, 2, 3, 4, 5, 130
MEANINGS = {
    DONE: "done, or nothing to do",
    UNEXPECTED: "an unexpected error; `--debug` shows the traceback",
    USAGE: "a command or an option that does not exist, or is incomplete",
    MISTAKE: "a mistake in shortlist.toml, labelers.py or the data; the message is one line",
    MISSING: "an optional package is not installed; the message says how to install it",
    FOUND: "`shortlist check --strict` found that votes alone do not determine the accuracies",
    INTERRUPTED: "interrupted with Ctrl-C; what was finished is kept",
}
ENDLESS = ("watch", "studio")  # Ctrl-C is how these end
STOPPED = "\ninterrupted; what was done is kept"


def explained(command: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """A command whose mistakes are told in one line; all of an error is shown with --debug."""

    @wraps(command)
    def run(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Result:
        try:
            result = command(*args, **kwargs)
            sys.stdout.flush()
            return result
        except (KeyboardInterrupt, typer.Abort) as end:
            print("" if isinstance(end, typer.Abort) or command.__name__ in ENDLESS else STOPPED, file=sys.stderr)
            raise SystemExit(INTERRUPTED) from None
        except BrokenPipeError:  # whoever read our output has seen enough
            give_up_output()
            raise SystemExit(DONE) from None
        except Exception as error:
            if kwargs.get("debug"):
                traceback.print_exc()
            raise SystemExit(_tell(error, bool(kwargs.get("json")))) from None

    return run


def _tell(error: Exception, as_json: bool) -> int:
    """Say what went wrong; the code that stands for it comes back."""
    from shortlist.errors import MissingPackage, ShortlistError

    if isinstance(error, ShortlistError):
        code, line = (MISSING if isinstance(error, MissingPackage) else MISTAKE), str(error)
    elif isinstance(error, OSError) and error.strerror:  # a full disk, a folder that may not be written to
        as_json &= error.filename is not None  # every file is written under its name, so it is the output that is full
        code, line = MISTAKE, f"{error.filename or 'standard output'}: {error.strerror}"
    else:
        code, line = UNEXPECTED, f"unexpected {type(error).__name__}: {error} (--debug shows all of it)"
    line = visible(" ".join(line.split()))
    if as_json:
        _print_json({"error": _record(error, line), "exit": code})
    else:
        _say(line)
    _flush()
    return code


def _print_json(record: dict[str, Any]) -> None:
    """On standard output; where that is full, the error is told on standard error."""
    try:
        print(json.dumps(record, ensure_ascii=not reads_unicode(sys.stdout), default=str), flush=True)
    except OSError:
        give_up_output()
        _say(record["error"]["message"])


def _flush() -> None:
    """Write out what is left; where that cannot be done, Python does not try again when it ends."""
    try:
        sys.stdout.flush()
    except OSError:
        give_up_output()


def _record(error: Exception, line: str) -> dict[str, Any]:
    return {"kind": type(error).__name__, "message": line, **getattr(error, "facts", {})}


def _say(line: str) -> None:
    """One line on standard error, the first word of it red on a terminal."""
    red, plain = ("\033[1;31m", "\033[0m") if sys.stderr.isatty() and "NO_COLOR" not in os.environ else ("", "")
    print(f"{red}error:{plain} {line}", file=sys.stderr)
