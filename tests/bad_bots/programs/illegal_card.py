"""Plays a card of its hand that the rules do not allow, whenever it holds one."""

from __future__ import annotations

import pigpen
from tests.bad_bots.honest import Honest


class Illegal(Honest):
    def play(self, view: pigpen.View) -> pigpen.Card:
        return next((card for card in view.hand if card not in view.legal), view.legal[0])


pigpen.run(Illegal())
