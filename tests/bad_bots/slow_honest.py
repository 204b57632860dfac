"""Plays honestly, and thinks long about the first card that it chooses."""

from __future__ import annotations

import time

import pigpen
from tests.bad_bots.honest import Honest

THINKS = 1.0
"""Seconds of CPU time."""


class SlowHonest(Honest):
    def play(self, view: pigpen.View) -> pigpen.Card:
        while time.process_time() < THINKS:
            pass
        return super().play(view)


if __name__ == "__main__":
    pigpen.run(SlowHonest())
