"""Passes one card too few."""

from __future__ import annotations

import pigpen
from tests.bad_bots.honest import Honest


class TooFew(Honest):
    def pass_cards(self, view: pigpen.View) -> tuple[pigpen.Card, ...]:
        return view.hand[: view.pass_count - 1]


pigpen.run(TooFew())
