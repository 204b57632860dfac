"""The fits of a variant, of places and of points, kept up to date beside the ratings: ±, rank intervals, margins."""

from __future__ import annotations

from dataclasses import astuple, dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from sqlalchemy import bindparam, func, or_, select, update

from ladder.ratings.batch import Estimate, fit, pair_weight
from ladder.ratings.circles import find_circles
from ladder.ratings.elo import STANDARD_BOARDS
from ladder.ratings.points import PairSums, fit_points
from ladder.results.standing import RATED_BY, RatedBy
from ladder.results.summary import teams_of
from ladder.store import models
from ladder.store.last_estimate import estimate_of, margins_of
from ladder.store.models import Rating, State
from referee.records.rules_file import rules_from

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from sqlalchemy.orm import Session

    from ladder.ratings.batch import FloatArray
    from ladder.store.database import Database

    Sums = dict[str, FloatArray]

MARGIN = ("margin", "margin_error", "margin_rank_low", "margin_rank_high")
COLUMNS = ("error", "rank_low", "rank_high", *MARGIN, "outplaced_by")
"""Results of the fits for a bot, as columns of its rating."""
KEPT = ("error", "margin", "margin_error")
"""Those that do not change without a match."""
AT_ONCE = 128
"""Versions that are compared with all others at a time: 10 MB for 10,000."""


def active_versions(session: Session, variant: str) -> list[int]:
    """List the versions that play in a variant."""
    found = select(Rating.version_id).where(Rating.variant == variant, Rating.state == State.ACTIVE)
    return list(session.scalars(found.order_by(Rating.version_id)))


def intervals(estimate: Estimate, margins: Estimate | None, versions: Sequence[int]) -> list[dict[str, Any]]:
    """
    Compute for each of these versions its ± and its ranks, among them.

    Args:
        estimate: By places.
        margins: By points; None: there is none yet.
        versions: Those that play; both know them.
    """
    among, points = estimate.among(versions), margins and margins.among(versions)
    starts = range(0, len(versions), AT_ONCE)
    return [row for start in starts for row in _rows(among, points, versions[start : start + AT_ONCE])]


def _rows(among: Estimate, points: Estimate | None, versions: Sequence[int]) -> Iterator[dict[str, Any]]:
    """Compute those of some versions: to compare one after the other with all would take several times as long."""
    from ladder.ratings.batch import ranks_by  # numpy takes long to load, and an estimate has loaded it
    from ladder.ratings.points import outplaced_by

    by_points = None if points is None else points.leads_of(versions)
    for number, (version, leads) in enumerate(zip(versions, among.leads_of(versions), strict=True)):
        low, high = ranks_by(leads)
        row = {"version_": version, "error": among.error(version), "rank_low": low, "rank_high": high}
        if points is None or by_points is None:
            yield {**row, **dict.fromkeys(MARGIN), "outplaced_by": None}
            continue
        margin = (points.value(version), points.error(version), *ranks_by(by_points[number]))
        better = outplaced_by(among, leads, by_points[number])
        yield {**row, **dict(zip(MARGIN, margin, strict=True)), "outplaced_by": better}


def write_intervals(session: Session, variant: str, rows: list[dict[str, Any]], keep_errors: bool = False) -> None:
    """
    Write them into the standings.

    Args:
        session: A transaction that writes.
        variant: Where.
        rows: What `intervals` gives.
        keep_errors: A bot that has a ± keeps it, and its margin.
    """
    rating: Any = Rating.__table__
    new: dict[str, Any] = {name: bindparam(name) for name in COLUMNS}
    if keep_errors:
        new |= {name: func.coalesce(rating.c[name], new[name]) for name in KEPT}
    if rows:
        session.connection().execute(
            update(Rating).where(rating.c.variant == variant, rating.c.version_id == bindparam("version_")).values(new),
            rows,
        )


def follow_states(session: Session, variant: str) -> None:
    """
    Rank those that play among themselves, after a bot has left or come back; no ± changes without a match.

    A bot that the last estimate lacks has no interval before the next one.
    """
    session.flush()
    rating: Any = Rating.__table__
    left = rating.c.variant == variant, rating.c.state != State.ACTIVE, rating.c.rank_low.is_not(None)
    gone = [name for name in COLUMNS if name not in KEPT]
    session.connection().execute(update(rating).where(*left).values(dict.fromkeys(gone)))
    estimate, margins = estimate_of(session, variant), margins_of(session, variant)
    if estimate is not None:
        known = {int(version) for version in estimate.versions}
        playing = [version for version in active_versions(session, variant) if version in known]
        write_intervals(session, variant, intervals(estimate, margins, playing), keep_errors=True)


