"""Plays any legal card: the simplest bot there is, and the one every other bot should beat."""

from __future__ import annotations

import pigpen
from pigpen import Bot, Card, Face, MoonChoice, View


class Random(Bot):
    """Decides everything by lot; `view.rng` makes a match repeatable."""

    def play(self, view: View) -> Card:
        """Play any legal card."""
        return view.rng.choice(view.legal)

    def pass_cards(self, view: View) -> list[Card]:
        """Pass any cards."""
        return view.rng.sample(view.hand, view.pass_count)

    def expose(self, view: View) -> dict[Card, Face]:
        """Show each card, face up or face down, or keep it."""
        faces = {card: view.rng.choice(self._faces(view)) for card in view.legal}
        return {card: face for card, face in faces.items() if face}

    def choose_moon(self, view: View) -> MoonChoice:
        """Toss a coin."""
        return view.rng.choice(list(MoonChoice))

    def _faces(self, view: View) -> tuple[Face | None, ...]:
        exposing = view.rules.exposing
        return (None, Face.UP, Face.DOWN) if exposing and exposing.face_down else (None, Face.UP)


if __name__ == "__main__":
    pigpen.run(Random())
