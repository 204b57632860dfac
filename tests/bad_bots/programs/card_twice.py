"""Plays its first card again and again."""

from __future__ import annotations

import pigpen
from tests.bad_bots.honest import Honest


class Twice(Honest):
    card: pigpen.Card | None = None

    def play(self, view: pigpen.View) -> pigpen.Card:
        self.card = self.card or view.legal[0]
        return self.card


pigpen.run(Twice())
