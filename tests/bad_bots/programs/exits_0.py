"""Ends without a word when it is asked for the first time."""

from __future__ import annotations

import os

import pigpen


class Quitter(pigpen.Bot):
    def play(self, view: pigpen.View) -> pigpen.Card:
        os._exit(0)


pigpen.run(Quitter())
