"""Result of the verification of a record."""

from __future__ import annotations

from pathlib import Path

from ladder.values.value import Value


class Verification(Value):
    """The summary of a record."""

    record: Path
    holds: bool
    """True if everything that is there is right."""
    finished: bool
    """True if the result is there, and holds."""
    line: int | None
    """The number of the first line that differs, from 1."""
    difference: str | None
    """The error in that line."""
    rules: str | None
    """The name of the variant; None, as the next two, if the first line does not hold."""
    format: str | None
    bots: tuple[str, ...] | None
    deals: int
    """Number of deals that hold."""
