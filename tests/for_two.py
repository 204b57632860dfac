"""A variant for two players: a board of it takes 4 instances of bots, where one of four players takes 16."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pigpen.rules.presets import HEARTS_JACK
from referee.records.rules_file import to_toml

if TYPE_CHECKING:
    from pathlib import Path

FOR_TWO = replace(HEARTS_JACK, name="for-two", title="Hearts for two", players=2, passing=None, moon=None)


def write_for_two(folder: Path) -> str:
    """Write its rules into a file in *folder*, and give what to type for it."""
    path = folder / "for-two.toml"
    path.write_text(to_toml(FOR_TWO))
    return str(path)
