"""The settings of a ladder."""

from __future__ import annotations

from typing import Literal

from ladder.values.value import Value


class SettingRow(Value):
    """One setting."""

    name: str
    value: str | int | float | bool
    source: Literal["default", "file", "environment"]
    """Origin of the value."""
    meaning: str
