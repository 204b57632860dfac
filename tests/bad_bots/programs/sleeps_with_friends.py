"""Sleeps before each answer, in vain and for long, as its friends at the table do."""

from __future__ import annotations

import time

import pigpen
from tests.bad_bots.honest import Honest

SLEEPS = 2.0
"""Seconds; three times the limit of a decision is waited for."""


class Sleeper(Honest):
    def play(self, view: pigpen.View) -> pigpen.Card:
        time.sleep(SLEEPS)
        return super().play(view)


pigpen.run(Sleeper())
