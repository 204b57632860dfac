"""Contents of a match's page: its boards side by side, and why each rating moved."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ladder.app import matches
from ladder.errors import UserError
from ladder.site.rendering.boards import board_rows, decisive, shades

if TYPE_CHECKING:
    from ladder.app.ladder import Ladder
    from ladder.values.matches import MatchPage, MatchScores


def match(ladder: Ladder, number: int) -> dict[str, object]:
    """
    Read all that the page shows; without its record, or before its end, less.

    Raises:
        LadderError: If there is no such match.
    """
    page = matches.match(ladder, number)
    is_done = page.finished is not None and page.ordinal is not None
    scores = _scores(ladder, page)
    rows = board_rows(scores) if scores else []
    return {
        "match": page,
        "scores": scores,
        "boards": rows,
        "shades": shades(rows),
        "decisive": decisive(scores, rows) if scores else None,
        "explanation": matches.explanation(ladder, number) if is_done else None,
    }


def _scores(ladder: Ladder, page: MatchPage) -> MatchScores | None:
    if page.record is None:
        return None
    try:
        return matches.scores(ladder, page.id)
    except UserError:
        return None
