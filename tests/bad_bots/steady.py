"""Plays honestly, and thinks a little about each card: for longer than others are left to run meanwhile."""

from __future__ import annotations

import time

import pigpen
from tests.bad_bots.honest import Honest

THINKS = 0.01
"""Seconds of CPU time."""


class Steady(Honest):
    def play(self, view: pigpen.View) -> pigpen.Card:
        end = time.process_time() + THINKS
        while time.process_time() < end:
            pass
        return super().play(view)


if __name__ == "__main__":
    pigpen.run(Steady())
