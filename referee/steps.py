"""Actions as the record writes them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pigpen.rules import Card, Face, MoonChoice

if TYPE_CHECKING:
    from pigpen.rules import Action
    from referee.record import Step


def action_of(step: Step) -> Action:
    """
    Read the action of a recorded step.

    Raises:
        ValueError: If there is none, or it cannot be read.
    """
    if step.play is not None:
        return Card.parse(step.play)
    if step.passed is not None:
        return tuple(map(Card.parse, step.passed.split()))
    if step.expose is not None:
        return {Card.parse(word.removesuffix("*")): _face(word) for word in step.expose.split()}
    if step.moon is not None and step.moon.upper() in MoonChoice.__members__:
        return MoonChoice[step.moon.upper()]
    raise ValueError("the step holds no action that can be read")


def _face(word: str) -> Face:
    return Face.DOWN if word.endswith("*") else Face.UP
