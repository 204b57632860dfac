"""Whatever a bot sends, the referee continues, every deal is finished, and no other seat notices."""

from __future__ import annotations

import asyncio
import gc
import logging
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from pigpen.bot import Bot
from pigpen.client import Client
from pigpen.rules import PRESETS, Phase
from pigpen.v1.referee_pb2 import Answer, ExposeAction
from pigpen.v1.view_pb2 import Exposure
from referee.match.formats import Format, MatchSpec
from referee.records.lines import DealLine, ResultLine
from referee.seats.clock import Stopwatch
from referee.seats.deadlines import Deadlines
from referee.seats.seat_server import new_token
from referee.seats.stream_seat import StreamSeat
from referee.seats.verdict import TAKEOVER_AT, Verdict
from tests.referee.attacks import Act, Attacker, attacks
from tests.referee.scripted_seats import ScriptedSeat, honest
from tests.referee.tables import play_match
from tests.referee.worlds import world_of
from tests.waiting import PATIENCE, PATIENT, comes

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pigpen import Card, View, Welcome
    from pigpen.rules import Action, Rules
    from referee.records.lines import AnyLine

HURRY = 0.05
"""Seconds: the limit of a decision, and every other deadline of the attacked seat."""
BAD_FACE = Answer(expose=ExposeAction(cards=[Exposure(card=49, face=9)]))  # type: ignore[arg-type]
BY = {"bot", "forced", "takeover"} | {f"default:{verdict}" for verdict in Verdict}


class First(Bot):
    def play(self, view: View) -> Card:
        return view.legal[0]


class HurriedSeat(StreamSeat):
    """Has little patience with its bot, while the clock of the match gives the others all the time they need."""

    def __init__(self, socket: Path, token: str) -> None:
        super().__init__(socket, token, Deadlines(hello=HURRY, notice=HURRY, reconnect=HURRY, farewell=HURRY))

    async def welcome(self, welcome: Welcome) -> None:
        await super().welcome(replace(welcome, clock=replace(welcome.clock, start_up=4 * HURRY)))

    async def ask(self, view: View, watch: Stopwatch) -> Action:
        return await super().ask(view, Stopwatch(HURRY))


@pytest.fixture(scope="module")
def loop() -> Iterator[asyncio.Runner]:
    """One event loop for all attacks: gRPC may still have a word for the one before. Collecting garbage is quick."""
    gc.collect()
    gc.freeze()
    with asyncio.Runner() as runner:
        yield runner
    gc.unfreeze()


class Complaints(logging.Handler):
    """Everything that gRPC or asyncio would only write to a log."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.texts: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.texts.append(self.format(record))

    def note(self, _: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        self.texts.append(f"{context['message']}: {context.get('exception')!r} in {context.get('future')!r}")


async def attacked_match(
    rules: Rules, acts: Sequence[Act], head_start: int, folder: Path, complaints: Complaints
) -> list[AnyLine]:
    """Seat 0 is attacked, an honest bot sits over its own stream in seat 1."""
    asyncio.get_running_loop().set_exception_handler(complaints.note)
    tokens, sockets = [new_token(), new_token()], [folder / "0.sock", folder / "1.sock"]
    streams: list[StreamSeat] = [HurriedSeat(sockets[0], tokens[0]), StreamSeat(sockets[1], tokens[1])]
    for seat in streams:
        await seat.listen()
    bots = tuple(f"bot{seat}" for seat in range(rules.players))
    spec = MatchSpec(rules, bots, Format(2), PATIENT, bytes(32))
    lines: list[AnyLine] = []
    attacker = Attacker(sockets[0], tokens[0])
    async with asyncio.timeout(PATIENCE):
        bot = asyncio.create_task(Client(First(), "honest", f"unix:{sockets[1]}", tokens[1]).play_match())
        await attacker.attack(acts[:head_start])
        attack = asyncio.create_task(attacker.attack(acts[head_start:]))
        await play_match(spec, [*streams, *(ScriptedSeat(honest) for _ in bots[2:])], lines.append)
        await bot
        attack.cancel()
        await asyncio.wait((attack,))
        await attacker.close()
    await nothing_is_left(folder)
    return lines


async def nothing_is_left(folder: Path) -> None:
    """No task of the referee is left and no socket is there; whatever nobody has looked at complains now."""
    await comes(lambda: not tasks_left(), "the end of all tasks")
    gc.collect()
    assert list(folder.iterdir()) == []


def tasks_left() -> list[str]:
    """List the tasks that still run besides the test and the attacker's own calls."""
    others = asyncio.all_tasks() - {asyncio.current_task()}
    return [repr(task) for task in others if "_AioCall" not in repr(task)]


def check_record(rules: Rules, lines: Sequence[AnyLine]) -> None:
    """Every deal was played to its end by the rules; nothing is held against anyone but seat 0."""
    deals = [line for line in lines if isinstance(line, DealLine)]
    assert len(deals) == 2
    for line in deals:
        world, moon = world_of(rules, line)
        deal = world.deal()
        if deal.phase is Phase.MOON:
            deal.apply(deal.turn, moon)
        assert deal.is_over
        assert deal.scores() == line.scores
        assert {step.by for step in line.steps if step.seat} == {"bot", "forced"}
        assert {step.by for step in line.steps if not step.seat} <= BY
    result = lines[-1]
    assert isinstance(result, ResultLine)
    assert [row.faults for row in result.results[1:]] == [0] * (rules.players - 1)
    assert result.results[0].faults <= TAKEOVER_AT


def attack(loop: asyncio.Runner, name: str, acts: Sequence[Act], head_start: int) -> None:
    complaints = Complaints()
    logging.getLogger().addHandler(complaints)
    try:
        with tempfile.TemporaryDirectory() as folder:
            lines = loop.run(attacked_match(PRESETS[name], acts, head_start, Path(folder), complaints))
    finally:
        logging.getLogger().removeHandler(complaints)
    assert complaints.texts == []
    check_record(PRESETS[name], lines)


@pytest.mark.parametrize("deaf_first", [True, False])
def test_a_bot_that_does_not_read_holds_nobody_up(loop: asyncio.Runner, deaf_first: bool) -> None:
    """Neither one that comes before it is waited for, nor one that has played for a while."""
    acts = [Act("enter_deaf"), Act("rest"), Act("rest")] if deaf_first else [Act("enter"), Act("play_along", times=3)]
    attack(
        loop, "hearts", [*acts, Act("say_answer", times=200), Act("enter_deaf"), Act("rest")], 3 if deaf_first else 0
    )


@settings(deadline=None, max_examples=10, derandomize=True, suppress_health_check=list(HealthCheck))
@example(name="hearts", acts=[Act("enter"), *[Act("reply", answer=Answer(moon=99))] * 3], head_start=0)  # type: ignore[arg-type]
@example(name="gongzhu-sale", acts=[Act("enter"), *[Act("reply", answer=BAD_FACE)] * 3], head_start=0)
@example(name="hearts", acts=[Act("enter"), *[Act("reply", data=b"\xff")] * 3], head_start=0)
@given(name=st.sampled_from(["hearts", "gongzhu-sale"]), acts=attacks, head_start=st.integers(0, 4))
def test_whatever_one_bot_does_the_others_play_on_and_every_deal_is_finished(
    loop: asyncio.Runner, name: str, acts: list[Act], head_start: int
) -> None:
    attack(loop, name, acts, head_start)
