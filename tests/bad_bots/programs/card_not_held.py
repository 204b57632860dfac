"""Plays a card that is in nobody's sight but not in its hand."""

from __future__ import annotations

import pigpen
from tests.bad_bots.honest import Honest


class NotHeld(Honest):
    def play(self, view: pigpen.View) -> pigpen.Card:
        return view.unseen[0] if view.unseen else view.legal[0]


pigpen.run(NotHeld())
