"""
Error handling of commands.

`how_to_install` gives messages for parts of Pigpen that are not installed: contestants need none of a ladder's database
and runner.
"""

from __future__ import annotations

import os
import select
import signal
import socket
import sys
from contextlib import suppress
from importlib import metadata
from typing import NoReturn

from ladder.sandbox.host.scratch import NO_ROOM
from ladder.terminal.interrupts import Stopped
from ladder.terminal.sanitize import sanitize
from pigpen.rules.errors import PigpenError

WORKER = "worker"
"""An extra, and the only command that needs no other one."""
EXTRAS = {
    "data": "A data set needs pyarrow. Install it: {}",
    WORKER: "This command needs the packages for workers. Install them: {}",
    "ladder": "This command needs the packages for running a ladder. Install them: {}. "
    "To use a remote ladder: pigpen login URL",
}
"""Sentence for each extra, with a place for the command that installs it; the smallest one first."""
PARTS = {
    "PIL": "pillow",
    "anyio": "fastapi",
    "argon2": "argon2-cffi",
    "dask": "distributed",
    "h11": "uvicorn",
    "markdown_it": "markdown-it-py",
    "markupsafe": "jinja2",
    "msgpack": "distributed",
    "starlette": "fastapi",
    "tornado": "distributed",
}
"""Modules that do not go by the name of what an extra installs: what brings them."""


def how_to_install(module: str | None, command: str = WORKER) -> str | None:
    """
    Give one sentence with the command to type, if *module* comes with an extra of Pigpen; None if it does not.

    Args:
        module: The module that is missing.
        command: The command that lacks it: what `pigpen worker` needs is not enough for others.
    """
    from packaging.requirements import Requirement  # takes long to import, and is hardly ever needed
    from packaging.utils import canonicalize_name

    from ladder.app.wheels import ARENA, install_line

    wanted = (module or "").partition(".")[0]
    wanted = canonicalize_name(PARTS.get(wanted, wanted))
    needs = [Requirement(line) for line in metadata.requires(ARENA) or []]
    for extra, sentence in EXTRAS.items():
        if extra == WORKER != command:
            continue
        for needed in needs:
            if needed.marker and canonicalize_name(needed.name) == wanted and needed.marker.evaluate({"extra": extra}):
                return sentence.format(install_line(extra))
    return None


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
