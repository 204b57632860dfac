"""Thinks from when it has its seat, while others have yet to come, and looks what its bank says when it is asked."""

from __future__ import annotations

import time
from threading import Thread

import pigpen
from tests.bad_bots.honest import Honest, report

THINKS = 1.0
"""Seconds of CPU time."""


def think() -> None:
    while time.process_time() < THINKS:
        pass


class Early(Honest):
    bank = 0.0

    def match_started(self, welcome: pigpen.Welcome) -> None:
        self.bank = welcome.clock.bank
        Thread(target=think, daemon=True).start()

    def pass_cards(self, view: pigpen.View) -> tuple[pigpen.Card, ...]:
        report({"paid for it": view.bank < self.bank - 0.05})
        return view.hand[: view.pass_count]


pigpen.run(Early())
