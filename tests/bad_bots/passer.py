"""Plays honestly, and thinks long about what to pass."""

from __future__ import annotations

import time
from collections.abc import Iterable

import pigpen
from tests.bad_bots.honest import Honest
from tests.bad_bots.slow_honest import THINKS


class Passer(Honest):
    def pass_cards(self, view: pigpen.View) -> Iterable[pigpen.Card]:
        while time.process_time() < THINKS:
            pass
        return super().pass_cards(view)


if __name__ == "__main__":
    pigpen.run(Passer())
