"""Scripts of bots that do what a record should have in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pigpen.rules import Face, MoonChoice, Phase, seed_from
from tests.referee.recorded import match_lines
from tests.referee.scripted_seats import ScriptedSeat, honest

if TYPE_CHECKING:
    from pigpen.rules import Action
    from pigpen.values.view import View
    from referee.records.lines import AnyLine
    from referee.seats.seat import Seat


def showy(view: View) -> Action:
    """Exposes all it can, the last card face down where that is allowed; takes the moon from the others."""
    if view.phase is Phase.EXPOSE:
        faces = dict.fromkeys(view.legal, Face.UP)
        if view.rules.exposing and view.rules.exposing.face_down:
            faces[view.legal[-1]] = Face.DOWN
        return faces
    return MoonChoice.ADD if view.phase is Phase.MOON else honest(view)


def highest(view: View) -> Action:
    """Plays the last legal card, so that it takes what it can."""
    return view.legal[-1] if view.phase is Phase.PLAY else showy(view)


def showy_seats(players: int) -> list[Seat]:
    """A table of bots that expose what they can; the first one takes what it can."""
    return [ScriptedSeat(highest), *(ScriptedSeat(showy) for _ in range(players - 1))]


def moon_lines() -> list[AnyLine]:
    """A match of hearts whose last deal, number 2, ends in a moon that the others pay for."""
    return match_lines("hearts", "deals:3", showy_seats, seed_from("4"))