PAIR_COLUMNS = ("a", "b", "boards", "score", "n", "boards_played", "board_score", "ties", "points", "squares")
ROWS = 50_000
"""Rows of pairs that are read at a time."""
SHARE = 0.02
"""The most of a runner's time that estimates may take."""
MAX_VERSIONS = 2000
"""
Versions in an estimate. All that play are in it, whatever their number; of the retired ones, the newest up to this.

A fit takes the cube of that number and its covariance the square; in years of new versions both would grow without end.
"""


LAST = select(func.max(models.StoredMatch.ordinal)).where(models.StoredMatch.variant == models.Variant.name)
NEWEST = select(models.Variant.name, LAST.scalar_subquery().label("last")).order_by(models.Variant.name)
KNOWN = select(models.StoredEstimate.variant, models.StoredEstimate.ordinal)
LACKING = (
    select(models.Rating.variant)
    .where(models.Rating.state == State.ACTIVE, or_(models.Rating.error.is_(None), models.Rating.rank_low.is_(None)))
    .distinct()
)
"""Query that `stale` makes at every step of a runner; to put a query together takes longer than to run it."""


@dataclass
class RefreshRate:
    """Time of the next estimate: after each one the runner does other things for 49 times as long."""

    due: float = 0.0
    """Seconds by the runner's clock."""

    def is_due(self, now: float) -> bool:
        """Tell whether an estimate may be made."""
        return now >= self.due

    def took(self, began: float, ended: float) -> None:
        """Count one that was made."""
        self.due = ended + (ended - began) * (1 - SHARE) / SHARE


def stale(session: Session, variants: Collection[str] | None = None) -> list[str]:
    """
    List the variants whose estimate does not know the newest result, or lacks a bot that plays; the oldest one first.

    Args:
        session: A transaction.
        variants: Only these; None: all.
    """
    newest: dict[str, int] = {
        row.name: row.last or 0 for row in session.execute(NEWEST) if variants is None or row.name in variants
    }
    known: dict[str, int] = {row.variant: row.ordinal for row in session.execute(KNOWN)}
    lacking = set(session.scalars(LACKING))
    found = [name for name in newest if known.get(name, 0) < newest[name] or name in lacking]
    return sorted(found, key=lambda name: known.get(name, 0))


def refresh(database: Database, variant: str, max_versions: int = MAX_VERSIONS) -> Estimate | None:
    """
    Make the estimate of a variant anew, without blocking other writers.

    If no match has come since the last one, the bots that have played keep their ± and margins: only who is new gets
    them.

    Args:
        database: The ladder.
        variant: Which one.
        max_versions: How many versions it has at most; the oldest retired ones are left out.

    Returns:
        The estimate of all that have been entered there; None if there are none.
    """
    with database.read() as session:
        ordinal = (
            session.scalar(select(func.max(models.StoredMatch.ordinal)).where(models.StoredMatch.variant == variant))
            or 0
        )
        season = _season(session, variant)
        fits = _fitted(session, variant, _versions(session, variant, max_versions))
        active = active_versions(session, variant)
    if fits is None:
        return None
    estimate, rows = fits.estimate, intervals(fits.estimate, fits.margins, active)
    stored = {"fit": estimate.to_bytes(), "margins": fits.margins and fits.margins.to_bytes(), "circles": fits.circles}
    with database.write() as session:
        known = session.get(models.StoredEstimate, variant)
        if known is not None and known.ordinal > ordinal:  # another coordinator was quicker, and knows more
            return estimate
        if _season(session, variant) != season:  # a new one has begun, and knows nothing of these results
            return estimate
        keeping = _played(session, variant) if known is not None and known.ordinal == ordinal else set()
        session.merge(models.StoredEstimate(variant=variant, ordinal=ordinal, **stored))
        write_intervals(session, variant, [row for row in rows if row["version_"] in keeping], keep_errors=True)
        write_intervals(session, variant, [row for row in rows if row["version_"] not in keeping])
        if active_versions(session, variant) != active:  # a bot has left meanwhile, or come back
            follow_states(session, variant)
    return estimate


def _played(session: Session, variant: str) -> set[int]:
    return set(session.scalars(select(Rating.version_id).where(Rating.variant == variant, Rating.matches > 0)))


def _season(session: Session, variant: str) -> int | None:
    return session.scalar(select(models.Variant.season).where(models.Variant.name == variant))


def _versions(session: Session, variant: str, max_versions: int) -> list[int]:
    """List who is in the estimate: all that play or are suspended, and the newest of the others."""
    rating = models.Rating
    entered = select(rating.version_id).where(rating.variant == variant).order_by(rating.version_id.desc())
    playing = list(session.scalars(entered.where(rating.state != State.RETIRED)))
    room = max(0, max_versions - len(playing))
    return sorted([*playing, *session.scalars(entered.where(rating.state == State.RETIRED).limit(room))])


