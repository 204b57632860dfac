"""
Ctrl-C while `pigpen` starts, and while it ends: exit code 130, one line, no traceback.

A real process stops itself at a chosen moment and says so; the signal comes from outside. No clock decides anything.
"""

from __future__ import annotations

import signal
import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.e2e.command import PIGPEN, ROOT, environment
from tests.waiting import PATIENCE

if TYPE_CHECKING:
    from pathlib import Path

HELD = """
import os, signal, sys

MODULE, _, FUNCTION = os.environ["HOLD_AT"].partition(":")

def hold(frame, event, _):
    if event == "call" and frame.f_code.co_name == FUNCTION and frame.f_globals.get("__name__") == MODULE:
        sys.setprofile(None)
        os.write(1, b"held\\n")
        signal.pause()

sys.setprofile(hold)
"""
"""A `sitecustomize` that waits for a signal where a function is called for the first time."""
MOMENTS = {
    "the entry point is called": "ladder.cli.entry:main",
    "our imports begin": "ladder.cli.typer_app:<module>",
    "typer is imported": "typer:<module>",
    "pydantic is imported": "pydantic:<module>",
    "the last of our imports": "ladder.cli.play.play:<module>",
    "commands are put together": "typer.main:get_group",
    "words are parsed": "ladder.cli.typer_app:make_context",
    "the command is called": "ladder.cli.play.play:play",
    "a command imports what it needs": "ladder.app.local.match_plan:<module>",
    "the bots are loaded": "ladder.matches.bots:load_bots",
}

LATER = pytest.mark.long
LATER_MOMENTS = (
    "our imports begin", "typer is imported", "pydantic is imported", "commands are put together",
    "the command is called",
)  # fmt: skip
"""Those between two others in which the same is done about it."""


def interrupted(folder: Path, moment: str, *words: str) -> tuple[int, str, str]:
    """The exit code, output and errors of `pigpen WORDS` that is interrupted at a moment."""
    (folder / "sitecustomize.py").write_text(HELD)
    with subprocess.Popen(
        [PIGPEN, *words], cwd=ROOT, env=environment(PYTHONPATH=str(folder), HOLD_AT=moment),
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as program:  # fmt: skip
        try:
            assert program.stdout
            assert program.stdout.readline() == "held\n"
            program.send_signal(signal.SIGINT)
            out, errors = program.communicate(timeout=PATIENCE)
        finally:
            program.kill()
    return program.returncode, out, errors


@pytest.mark.parametrize(
    "moment",
    [pytest.param(place, id=words, marks=LATER if words in LATER_MOMENTS else ()) for words, place in MOMENTS.items()],
)
def test_an_interrupted_start_ends_with_130_and_no_traceback(tmp_path: Path, moment: str) -> None:
    words = ("play", *["random"] * 4, "--boards", "1", "--sandbox", "inline")
    assert interrupted(tmp_path, moment, *words) == (130, "", "pigpen: Interrupted.\n")


def test_an_interrupted_end_shows_no_traceback(tmp_path: Path) -> None:
    """Its mistake is about to be told: there is nothing more to clean up."""
    words = ("play", "nobody", "--sandbox", "inline")
    assert interrupted(tmp_path, "ladder.cli.failures:_quit", *words) == (130, "", "pigpen: Interrupted.\n")
