"""Raises an error in the middle of a deal."""

from __future__ import annotations

import pigpen
from tests.bad_bots.honest import Honest


class Broken(Honest):
    def play(self, view: pigpen.View) -> pigpen.Card:
        if len(view.tricks) >= 6:
            raise RuntimeError("I am broken")
        return super().play(view)


pigpen.run(Broken())
