"""A house bot's play of a board, in this process: what people's points are compared with."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from ladder.matches.house import house_bot
from ladder.sandbox.bots.bot_source import seat_names
from pigpen.values.notices import ClockSetting
from referee.match.formats import MatchSpec
from referee.match.match import Match
from referee.seats.seat import InlineSeat

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from pigpen.rules import Rules
    from referee.match.formats import Format
    from referee.records.lines import AnyLine

PATIENT = ClockSetting(bank=3600.0, increment=60.0, limit=60.0, start_up=60.0)
"""No house bot errs because this machine is busy."""


def house_board(rules: Rules, form: Format, seed: bytes, bots: Sequence[str]) -> list[AnyLine]:
    """
    Let house bots play, and give the lines of the record; not from within an event loop.

    Args:
        rules: The variant.
        form: Which deals; a board takes some 30 ms.
        seed: The match seed.
        bots: The house bots, by their numbers.
    """
    lines: list[AnyLine] = []
    spec = MatchSpec(rules, seat_names(bots), form, PATIENT, seed)

    @asynccontextmanager
    async def open_table(table: int) -> AsyncIterator[list[InlineSeat]]:
        yield [InlineSeat(house_bot(name)) for name in bots]

    asyncio.run(Match(spec, open_table, lines.append).play())
    return lines
