"""The command `pigpen` as a user types it, in this process: for tests of what it says, and not of how it runs."""

from __future__ import annotations

import contextlib
import io
import os
import signal
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING
from unittest import mock

from ladder.cli.typer_app import run_app

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

CODES = (0, 1, 2, 3)
"""Done, does not hold, the user's mistake, the platform's failure."""


@dataclass(frozen=True)
class Typed:
    """The outcome of a command."""

    words: tuple[str, ...]
    code: int
    out: str
    err: str

    @property
    def is_civil(self) -> bool:
        """True if it ended with one of `CODES`, without a traceback, and printed printable characters only."""
        printed = self.out + self.err
        return (
            self.code in CODES
            and "Traceback" not in printed
            and all(letter.isprintable() or letter == "\n" for letter in printed)
        )

    @property
    def is_one_sentence(self) -> bool:
        """True if it ended with the exit code of a mistake, and one line that says so."""
        return (
            self.is_civil
            and (self.code, self.out) == (2, "")
            and self.err.startswith("pigpen: ")
            and self.err.count("\n") == 1
            and len(self.err) < 2000
        )


def typed(*words: str, folder: Path, **environment: str) -> Typed:
    """
    Run ``pigpen WORDS`` in *folder*, without a terminal.

    Raises:
        Exception: Whatever a user would see as a traceback.
    """
    plain = {"COLUMNS": "200", "TERM": "dumb", "NO_COLOR": "1", "PIGPEN_DATA_DIR": str(folder / "data")}
    return Typed(words, *run_here(words, folder, plain | environment))


def run_here(
    words: Sequence[str], folder: Path, environment: Mapping[str, str], stdin: str = ""
) -> tuple[int, str, str]:
    """Run ``pigpen WORDS`` in *folder*, in this process; its exit code, output and errors."""
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", errors="backslashreplace") for _ in range(2))
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    code = 0
    with (
        mock.patch.dict(os.environ, environment),
        mock.patch.multiple(sys, argv=["pigpen", *words], stdin=io.StringIO(stdin)),
        contextlib.chdir(folder),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        try:
            run_app()
        except SystemExit as ended:
            code = ended.code if isinstance(ended.code, int) else 0
        finally:
            for number, handler in handlers.items():
                signal.signal(number, handler)
    return code, _printed(out), _printed(err)


def _printed(stream: io.TextIOWrapper) -> str:
    stream.flush()
    assert isinstance(stream.buffer, io.BytesIO)
    return stream.buffer.getvalue().decode("utf-8")
