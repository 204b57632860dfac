"""Passes its whole hand."""

from __future__ import annotations

import pigpen
from tests.bad_bots.honest import Honest


class TooMany(Honest):
    def pass_cards(self, view: pigpen.View) -> tuple[pigpen.Card, ...]:
        return view.hand


pigpen.run(TooMany())
