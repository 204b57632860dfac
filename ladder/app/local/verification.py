"""Verifying records."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ladder.values.local_results import Verification
from referee.replay.verify import verify

if TYPE_CHECKING:
    from pathlib import Path


def verify_record(path: Path) -> Verification:
    """
    Find out whether a record holds: deal again, play every action again, count again.

    Raises:
        RecordError: If the file cannot be read.
    """
    found = verify(path)
    match = found.match
    return Verification(
        record=path,
        holds=found.holds,
        finished=found.finished,
        line=found.line,
        difference=found.difference,
        rules=str(match.rules["name"]) if match else None,
        format=match.format if match else None,
        bots=match.bots if match else None,
        deals=found.deals,
    )
