"""What becomes of the errors that commands raise."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import NoReturn

from ladder.cli.extras import how_to_install
from ladder.sandbox.host.scratch import NO_ROOM
from ladder.terminal.interrupts import Stopped
from ladder.terminal.sanitize import sanitize
from pigpen.rules.errors import PigpenError

LINES = "\n"
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
        case OSError() if not error.filename and error.errno in NO_ROOM:
            _quit(f"The output cannot be written: {error.strerror}.", 3)
        case _:
            raise error


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
