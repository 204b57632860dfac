"""Takes more memory than it may, when it is asked for the first time."""

from __future__ import annotations

import pigpen
from tests.bad_bots.honest import Honest


class Hog(Honest):
    def play(self, view: pigpen.View) -> pigpen.Card:
        self.much = bytearray(1 << 30)
        return super().play(view)


pigpen.run(Hog())
