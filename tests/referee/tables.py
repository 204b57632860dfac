"""Matches at tables whose seats are there already."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from referee.match.match import Match

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Sequence

    from referee.match.formats import MatchSpec
    from referee.match.observer import Observer
    from referee.records.lines import AnyLine, DealLine, ResultLine
    from referee.seats.seat import Seat


async def play_match(
    spec: MatchSpec,
    seats: Sequence[Seat],
    write: Callable[[AnyLine], None],
    observer: Observer | None = None,
    now: Callable[[], float] = lambda: 0.0,
) -> ResultLine:
    """Play a match of one table with these seats."""
    return await play_tables(spec, [seats], write, now=now, observer=observer)


async def play_tables(
    spec: MatchSpec,
    tables: Sequence[Sequence[Seat]],
    write: Callable[[AnyLine], None],
    concurrency: int = 1,
    recorded: Sequence[DealLine] | None = None,
    now: Callable[[], float] = lambda: 0.0,
    observer: Observer | None = None,
    runtime: str | None = None,
) -> ResultLine:
    """
    Play a match, or what is not *recorded* of it, with these seats at each of its tables.

    The clock stands still unless a test brings one: no slow machine makes a fault.
    """

    @contextlib.asynccontextmanager
    async def open_table(number: int) -> AsyncIterator[Sequence[Seat]]:
        yield tables[spec.format.table_numbers(spec.rules).index(number)]

    match = Match(spec, open_table, write, recorded, now=now, observer=observer, runtime=runtime)
    return await match.play(concurrency)