class Fits(NamedTuple):
    """Results of the fits of a variant."""

    estimate: Estimate
    """By places."""
    margins: Estimate | None
    """By points; None while there are too few boards."""
    circles: list[list[list[int]]]
    """`models.StoredEstimate.circles`: of all versions of the season, so that they depend on matches alone."""


def _fitted(session: Session, variant: str, versions: Sequence[int]) -> Fits | None:
    """Fit these versions; None if there are none."""
    if not versions:
        return None
    sides = len(teams_of(rules_from(session.get_one(models.Variant, variant).rules)))
    sums = _pair_sums(session, variant)
    known = np.isin(sums["a"], versions) & np.isin(sums["b"], versions)
    kept = {name: values[known] for name, values in sums.items()}
    a, b = kept["a"].astype(np.int64), kept["b"].astype(np.int64)
    margins = fit_points(versions, PairSums(a, b, kept["boards_played"], kept["points"], kept["squares"]), sides)
    score, results, ties = _results(kept)
    steepness = np.sqrt(kept["boards"] * kept["n"] / results / STANDARD_BOARDS)
    estimate = fit(versions, a, b, score, results, pair_weight(sides), steepness, ties=ties)
    return Fits(estimate, margins, _circles(sums, estimate))


TRIFLE = 1e-3
"""Elo, and points a deal, by which two fits of the same results may differ: machines round differently."""
NOT_FROM_RESULTS = "The {what} of {variant} are not those that its results give; the next match makes them anew."


def estimate_findings(database: Database) -> Iterator[str]:
    """Fit again each variant whose estimate knows its newest result; a sentence for each that finds something else."""
    with database.read() as session:
        newest = {row.name: row.last or 0 for row in session.execute(NEWEST)}
        for stored in session.scalars(select(models.StoredEstimate).order_by(models.StoredEstimate.variant)).all():
            kept = Estimate.from_bytes(stored.fit)
            margins = None if stored.margins is None else Estimate.from_bytes(stored.margins, 0.0)
            again = _fitted(session, stored.variant, kept.versions.tolist())
            if again is None or stored.ordinal < newest[stored.variant]:
                continue
            same = {"ratings": _is_same(kept, again.estimate), "margins": _is_same(margins, again.margins),
                    "circles": stored.circles == again.circles}  # fmt: skip
            for what in (name for name, is_same in same.items() if not is_same):
                yield NOT_FROM_RESULTS.format(what=what, variant=stored.variant)


def _is_same(one: Estimate | None, other: Estimate | None) -> bool:
    if one is None or other is None:
        return one is other
    errors, others = (np.sqrt(np.maximum(each.covariance.diagonal(), 0.0)) for each in (one, other))
    return np.allclose(one.ratings, other.ratings, 1e-6, TRIFLE) and np.allclose(errors, others, 1e-3, TRIFLE)


def _circles(sums: Sums, estimate: Estimate) -> list[list[list[int]]]:
    """Find the bots that surely beat each other in a circle, by the boards of all pairs."""
    a, b = sums["a"].astype(np.int64), sums["b"].astype(np.int64)
    found = find_circles(a, b, sums["boards_played"], sums["board_score"], sums["ties"], estimate)
    return [[list(astuple(step)) for step in circle] for circle in found]


def _results(sums: Sums) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Give for each pair the score of the one, of how many results, and the ties: of boards if known, else matches."""
    by_boards = (sums["boards_played"] > 0) & (RATED_BY == RatedBy.BOARDS)
    score = np.where(by_boards, sums["board_score"], sums["score"])
    return score, np.where(by_boards, sums["boards_played"], sums["n"]), np.where(by_boards, sums["ties"], 0.0)


def _pair_sums(session: Session, variant: str) -> Sums:
    """Give the columns `PAIR_COLUMNS` of all pairs in matches of one length."""
    pair = models.PairStats
    met = session.connection().execute(
        select(*(getattr(pair, name) for name in PAIR_COLUMNS)).where(pair.variant == variant)
    )
    # Straight from the driver's cursor: half a million rows of SQLAlchemy's would take longer than the fit. Some at a
    # time: a row of Python's numbers takes five times the memory of one of an array.
    assert met.cursor is not None
    parts = [np.zeros((0, len(PAIR_COLUMNS)))]
    while rows := met.cursor.fetchmany(ROWS):
        numbers = np.fromiter(chain.from_iterable(rows), np.float64, len(rows) * len(PAIR_COLUMNS))
        parts.append(numbers.reshape(len(rows), -1))
    met.close()
    return dict(zip(PAIR_COLUMNS, np.concatenate(parts).T, strict=True))
