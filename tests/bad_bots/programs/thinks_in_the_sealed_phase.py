"""Passes at once, and thinks while the others still choose what to pass."""

from __future__ import annotations

import time
from threading import Thread

import pigpen
from tests.bad_bots.honest import Honest, report
from tests.bad_bots.slow_honest import THINKS


class Ponderer(Honest):
    answered: float | None = None

    def think(self) -> None:
        while self.answered is not None:
            pass

    def pass_cards(self, view: pigpen.View) -> tuple[pigpen.Card, ...]:
        self.answered = time.process_time()
        Thread(target=self.think, daemon=True).start()
        return view.hand[: view.pass_count]

    def play(self, view: pigpen.View) -> pigpen.Card:
        if self.answered is not None:
            report({"stole half of a neighbour's time": time.process_time() - self.answered > THINKS / 2})
            self.answered = None
        return super().play(view)


pigpen.run(Ponderer())
