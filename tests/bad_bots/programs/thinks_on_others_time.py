"""Thinks on when it has answered, and looks how much it gets done before it is asked again."""

from __future__ import annotations

import time
from threading import Thread

import pigpen
from tests.bad_bots.honest import Honest, report
from tests.bad_bots.slow_honest import THINKS


def think() -> None:
    while True:
        pass


class Ponderer(Honest):
    answered = most = 0.0

    def pass_cards(self, view: pigpen.View) -> tuple[pigpen.Card, ...]:
        Thread(target=think, daemon=True).start()
        self.answered = time.process_time()
        return view.hand[: view.pass_count]

    def play(self, view: pigpen.View) -> pigpen.Card:
        self.most = max(self.most, time.process_time() - self.answered)
        report({"stole half of a neighbour's time": self.most > THINKS / 2})  # the last report counts
        self.answered = time.process_time()
        return super().play(view)


pigpen.run(Ponderer())
