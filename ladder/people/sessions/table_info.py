"""Facts about a table and about a person's seat at it, as the person's browser is shown them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from ladder.sandbox.bots.bot_source import seat_names
from ladder.values.people import TablePurpose, TableStatus

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ladder.values.people import SeatPlace, TableState


Kind = Literal["person", "house", "bot"]
ShownStatus = Literal["waiting", "starting", "playing", "resuming", "over", "ended"]


@dataclass
class TableInfo:
    """Facts about a table that browsers are shown besides the game."""

    kinds: Mapping[str, Kind]
    """The kind of player behind each name."""
    status: ShownStatus = "starting"
    reason: str = ""
    practice: bool = False
    assisted: bool = False
    place: int | None = None
    """The person's, once that is known."""
    totals: tuple[int, ...] = ()
    """The totals of all seats then."""
    verify: str = ""
    compare: str = ""


@dataclass(frozen=True)
class FoundSeat:
    """Facts about a table that a seat session needs."""

    state: TableState
    place: SeatPlace


def info_of(found: FoundSeat) -> TableInfo:
    """Give what browsers are shown of a table besides the game."""
    state = found.state
    is_over = state.status is TableStatus.OVER
    mine = None if state.mine is None else state.chairs[state.mine]
    return TableInfo(
        kinds=kinds_of(state),
        status=_status(found),
        reason=state.reason if state.status is TableStatus.ENDED else "",
        practice=state.practice,
        assisted=state.assisted,
        place=mine.place if mine else None,
        totals=tuple(chair.points or 0 for chair in state.chairs) if is_over else (),
        verify=f"/play/{state.name}/replay" if is_over else "",
        compare=f"/play/{state.name}/compare" if is_over and state.purpose is not TablePurpose.FREE else "",
    )


def kinds_of(state: TableState) -> dict[str, Kind]:
    """Give what sits at a table, by the names that those at the table are shown."""
    kinds: list[Kind] = [chair.kind.value for chair in state.chairs]
    return dict(zip(seat_names(chair.name for chair in state.chairs), kinds, strict=True))


def _status(found: FoundSeat) -> ShownStatus:
    match found.state.status:
        case TableStatus.WAITING:
            return "waiting"
        case TableStatus.OVER:
            return "over"
        case TableStatus.ENDED:
            return "ended"
        case TableStatus.READY if found.place.attempt:
            return "resuming"
    return "starting"
