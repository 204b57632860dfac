"""
Matches between bots from Python: in a script, in a test, in a notebook.

    import pigpen_arena as arena

    match = arena.play([MyBot, "random", "cautious", "counting"], rules="hearts", boards=16)

A bot is a class of `pigpen.Bot`, one that has been made, the path of a bot's folder, a sample bot's name, or an image.
The functions are those behind the commands `pigpen play`, `compare`, `check` and `why`.
"""

# ruff: noqa: E402
import random

_STATE = random.getstate()  # rich draws a number when it is imported: the caller's chance is the caller's

# isort: split
from ladder.errors import BotRejected, SandboxError, UserError
from pigpen.rules.errors import PigpenError
from pigpen_arena.dataset import dataset_parts, load
from pigpen_arena.gongzhu_arena import load_gongzhu_arena
from pigpen_arena.judging import check, check_async, compare, compare_async
from pigpen_arena.learning import LearnedDeal, against, load_steps
from pigpen_arena.match import Match
from pigpen_arena.playing import play, play_async
from pigpen_arena.tables import Result, Row

random.setstate(_STATE)

__all__ = [
    "BotRejected",
    "LearnedDeal",
    "Match",
    "PigpenError",
    "Result",
    "Row",
    "SandboxError",
    "UserError",
    "against",
    "check",
    "check_async",
    "compare",
    "compare_async",
    "dataset_parts",
    "load",
    "load_gongzhu_arena",
    "load_steps",
    "play",
    "play_async",
]
