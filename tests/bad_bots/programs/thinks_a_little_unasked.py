"""Thinks after each answer, for so short a time that it is not held for it at once."""

from __future__ import annotations

import time
from threading import Event, Thread

import pigpen
from tests.bad_bots.honest import Honest

SENDS = 0.0005
"""Seconds until the answer is on its way."""
SHORT = 0.0035
"""Seconds of CPU time; from 5 ms on a bot is held from then on."""


class Quick(Honest):
    def __init__(self) -> None:
        self.has_answered = Event()

    def match_started(self, welcome: pigpen.Welcome) -> None:
        Thread(target=self.think, daemon=True).start()

    def think(self) -> None:
        while self.has_answered.wait():
            self.has_answered.clear()
            time.sleep(SENDS)
            end = time.thread_time() + SHORT
            while time.thread_time() < end:
                pass

    def play(self, view: pigpen.View) -> pigpen.Card:
        self.has_answered.set()
        return super().play(view)


pigpen.run(Quick())
