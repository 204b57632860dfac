"""Stops its own process when it is asked for the first time."""

from __future__ import annotations

import os
import signal

import pigpen
from tests.bad_bots.honest import Honest


class Stopped(Honest):
    def play(self, view: pigpen.View) -> pigpen.Card:
        os.kill(os.getpid(), signal.SIGSTOP)
        return super().play(view)


pigpen.run(Stopped())
