"""Error handling of commands."""

from __future__ import annotations

import os
import select
import signal
import socket
import sys
from contextlib import suppress
from typing import NoReturn

from ladder.cli.extras import how_to_install
from ladder.sandbox.host.scratch import NO_ROOM
from ladder.terminal.interrupts import Stopped
from ladder.terminal.sanitize import sanitize
from pigpen.rules.errors import PigpenError

LINES = "\n"
POSIX_MODULES = {"fcntl", "grp", "pwd", "resource", "termios", "tty"}
"""Modules of Python that Windows does not have."""
NOT_HERE = (
    "This needs Linux: {name} does not exist on this system. Here bots play with --sandbox inline (play, check, "
    "compare, rerun); new, rules, replay, verify, and commands for a remote ladder work, too (docs/guide.md)."
)
CLOSED_PIPE = 128 + 13
"""The exit code when the program that reads the output has ended: that of a process which SIGPIPE, 13, has killed."""


def quit_after(error: BaseException) -> NoReturn:
    """
    End the process: one sentence and an exit code, if the error means that.

    Raises:
        BaseException: The error itself, if it is a mistake in Pigpen.
    """
    match error:
        case PigpenError():
            _quit(str(error), error.exit_code)
        case BrokenPipeError():
            _drop_output()
            sys.exit(CLOSED_PIPE)
        case Stopped():
            _quit(str(error), error.code)
        case ModuleNotFoundError() if sentence := how_to_install(error.name, *sys.argv[1:2]):
            _quit(sentence, 2)
        case ModuleNotFoundError() | AttributeError() if name := _missing_here(error):
            _quit(NOT_HERE.format(name=name), 2)
        case OSError() if not error.filename and error.errno in NO_ROOM:
            _quit(f"The output cannot be written: {error.strerror}.", 3)
        case _:
            raise error


def _missing_here(error: ModuleNotFoundError | AttributeError) -> str | None:
    """Give the name that an error misses, if it is one that only other systems have."""
    if isinstance(error, ModuleNotFoundError):
        return error.name if error.name in POSIX_MODULES else None
    return f"{error.obj.__name__}.{error.name}" if error.obj in (os, select, signal, socket) else None


def _drop_output() -> None:
    """Drop what cannot be written: Python tries again when it ends, and exits with 120 if that fails."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            with suppress(OSError), open(os.devnull, "wb") as nowhere:
                os.dup2(nowhere.fileno(), stream.fileno())


def _quit(message: str, code: int) -> NoReturn:
    with suppress(OSError):
        print(f"pigpen: {sanitize(message.expandtabs(), spared=LINES)}", file=sys.stderr)
    _drop_output()
    sys.exit(code)
