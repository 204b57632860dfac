"""Variants for fewer players: a board for two takes 4 instances of bots, one for three 9, and one for four 16."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pigpen.rules.parts import Direction, Passing
from pigpen.rules.presets import HEARTS, HEARTS_JACK
from referee.records.rules_file import to_toml

if TYPE_CHECKING:
    from pathlib import Path

FOR_TWO = replace(HEARTS_JACK, name="for-two", title="Hearts for two", players=2, passing=None, moon=None)
FEW_TRICKS = replace(
    FOR_TWO,
    name="few-tricks",
    title="Half a deal",
    removed=tuple(f"{rank}{suit}" for suit in "DSH" for rank in "345678"),
)
"""Rules with which one decision would be enough: 17 tricks in place of 26."""
FOR_THREE = replace(
    HEARTS,
    name="for-three",
    title="Hearts for three",
    players=3,
    removed=("2D",),
    passing=Passing(cards=3, directions=(Direction.LEFT, Direction.RIGHT, Direction.NONE)),
)


def write_for_two(folder: Path) -> str:
    """Write its rules into a file in *folder*, and give what to type for it."""
    path = folder / "for-two.toml"
    path.write_text(to_toml(FOR_TWO))
    return str(path)
