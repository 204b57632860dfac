"""The seed of a day's board: the same cards for all people, secret until the day is over, then checked by anyone."""

from __future__ import annotations

import datetime
import hmac
from typing import TYPE_CHECKING

from ladder.app.kept_secret import kept_secret

if TYPE_CHECKING:
    from pathlib import Path

FORMAT = "board:0:0"
"""One board; entry 0 sits in seat 0."""
OPPONENT = "counting"
"""The house bot in all other chairs."""
HOUSE = ("cautious", "counting", "exact", "random", "sampling", "tree")
"""The house bots that play it from the person's chair, too."""
FOLDER, FILE = "tables", "today.secret"
"""Folder and file, in the folder of a ladder, of the secret of the days; only its user may read it."""


def day_of(now: datetime.datetime) -> datetime.date:
    """Give the day that it is, UTC."""
    return now.astimezone(datetime.UTC).date()


def day_secret(data_dir: Path) -> bytes:
    """
    Read the secret; the first time it is made. All processes of a ladder have the same.

    Raises:
        LadderError: If the file cannot be read, or holds something else.
        UserError: If it cannot be made.
    """
    return kept_secret(data_dir / FOLDER / FILE, "The secret of the days' boards")


def seed_of_day(secret: bytes, day: datetime.date, variant: str) -> bytes:
    """
    Derive the seed of a day's board.

    >>> seed_of_day(bytes(32), datetime.date(2026, 11, 23), "hearts").hex()[:16]
    '45a0a694a3628548'

    Args:
        secret: Of the ladder; it determines the cards of all days.
        day: The day.
        variant: The name of the variant.
    """
    return hmac.digest(secret, f"pigpen/1/today/{day.isoformat()}/{variant}".encode(), "sha256")


def is_revealed(day: datetime.date, now: datetime.datetime) -> bool:
    """Tell whether a day's board may be shown to those, too, who have not played it: when the day is over."""
    return day_of(now) > day
