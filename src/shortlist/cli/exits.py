"""Exit codes, one-line error messages, and output streams that are full, closed or not in Unicode."""

from __future__ import annotations

import codecs
import io
import json
import os
import re
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import wraps
from typing import Any, ParamSpec, TypeVar

import typer

from shortlist.wording import visible

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


def versions() -> Iterator[str]:
    """Lines of `shortlist --version`: what a report of a fault should name, without packages that are not there."""
    import platform
    from importlib import metadata

    import shortlist
    from shortlist.errors import requirements

    yield f"shortlist {shortlist.__version__}"
    yield f"Python {platform.python_version()}, {platform.system()} {platform.machine()}"
    used = [line for line in requirements() if not re.search(r"extra == .(dev|dev-all|docs|release)\b", line)]
    for name in dict.fromkeys(re.split(r"[^\w-]", line)[0] for line in used):
        with suppress(metadata.PackageNotFoundError):
            yield f"{name} {metadata.version(name)}"


def exits_cleanly(command: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """Wrap a command so that it ends with an exit code and a one-line message; --debug adds the traceback."""

    @wraps(command)
    def run(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Result:
        try:
            result = command(*args, **kwargs)
            sys.stdout.flush()
            return result
        except (KeyboardInterrupt, typer.Abort) as end:
            usual = isinstance(end, typer.Abort) or command.__name__ in ("watch", "studio")  # Ctrl-C is how these end
            print("" if usual else "\ninterrupted; finished work is kept", file=sys.stderr)
            raise SystemExit(130) from None
        except BrokenPipeError:  # the reader of our output has seen enough
            discard_output()
            raise SystemExit(0) from None
        except Exception as error:
            if kwargs.get("debug"):
                traceback.print_exc()
            raise SystemExit(_report(error, bool(kwargs.get("json")))) from None

    return run


def _report(error: Exception, as_json: bool) -> int:
    """Print the message of an error; return its exit code."""
    from shortlist.errors import MissingPackage, ShortlistError

    if isinstance(error, ShortlistError):
        code, line = (4 if isinstance(error, MissingPackage) else 3), str(error)
    elif isinstance(error, OSError) and error.strerror:  # such as a full disk, or a folder without write permission
        as_json &= error.filename is not None  # every file is written under its name: without one, it is the output
        code, line = 3, f"{error.filename or 'standard output'}: {error.strerror}"
    elif isinstance(error, UnicodeEncodeError):  # an argument, or a file of the user, that is in another encoding
        code, line = (
            3,
            f"{error.object[max(0, error.start - 20) : error.end]!r} ends with half a character: is it in UTF-8?",
        )
    else:
        code, line = 1, f"unexpected {type(error).__name__}: {error} (use --debug for the traceback)"
    line = visible(" ".join(line.split()))
    try:
        if as_json:
            record = {"kind": type(error).__name__, "message": line, **getattr(error, "facts", {})}
            print_json({"error": record, "exit": code})
        else:
            _print_error(line)
        sys.stdout.flush()
    except OSError:
        discard_output()
        if as_json:
            _print_error(line)
    return code


def _print_error(line: str) -> None:
    red, plain = ("\033[1;31m", "\033[0m") if sys.stderr.isatty() and "NO_COLOR" not in os.environ else ("", "")
    print(f"{red}error:{plain} {line}", file=sys.stderr)


def print_json(record: Any) -> None:
    """Print one JSON object on standard output."""
    print(json.dumps(record, ensure_ascii=not _is_unicode(sys.stdout), default=str))


# -- streams -------------------------------------------------------------------------------------------


def open_closed() -> None:
    """Open standard streams that are closed: Python has none, and the next file would take their numbers."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115


def replace_unwritable() -> None:
    """Let streams that cannot write a character write a question mark instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and not _is_unicode(stream):
            stream.reconfigure(errors="replace")


def _is_unicode(stream: Any) -> bool:
    return codecs.lookup(getattr(stream, "encoding", None) or "utf-8").name.startswith("utf")


def discard_output() -> None:
    """Write nothing more to standard output, not even when Python exits."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
