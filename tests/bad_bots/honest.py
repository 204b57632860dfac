"""Plays honestly, as the neighbours of bad bots do, and as bad bots do whose sin lies beside the game."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping

import pigpen

SideAction = Callable[[], Mapping[str, object]]
"""Action of a program beside playing; gives its observations."""


class Honest(pigpen.Bot):
    """Plays the first legal card."""

    def play(self, view: pigpen.View) -> pigpen.Card:
        return view.legal[0]


class Busy(Honest):
    """Does a action once it has its seat."""

    def __init__(self, action: SideAction) -> None:
        self._action = action

    def match_started(self, welcome: pigpen.Welcome) -> None:
        report(self._action())


def report(observed: Mapping[str, object]) -> None:
    """Tell the suite, through the log, what came of an attempt."""
    print("observed", json.dumps(observed), file=sys.stderr, flush=True)


def play_after(action: SideAction) -> None:
    """Do the action, then take the seat and play honestly."""
    report(action())
    pigpen.run(Honest())


def play_with(action: SideAction) -> None:
    """Take the seat, do the action, and play honestly."""
    pigpen.run(Busy(action))


if __name__ == "__main__":
    pigpen.run(Honest())
