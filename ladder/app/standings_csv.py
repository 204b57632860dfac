"""Standings as CSV: what `pigpen standings --csv` prints and what the site offers."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

from ladder.values.text import csv_cell, write_utf8

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import TextIO

    from ladder.values.standings import Standings

ORDINALS = ("1st", "2nd", "3rd", "4th", "5th", "6th", "7th", "8th")
"""A place at every table that rules can have."""
FIELDS = (
    "rank", "bot", "version", "owner", "state", "elo", "error", "provisional", "rank_low", "rank_high",
    "margin", "margin_error", "margin_rank", "margin_rank_low", "margin_rank_high", "outplaced_by", "matches", "deals",
    "points_per_deal", *ORDINALS, "decisions", "faults", "fault_rate", "takeovers", "change", "since",
    "reason",
)  # fmt: skip
"""The columns, behind that of the variant."""


def write_csv(all_found: Iterable[Standings], file: TextIO) -> None:
    """
    Write every variant's rows under one heading; what is not known is left empty.

    Args:
        all_found: The variants.
        file: Open for writing; it gets UTF-8 in any locale, with a line feed at the end of each line.
    """
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, ("variant", *FIELDS), lineterminator="\n", extrasaction="ignore")
    writer.writeheader()
    for found in all_found:
        for one in found.standings:
            shares = dict(zip(ORDINALS, one.shares, strict=False))
            row = {"variant": found.variant} | one.model_dump(mode="json") | shares
            writer.writerow({name: csv_cell(value) for name, value in row.items()})
    write_utf8(text.getvalue(), file)
