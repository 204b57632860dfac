"""What the house bots would do in a decision: sample bots that run in this process, without a clock."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from ladder.matches.estimate import is_fast
from ladder.sandbox.bots.bot_source import find_bot
from ladder.sandbox.inline import load_bot_class
from pigpen.bot import decide
from referee.records.steps import words_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from pigpen import Bot
    from pigpen.values.view import View

QUICK_BOTS = ("cautious", "counting")
SEARCHING_BOTS = ("sampling", "exact", "tree")
"""
Those that simulate.

Together with `QUICK_BOTS` they are the sample bots in Python but `random`, whose choice says nothing. No house bot
remembers anything between decisions.
"""
HOUSE_BOTS = ("random", *QUICK_BOTS, *SEARCHING_BOTS)
"""House bots that play with people."""


def house_choices(make_view: Callable[[], View]) -> dict[str, str]:
    """
    Ask each house bot; give what it does as a record would say it.

    *make_view* gives what the seat knows, each time as a fresh value.

    Bots that simulate are asked only where the engine in C is available: without it, a question would take seconds. The
    bots are not given the clock of the match, so each always makes its full number of trials, and the same question
    gives the same answer.
    """
    names = QUICK_BOTS + SEARCHING_BOTS if is_fast(make_view()) else QUICK_BOTS
    return {name: words_of(decide(house_bot(name), make_view()))[1] for name in names}


def house_bot(name: str) -> Bot:
    """Make a fresh house bot."""
    return _bot_class(name)()


@cache
def _bot_class(name: str) -> type[Bot]:
    return load_bot_class(find_bot(name))
