"""Curve of the rating of a bot."""

from __future__ import annotations

from collections import defaultdict
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

from sqlalchemy import bindparam, select

from ladder.results.standing import MAX_POINTS, step_of
from ladder.store.core_tables import MATCH, POINT, RATING, SEAT, VARIANT, VERSION, connection_of
from ladder.store.queries.variant_field import field_of
from ladder.values.names import label
from ladder.values.standings import RatingCurve

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.orm import Session

    from ladder.store import models


TOP_POINTS = 40
"""Points of each curve where several are drawn, besides the last one."""


class Played(NamedTuple):
    """A version that has played in a variant."""

    id: int
    number: int
    matches: int


class Point(NamedTuple):
    """A rating after a match."""

    match: int
    finished: float
    ordinal: int
    version: int
    """Its id."""
    matches: int
    """Of the version, with this one."""
    rating: float
    """Not shifted."""


PLAYED = (
    select(RATING.c.variant, VARIANT.c.shift, VERSION.c.id, VERSION.c.number, RATING.c.matches)
    .select_from(
        VERSION.join(RATING, RATING.c.version_id == VERSION.c.id).join(VARIANT, VARIANT.c.name == RATING.c.variant)
    )
    .where(VERSION.c.bot_id == bindparam("bot_"), RATING.c.matches > 0)
)
POINTS = select(
    POINT.c.match_id, POINT.c.finished, POINT.c.ordinal, POINT.c.version_id, POINT.c.matches, POINT.c.rating
).where(
    POINT.c.variant == bindparam("variant_"),
    POINT.c.version_id.in_(bindparam("versions_", expanding=True)),
    (POINT.c.matches - 1) % bindparam("step_") == 0,
)
LAST = (
    select(
        SEAT.c.match_id, MATCH.c.finished, MATCH.c.ordinal, SEAT.c.version_id, SEAT.c.matches_before + 1,
        SEAT.c.rating_after,
    )
    .distinct()
    .join_from(SEAT, MATCH, MATCH.c.id == SEAT.c.match_id)
    .join(VARIANT, VARIANT.c.name == MATCH.c.variant)
    .where(
        SEAT.c.version_id == bindparam("version_"),
        SEAT.c.matches_before == bindparam("before_"),
        MATCH.c.variant == bindparam("variant_"),
        MATCH.c.ordinal + 0 > VARIANT.c.season_start,
    )
)  # fmt: skip
"""
The last match of one version, which may have two seats there; for pairs of values SQLite would use no index.

It would look through all matches of a season in the order of `ordinal`, if it could: the sum does not let it.
"""


def rating_curve(
    session: Session, bot: models.StoredBot, variant: models.Variant, max_points: int = MAX_POINTS
) -> RatingCurve:
    """
    Read the ratings of all versions of a bot after their matches in a variant.

    Args:
        session: A transaction.
        bot: The bot.
        variant: The variant.
        max_points: The most points, besides the last one of each version.
    """
    found = rating_curves(session, bot.id, bot.name, max_points)
    return found.get(variant.name) or RatingCurve(bot=bot.name, variant=variant.name, points=())


def rating_curves(session: Session, bot: int, name: str, max_points: int = MAX_POINTS) -> dict[str, RatingCurve]:
    """
    Do the same for each variant in which the bot has played.

    Args:
        session: A transaction.
        bot: The bot's id.
        name: Its name.
        max_points: See `rating_curve`.
    """
    played: defaultdict[tuple[str, float], list[Played]] = defaultdict(list)
    for variant, shift, *version in connection_of(session).execute(PLAYED, {"bot_": bot}):
        played[variant, shift].append(Played(*version))
    return {
        variant: _curve(
            name, variant, shift, versions, _points(session, variant, versions, _step(versions, max_points))
        )
        for (variant, shift), versions in played.items()
    }


def top_curves(session: Session, variant: str, first: int) -> tuple[RatingCurve, ...]:
    """
    Read the ratings of the best active versions in a variant, the best first; those without a match are left out.

    Args:
        session: A transaction.
        variant: The variant's name.
        first: Number of versions, from 1.
    """
    field = field_of(session, variant)
    best = [(entry, Played(entry.version, entry.number, entry.matches)) for entry in field.best(first) if entry.matches]
    by_step: defaultdict[int, list[Played]] = defaultdict(list)
    for _, played in best:
        by_step[_step([played], TOP_POINTS)].append(played)
    points: defaultdict[int, list[Point]] = defaultdict(list)
    for step, versions in by_step.items():
        for point in _points(session, variant, versions, step):
            points[point.version].append(point)
    return tuple(
        _curve(label(entry.bot, entry.number), variant, field.shift, [played], points[played.id])
        for entry, played in best
    )


def _step(versions: Sequence[Played], max_points: int) -> int:
    return step_of([version.matches for version in versions], max_points)


def _points(session: Session, variant: str, versions: Sequence[Played], step: int) -> list[Point]:
    """Read each point that *step* leaves, and the last one of each version, in the order of the matches."""
    connection = connection_of(session)
    wanted = {"variant_": variant, "versions_": [version.id for version in versions], "step_": step}
    found = connection.execute(POINTS, wanted).all()
    for version in versions:
        if (version.matches - 1) % step:
            last = {"variant_": variant, "version_": version.id, "before_": version.matches - 1}
            found = [*found, *connection.execute(LAST, last)]
    return sorted(map(Point._make, found), key=attrgetter("ordinal"))


def _curve(bot: str, variant: str, shift: float, versions: Sequence[Played], points: Sequence[Point]) -> RatingCurve:
    numbers = {version.id: version.number for version in versions}
    return RatingCurve.model_validate({
        "bot": bot,
        "variant": variant,
        "points": [
            {"match": match, "finished": finished, "version": numbers[version], "matches": matches,
             "elo": rating + shift}
            for match, finished, _, version, matches, rating in points
        ],
    })  # fmt: skip
