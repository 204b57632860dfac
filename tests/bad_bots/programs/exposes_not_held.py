"""Exposes the four cards that may be exposed, all but those it holds."""

from __future__ import annotations

import pigpen
from tests.bad_bots.honest import Honest


class Boaster(Honest):
    def expose(self, view: pigpen.View) -> tuple[pigpen.Card, ...]:
        return tuple(pigpen.CARDS[number] for number in range(52) if pigpen.CARDS[number] not in view.hand)[:4]


pigpen.run(Boaster())
