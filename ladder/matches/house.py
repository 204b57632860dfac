"""Actions of the house bots in a decision: sample bots that run in this process, without a clock."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from ladder.matches.estimate import is_fast
from ladder.sandbox.bots.bot_source import find_bot
from ladder.sandbox.inline import load_bot_class
from pigpen.bot import decide
from pigpen.rules import Phase
from referee.records.steps import words_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from pigpen import Bot
    from pigpen.values.view import View

QUICK_BOTS = ("cautious", "counting")
SEARCHING_BOTS = ("sampling", "exact", "tree")
"""
Those that simulate.

Together with `QUICK_BOTS` they are the sample bots in Python but `random`, whose choice says nothing, and `uct`, an
anchor for measurements. No house bot remembers anything between decisions.
"""
METHODS = {Phase.PASS: "pass_cards", Phase.EXPOSE: "expose", Phase.PLAY: "play", Phase.MOON: "choose_moon"}
"""The method of a bot that answers in each phase."""
HOUSE_BOTS = ("random", *QUICK_BOTS, *SEARCHING_BOTS)
"""House bots that play with people."""


def house_choices(make_view: Callable[[], View]) -> dict[str, str]:
    """
    Ask each house bot; give what it does as a record would say it.

    *make_view* gives what the seat knows, each time as a fresh value.

    Bots that simulate are asked only where the engine in C is available: without it, a question would take seconds.
    Bots that answer by the same method are asked once. They are not given the clock of the match, so each always makes
    its full number of trials, and the same question gives the same answer.
    """
    names = QUICK_BOTS + SEARCHING_BOTS if is_fast(make_view()) else QUICK_BOTS
    method, asked = METHODS[make_view().phase], dict[object, str]()
    found = {}
    for name in names:
        bot = house_bot(name)
        way = getattr(type(bot), method)
        if way not in asked:
            asked[way] = words_of(decide(bot, make_view()))[1]
        found[name] = asked[way]
    return found


def house_bot(name: str) -> Bot:
    """Make a fresh house bot."""
    return _bot_class(name)()


@cache
def _bot_class(name: str) -> type[Bot]:
    return load_bot_class(find_bot(name))
