"""Reads the memory at address 0 in the middle of a deal."""

from __future__ import annotations

import ctypes

import pigpen
from tests.bad_bots.honest import Honest


class Crasher(Honest):
    def play(self, view: pigpen.View) -> pigpen.Card:
        if len(view.tricks) >= 6:
            ctypes.string_at(0)
        return super().play(view)


pigpen.run(Crasher())
