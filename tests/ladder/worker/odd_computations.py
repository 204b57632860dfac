"""A process that computes, in which house bots of some names do odd things."""

from __future__ import annotations

import os
import signal
import sys
import time
from typing import TYPE_CHECKING

from ladder.errors import UserError
from ladder.values.questions import HouseQuestion
from ladder.worker import computing_process

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from ladder.values.questions import Question


def answer(question: Question, folder: Path, advance: Callable[[int, int], None]) -> str:
    """Do what the first bot's name says."""
    assert isinstance(question, HouseQuestion)
    (what,) = question.bots
    if what == "spin":
        while True:
            pass
    if what == "eat":
        return str(len(bytearray(64 << 30)))
    if what == "wait":
        advance(3, 20)
        time.sleep(600)
    if what == "die":
        os.kill(os.getpid(), signal.SIGKILL)
    if what == "refuse":
        raise UserError("There is no such board.")
    return f"{what} by {os.getpid()}, nice {os.nice(0)}, in {folder}"


if __name__ == "__main__":
    vars(computing_process)["answer"] = answer
    computing_process.main(sys.argv[1:])
