"""Knowledge of the bots of a variant when matches are chosen: the last estimate, and the results since."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import func, select

from ladder.pairing.information import Information
from ladder.ratings.batch import pair_weight
from ladder.store import models
from ladder.store.last_estimate import MAX_KEPT, estimate_of, last_ordinal

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from ladder.ratings.batch import Estimate
    from ladder.store.commands.entrants import VariantEntrants

    Tables = tuple[tuple[int, tuple[int, ...]], ...]
    """Matches in the order of their numbers: each number, and the versions by number of the bot."""

MAX_SINCE = 1000
"""Results that the last estimate does not know, the newest ones, that are counted; a runner has a few of them."""
STEP = 250
"""If there are more, that many are dropped at once, so that what is counted changes once in that many matches."""


@dataclass
class _Kept:
    """Information of an estimate on those who may play (0.1 s to find out for 1,000 bots), and of the matches since."""

    estimate: Estimate | None
    versions: tuple[int, ...]
    alone: Information
    """By the estimate alone."""
    assumed: tuple[int, int] = (0, 0)
    """Boards of a match, and the boundary, with which matches were counted."""
    tables: Tables = ()
    """The matches that were counted."""
    with_them: Information | None = None
    """By the estimate and these matches."""

    def count(self, tables: Tables, boards: int, boundary: int) -> Information:
        """
        Give what is known with these matches.

        Where they begin as those before did, only what has come since is counted. That gives the same to the last bit.
        """
        known = self.with_them
        if known is None or self.assumed != (boards, boundary) or tables[: len(self.tables)] != self.tables:
            self.alone.near(boundary)
            known, self.tables = self.alone.copy(), ()
        for _, table in tables[len(self.tables) :]:
            known.expect(tuple(dict.fromkeys(table)), boards)
        self.assumed, self.tables, self.with_them = (boards, boundary), tables, known
        return known


_KEPT: dict[tuple[str, str], _Kept] = {}
"""By database and variant. It follows from what the database holds."""


def knowledge_of(session: Session, variant: str, field: VariantEntrants, boards: int, boundary: int = 0) -> Information:
    """
    Give what is known of those who may play, for the caller to change.

    Results and matches to be played count in the order of their numbers, so that one that ends changes nothing.

    Args:
        session: A transaction.
        variant: Which variant.
        field: Those who may play there, and the tables that are still to be played.
        boards: Boards that these are taken to have, and the matches that the last estimate does not know.
        boundary: The rank for which nearness to it is kept, as long as the estimate is; 0: for none.
    """
    tables = tuple(sorted({**_since(session, variant), **field.pending}.items()))
    return _kept(session, variant, field).count(tables, boards, boundary).copy()


def _kept(session: Session, variant: str, field: VariantEntrants) -> _Kept:
    place = str(session.get_bind().engine.url), variant
    estimate, versions = estimate_of(session, variant), tuple(one.version for one in field.entrants)
    kept = _KEPT.get(place)
    if kept is None or kept.estimate is not estimate or kept.versions != versions:
        if len(_KEPT) >= MAX_KEPT:
            _KEPT.clear()
        alone = Information.of(estimate, versions, pair_weight(field.sides))
        kept = _KEPT[place] = _Kept(estimate, versions, alone)
    return kept


def _since(session: Session, variant: str) -> dict[int, tuple[int, ...]]:
    """Read the tables of the results that the last estimate does not know, by match: versions by number of the bot."""
    match, seat = models.StoredMatch, models.StoredSeat
    known = last_ordinal(session, variant)
    newest = session.scalar(select(func.max(match.ordinal)).where(match.variant == variant)) or 0
    too_many = max(0, newest - known - MAX_SINCE)
    known += -(-too_many // STEP) * STEP
    rows = session.execute(
        select(seat.match_id, seat.seat, seat.version_id)
        .join(match, match.id == seat.match_id)
        .where(match.variant == variant, match.ordinal > known)
    )
    tables: dict[int, list[int]] = {}
    # Sorted here: for an order by seats SQLite would go through the seats of all matches ever played.
    for number, _, version in sorted(map(tuple, rows)):
        tables.setdefault(number, []).append(version)
    return {number: tuple(table) for number, table in tables.items()}
