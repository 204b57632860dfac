"""House bots at tables with people play in processes with limits: one that fails is no other table's business."""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING

import pytest

from ladder.app.ladder import Ladder
from ladder.people.playing import table_programs, table_run
from ladder.people.playing.table_programs import HouseSeat, HouseSeats
from ladder.people.tables.chairs import table_page
from ladder.people.tables.table_opening import open_table
from ladder.results.files import TableFiles
from ladder.sandbox.bots.bot_source import BotSource, find_bot
from ladder.sandbox.process.forked import ForkServer, ProcessLimits
from ladder.settings.settings import load_settings
from ladder.values.people import ChairKind, ChairOrder, TableOrder, TableStatus, TableVisitor
from referee.records.file import read_record
from referee.records.recorded import Recorded
from referee.seats.clock import Stopwatch
from referee.seats.stream_seat import StreamSeat
from tests.ladder.people.playing.at_tables import ended, in_loop, play_chair, tables_process
from tests.ladder.people.seat.listeners import BotListener
from tests.waiting import PATIENCE, comes

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from ladder.values.people import OpenedTable
    from pigpen.rules import Action
    from pigpen.values.view import View

EATS = """
    hoard = []
    while True:
        hoard.append(bytearray(1 << 22))
"""
HANGS = """
    while True:
        pass
"""
BAD = """
import os
import pathlib
import pigpen

pathlib.Path(__file__).with_name("pid").write_text(str(os.getpid()))

def think():{body}

class Bad(pigpen.Bot):
    def pass_cards(self, view):
        think()

    def play(self, view):
        think()

"""


class OneSecond(StreamSeat):
    """Waits a second for each answer, whatever it is told."""

    async def ask(self, view: View, watch: Stopwatch) -> Action:
        return await super().ask(view, Stopwatch(1.0))


class HurriedSeat(HouseSeat, OneSecond):
    """The seat of a house bot with little patience."""


@pytest.fixture
def ladder(tmp_path: Path) -> Iterator[Ladder]:
    with Ladder.open(load_settings(data_dir=tmp_path / "data"), create=True) as ladder:
        yield ladder


def opened(ladder: Ladder, bots: Sequence[str], guest: str) -> OpenedTable:
    chairs = (ChairOrder(), *(ChairOrder(kind=ChairKind.HOUSE, name=name) for name in bots))
    order = TableOrder(variant="hearts-short", format="deals:1", chairs=chairs)
    return open_table(ladder, order, TableVisitor(guest=guest, shown="Ada"))


def how(ladder: Ladder, table: OpenedTable, seat: int) -> set[str]:
    """Collect the deciders of a chair's actions at a table."""
    record = TableFiles(ladder.settings.data_dir).record(table_page(ladder, table.name).id)
    (line,) = Recorded.of(read_record(record)).deals
    assert line.seats is None or line.seats == (0, 1, 2, 3)
    return {step.by for step in line.steps if step.seat == seat}


@pytest.mark.parametrize(
    ("body", "limits", "kind", "verdict"),
    [
        pytest.param(EATS, ProcessLimits(memory_bytes=160 << 20, niceness=0), HouseSeat, "gone", id="memory"),
        pytest.param(HANGS, ProcessLimits(memory_bytes=512 << 20, niceness=0), HurriedSeat, "timeout", id="time"),
    ],
)
def test_for_a_house_bot_that_runs_out_the_default_is_played_and_other_tables_play_on(
    ladder: Ladder,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    body: str,
    limits: ProcessLimits,
    kind: type[HouseSeat],
    verdict: str,
) -> None:
    folder = tmp_path / "bad"
    folder.mkdir()
    (folder / "bot.py").write_text(BAD.format(body=body))
    bad = BotSource("sampling", folder=folder)

    class Seats(HouseSeats):
        """With a seat of that kind for the bad bot; the others have all the time they need."""

        def __init__(self, bots: Sequence[BotSource], socket: Path, token: str) -> None:
            super().__init__(bots, socket, token)
            kinds = [kind if bot is bad else HouseSeat for bot in bots]
            self.seats = [make(path, token) for make, path in zip(kinds, self._sockets(), strict=True)]

    monkeypatch.setattr(table_run, "find_bot", lambda name: bad if name == "sampling" else find_bot(name))
    monkeypatch.setattr(table_programs, "HOUSE_LIMITS", limits)
    monkeypatch.setattr(table_programs, "HouseSeats", Seats)
    monkeypatch.setattr(table_programs, "HOUSE_SECONDS", PATIENCE)

    async def play() -> None:
        async with tables_process(ladder):
            worse = opened(ladder, ("sampling", "cautious", "cautious"), "192.0.2.7")
            other = opened(ladder, ("cautious", "cautious", "cautious"), "192.0.2.8")
            await asyncio.gather(*(play_chair(ladder, table, 0, BotListener()) for table in (worse, other)))
            for table in (worse, other):
                assert (await ended(ladder, table)).status == TableStatus.OVER
        # A late one is stopped, because it would still work on that decision: so it is gone at the next one.
        assert how(ladder, worse, 1) - {"forced", "takeover"} == {f"default:{verdict}", "default:gone"}
        assert how(ladder, other, 1) <= {"bot", "forced"}
        pid = int((folder / "pid").read_text())
        assert pid != os.getpid()
        assert not os.path.exists(f"/proc/{pid}")  # nothing of it is left

    in_loop(play())


def test_what_forks_house_bots_is_started_with_the_first_table(ladder: Ladder, monkeypatch: pytest.MonkeyPatch) -> None:
    started = list[ForkServer]()
    prepare = ForkServer.prepare

    async def noted(server: ForkServer) -> None:
        started.append(server)
        await prepare(server)

    monkeypatch.setattr(ForkServer, "prepare", noted)
    files = TableFiles(ladder.settings.data_dir)

    async def play() -> None:
        async with tables_process(ladder):
            await comes(lambda: files.is_alive(ladder.clock()))
            assert not started, "an idle ladder has no use for it"
            table = opened(ladder, ("cautious", "cautious", "cautious"), "192.0.2.7")
            await play_chair(ladder, table, 0, BotListener())
            assert started

    in_loop(play())
