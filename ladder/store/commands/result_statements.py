"""
The statements that write a result, made once.

They are Core statements, which take parameters by the dozen: the ORM would spend longer than the database. Parameters
that name a row end in an underscore.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from sqlalchemy import String, and_, bindparam, case, delete, func, insert, select, update
from sqlalchemy.dialects import postgresql, sqlite

from ladder.store.models import NEWEST_LETTERS, Status
from ladder.store.tables import BOT, FAULT, MATCH, PAIR, POINT, RATING, SEAT, THINKING, VERSION

if TYPE_CHECKING:
    from sqlalchemy import Select, Table, Update
    from sqlalchemy.sql.dml import Insert, ReturningUpdate


PAIR_SUMS = ("score", "n", "a_then_b", "b_then_a", "boards_played", "board_score", "points", "squares")


def _end_match() -> ReturningUpdate[Any]:
    earlier = MATCH.alias()
    ordinal = select(func.coalesce(func.max(earlier.c.ordinal), 0) + 1).scalar_subquery()
    is_ours = (
        MATCH.c.id == bindparam("match_"),
        MATCH.c.attempt == bindparam("attempt_"),
        MATCH.c.status == Status.LEASED,
    )
    of_ladder = MATCH.c.event_id.is_(None)
    ended: dict[str, Any] = {"finished": bindparam("now_"), "deals": bindparam("deals_"), "record_kept": True}
    ended |= {
        "ordinal": case((of_ladder, ordinal)),
        "rated_by": case((of_ladder, bindparam("rated_by_", type_=String))),
    }
    took: dict[str, Any] = {"starting_seconds": bindparam("starting_"), "playing_seconds": bindparam("playing_")}
    took |= {"worker": bindparam("worker_", type_=String)}
    free = {"status": Status.DONE, "holder": None, "lease_until": None}
    return (
        update(MATCH)
        .where(*is_ours)
        .values(**ended, **took, **free)
        .returning(
            MATCH.c.variant, MATCH.c.commitment, MATCH.c.ordinal, MATCH.c.started, MATCH.c.boards, MATCH.c.event_id
        )
    )


def _players() -> Select[Any]:
    entered = and_(RATING.c.version_id == SEAT.c.version_id, RATING.c.variant == bindparam("variant_"))
    thought = and_(THINKING.c.version_id == SEAT.c.version_id, THINKING.c.variant == bindparam("variant_"))
    return (
        select(RATING, THINKING.c.histogram, BOT.c.name.label("bot"))
        .select_from(
            SEAT.join(RATING, entered)
            .join(VERSION, VERSION.c.id == SEAT.c.version_id)
            .join(BOT, BOT.c.id == VERSION.c.bot_id)
            .outerjoin(THINKING, thought)
        )
        .where(SEAT.c.match_id == bindparam("match_"))
        .order_by(SEAT.c.seat)
    )


END_MATCH = _end_match()
"""The fence: ends the match, if it is leased to this attempt, and gives what is known of it; else nothing."""
PLAYERS = _players()
"""For each seat of a match its row of ratings, with its think times and the name of its bot."""
SET_SEAT: Update = update(SEAT).where(SEAT.c.match_id == bindparam("match_"), SEAT.c.seat == bindparam("seat_"))
"""Sets the columns of a seat that it is given."""
SET_RATING: Update = update(RATING).where(
    RATING.c.variant == bindparam("variant_"), RATING.c.version_id == bindparam("version_")
)
"""Sets the columns of a rating that it is given."""
ADD_FAULT = insert(FAULT)
ADD_POINT = insert(POINT)
THIN_POINTS = delete(POINT).where(
    POINT.c.variant == bindparam("variant_"),
    POINT.c.version_id == bindparam("version_"),
    (POINT.c.matches - 1) % bindparam("step_") != 0,
)
"""Leaves of the points of a rating those that are shown with a larger step."""


@cache
def add_pair_result(dialect: str) -> Insert:
    """Make the statement that adds to what two versions have scored against each other, from their first match on."""
    new = _insert(dialect, PAIR)
    changed: dict[str, Any] = {name: PAIR.c[name] + new.excluded[name] for name in PAIR_SUMS}
    changed["newest"] = func.substr(new.excluded.newest + PAIR.c.newest, 1, NEWEST_LETTERS)
    statement: Insert = new.on_conflict_do_update(index_elements=["variant", "a", "b", "boards"], set_=changed)
    return statement


@cache
def put_think_times(dialect: str) -> Insert:
    """Make the statement that puts a histogram in the place of the one before, if there is one."""
    new = _insert(dialect, THINKING)
    key = ["variant", "version_id"]
    statement: Insert = new.on_conflict_do_update(index_elements=key, set_={"histogram": new.excluded.histogram})
    return statement


def _insert(dialect: str, table: Table) -> Any:
    """Make the insert of a dialect that can say what to do where the row is there already."""
    return (postgresql if dialect == "postgresql" else sqlite).insert(table)
