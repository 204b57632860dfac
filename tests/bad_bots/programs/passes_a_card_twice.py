"""Passes the same card twice."""

from __future__ import annotations

import pigpen
from tests.bad_bots.honest import Honest


class Doubled(Honest):
    def pass_cards(self, view: pigpen.View) -> tuple[pigpen.Card, ...]:
        return (*view.hand[: view.pass_count - 1], view.hand[0])


pigpen.run(Doubled())
