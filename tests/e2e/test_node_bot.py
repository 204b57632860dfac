"""The bot in Node.js, written against the proto files alone, sits at the table like any other."""

from __future__ import annotations

import asyncio
import os
import subprocess
import tempfile
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from ladder.cli.play.new import new
from ladder.matches.inline_match import Played
from ladder.matches.play import play_sandboxed
from ladder.sandbox.base import SOCKET_NAME, Exit, SeatMount
from ladder.sandbox.bots.bot_source import BotSource, find_bot
from ladder.sandbox.inline import load_bot_class
from ladder.sandbox.process.process_sandbox import ProcessInstance, ProcessSandbox
from pigpen import MatchResult, MoonChoice, Phase, View, Welcome
from pigpen.rules import seed_from
from referee.match.formats import Format, MatchSpec
from referee.records.lines import AnyLine, DealLine, Step, to_json, without_times
from referee.records.rules_file import load_rules
from referee.seats.clock import Stopwatch
from referee.seats.seat import InlineSeat
from referee.seats.stream_seat import StreamSeat
from tests.e2e.cut_wire import CutWire
from tests.referee.tables import play_match
from tests.waiting import PATIENT

pytestmark = pytest.mark.node

TOKEN = "secret"


@dataclass
class Seated:
    """The bot in a seat of its own."""

    seat: StreamSeat
    instance: ProcessInstance
    wire: CutWire


@asynccontextmanager
async def seated(bot: BotSource, cut_after: int | None = None) -> AsyncIterator[Seated]:
    """Start *bot* on a seat, over a wire that is cut once when that many bytes have gone to the bot."""
    with tempfile.TemporaryDirectory(prefix="pigpen-") as name:
        folder = Path(name)
        seat = StreamSeat(folder / "referee.sock", TOKEN)
        sandbox = ProcessSandbox()
        try:
            await seat.listen()
            async with CutWire(folder / SOCKET_NAME, folder / "referee.sock", cut_after) as wire:
                instance = await (await sandbox.load(bot)).start(SeatMount(folder, TOKEN))
                yield Seated(seat, instance, wire)
        finally:
            await sandbox.close()
            await seat.close()


async def play(bot: BotSource, variant: str, deals: int) -> tuple[Played, list[AnyLine]]:
    """Play *bot* against three random ones."""
    spec = MatchSpec(load_rules(variant), ("node", "a", "b", "c"), Format(deals), PATIENT, seed_from("node"))
    lines: list[AnyLine] = []
    sandbox = ProcessSandbox()
    try:
        programs = [await sandbox.load(source) for source in (bot, *[find_bot("random")] * 3)]
        return await play_sandboxed(spec, programs, lines.append), lines
    finally:
        await sandbox.close()


def timeless(lines: list[AnyLine]) -> list[str]:
    return without_times(map(to_json, lines))


def plays(step: Step) -> bool:
    return step.play is not None


def passes(step: Step) -> bool:
    return len((step.passed or "").split()) == 3


def exposes(step: Step) -> bool:
    return step.expose is not None


@pytest.mark.parametrize(
    ("variant", "does"),
    [pytest.param("gongzhu", plays, marks=pytest.mark.long), ("hearts", passes), ("gongzhu-sale", exposes)],
)
async def test_it_plays_without_fault_and_the_same_each_time_and_prints_its_place(
    node_bot: BotSource, variant: str, does: Callable[[Step], bool]
) -> None:
    played, lines = await play(node_bot, variant, 4)
    steps = [step for line in lines if isinstance(line, DealLine) for step in line.steps]
    assert played.result.results[0].faults == 0, played.logs[0][0]
    assert {step.by for step in steps} == {"bot", "forced"}
    assert any(map(does, steps))
    assert played.logs[0][0].partition("] ")[2].endswith(f": place {played.result.results[0].place}.\n")
    if variant == "hearts":
        assert timeless(lines) == timeless((await play(node_bot, variant, 4))[1])


async def test_it_takes_the_points_off_when_it_shoots_the_moon(node_bot: BotSource) -> None:
    rules = load_rules("hearts")
    view = View(rules, 0, 0, Phase.MOON, 0, 0, 0, 0, (), (0,) * 4, b"", b"", None, (0,) * 4, decision=1, seed=2**64 - 1)
    async with seated(node_bot) as bot:
        await bot.seat.welcome(Welcome(rules, 0, "deals:1", PATIENT))
        assert await bot.seat.ask(view, Stopwatch(PATIENT.limit)) is MoonChoice.SUBTRACT
        await bot.seat.notify(MatchResult(1, 0.0))
        await bot.seat.close()
        assert await bot.instance.wait() == Exit(0)


async def play_over_wire(bot: BotSource, cut_after: int | None) -> tuple[list[str], int]:
    """Play a match over a wire; its record without times, and how many connections it took."""
    spec = MatchSpec(load_rules("hearts"), ("node", "a", "b", "c"), Format(2), PATIENT, seed_from("wire"))
    random = load_bot_class(find_bot("random"))
    lines: list[AnyLine] = []
    async with seated(bot, cut_after) as node:
        await play_match(spec, [node.seat, *(InlineSeat(random()) for _ in range(3))], lines.append)
        assert await node.instance.wait() == Exit(0)
        return timeless(lines), node.wire.connections


async def test_when_the_wire_is_cut_it_comes_back_and_nothing_is_lost(node_bot: BotSource) -> None:
    whole, one = await play_over_wire(node_bot, None)
    assert one == 1
    for cut_after in (600, 2501):
        mended, two = await play_over_wire(node_bot, cut_after)
        assert (cut_after, two) == (cut_after, 2)
        assert mended == whole


def run(bot: BotSource, **variables: str) -> subprocess.CompletedProcess[str]:
    """Start *bot* by hand and wait for its end."""
    environment = {"PATH": os.environ["PATH"], **variables}
    return subprocess.run(
        ["node", "bot.js"], cwd=bot.folder, env=environment, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("variables", [{}, {"PIGPEN_ADDRESS": "unix:/nowhere"}, {"PIGPEN_TOKEN": TOKEN}])
def test_without_a_referee_it_says_so_in_one_sentence(node_bot: BotSource, variables: dict[str, str]) -> None:
    done = run(node_bot, **variables)
    assert done.returncode == 2
    assert done.stdout == ""
    assert all(word in done.stderr for word in ("`pigpen play`", "PIGPEN_ADDRESS", "PIGPEN_TOKEN"))
    assert done.stderr.count("\n") == 1


async def test_a_refusal_ends_it_with_the_referees_words(node_bot: BotSource, tmp_path: Path) -> None:
    with tempfile.TemporaryDirectory(prefix="pigpen-") as folder:
        address = Path(folder) / SOCKET_NAME
        seat = StreamSeat(address, "another token")
        await seat.listen()
        done = await asyncio.to_thread(run, node_bot, PIGPEN_ADDRESS=f"unix:{address}", PIGPEN_TOKEN=TOKEN)
        await seat.close()
    assert done.returncode == 1
    assert done.stderr.startswith(f"No seat at unix:{address}: ")
    assert all(word in done.stderr for word in ("hello.token", "PIGPEN_TOKEN", "docs/protocol.md"))
    assert done.stderr.count("\n") == 1


def test_a_new_bot_like_it_is_whole_but_for_its_packages(tmp_path: Path) -> None:
    new(tmp_path / "mine", like="node")
    wanted = {".dockerignore", "bot.js", "debian-packages", "package.json", "package-lock.json", "protos"}
    assert {path.name for path in (tmp_path / "mine").iterdir()} == wanted
