"""The house bots that fill chairs on a ladder whose organiser wants that (setting `fill_with_house_bots`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

HOUSE = "house-"
"""Prefix of the name of a house bot on a ladder, before that of the sample bot; no contestant's name has it."""
HOUSE_BOTS: Mapping[str, str] = {
    "house-counting": "counting",
    "house-cautious": "cautious",
    "house-random": "random",
}
"""
The sample bot that each one is, by the names on the ladder; the first one fills the first missing chair.

Each is the bot of an owner of the same name: one owner never has two bots at a table.
"""
