"""Thinks after each answer, for so short a time that it is not worth holding; looks at the end who has paid for it."""

from __future__ import annotations

import time
from threading import Event, Thread

import pigpen
from tests.bad_bots.honest import Honest, report

SENDS = 0.0005
"""Seconds until the answer is on its way."""
SHORT = 0.0035
"""Seconds; from 5 ms on a bot would be held."""
FREE_AT_ONCE, FREE_EACH = 0.1, 0.001
"""What nobody pays for, as docs/adr/0013 has it."""
DEALS = 8
"""As tests/bad_bots/table.py has it."""


class Quick(Honest):
    deals = questions = 0
    full = answered = asked = unasked = 0.0

    def __init__(self) -> None:
        self.has_answered = Event()

    def match_started(self, welcome: pigpen.Welcome) -> None:
        self.full = welcome.clock.bank
        Thread(target=self.think, daemon=True).start()

    def think(self) -> None:
        while self.has_answered.wait():
            self.has_answered.clear()
            time.sleep(SENDS)
            end = time.thread_time() + SHORT
            while time.thread_time() < end:
                pass

    def deal_over(self, result: pigpen.DealResult) -> None:
        self.deals += 1

    def pass_cards(self, view: pigpen.View) -> tuple[pigpen.Card, ...]:
        self.begin()
        self.end()
        return view.hand[: view.pass_count]

    def play(self, view: pigpen.View) -> pigpen.Card:
        self.begin()
        if self.deals == DEALS - 1 and len(view.hand) == 1:
            owed = self.unasked - FREE_AT_ONCE - FREE_EACH * self.questions
            report({"worked unasked": owed > 0, "paid for it": self.full - view.bank > self.asked + owed / 2})
        self.end()
        return super().play(view)

    def begin(self) -> None:
        began = time.process_time()
        self.unasked += began - self.answered if self.questions else 0.0
        self.questions += 1
        self.answered = began

    def end(self) -> None:
        now = time.process_time()
        self.asked += now - self.answered
        self.answered = now
        self.has_answered.set()


pigpen.run(Quick())
