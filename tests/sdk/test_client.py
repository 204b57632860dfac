from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Protocol

import grpc
import grpc.aio
import pytest
from packaging.requirements import Requirement

import pigpen
from pigpen.client import BlockingClient, BotFailed, Client, Refused, Unreachable
from pigpen.rules import PRESETS, Deal, deal_hands
from pigpen.values.notices import NO_ACTION
from pigpen.wire.messages import MAX_BYTES
from referee.seats.clock import Stopwatch
from referee.seats.stream_seat import StreamSeat
from referee.seats.verdict import SeatFailure
from tests.referee.wires import open_seat, question
from tests.waiting import PATIENCE

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable
    from pathlib import Path

    from pigpen.rules import Card

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


class Listener(pigpen.Bot):
    """Plays the last legal card, and remembers what it receives."""

    def __init__(self) -> None:
        self.received: list[object] = []

    def match_started(self, welcome: pigpen.Welcome) -> None:
        self.received.append(welcome)

    def play(self, view: pigpen.View) -> Card:
        return view.legal[-1]

    def deal_over(self, result: pigpen.DealResult) -> None:
        self.received.append(result)

    def match_over(self, result: pigpen.MatchResult) -> None:
        self.received.append(result)


class AnyClient(Protocol):
    """Plays a match with either client: in the event loop of the test, or in a thread of its own."""

    def __call__(
        self, bot: pigpen.Bot, folder: Path, token: str, *, socket: str = "seat.sock", patience: float = 10.0
    ) -> Awaitable[None]: ...


def in_the_loop(
    bot: pigpen.Bot, folder: Path, token: str, *, socket: str = "seat.sock", patience: float = 10.0
) -> Awaitable[None]:
    return Client(bot, "test", f"unix:{folder / socket}", token, patience).play_match()


def in_a_thread(
    bot: pigpen.Bot, folder: Path, token: str, *, socket: str = "seat.sock", patience: float = 10.0
) -> Awaitable[None]:
    return asyncio.to_thread(BlockingClient(bot, "test", f"unix:{folder / socket}", token, patience).play_match)


@pytest.fixture(params=[in_the_loop, in_a_thread], ids=lambda play: str(play.__name__))
def client(request: pytest.FixtureRequest) -> AnyClient:
    play: AnyClient = request.param
    return play


async def finish(seat: StreamSeat) -> None:
    await seat.notify(pigpen.MatchResult(1, 2.5))
    await seat.close()


async def test_a_client_answers_hears_and_ends(tmp_path: Path, welcome: pigpen.Welcome, client: AnyClient) -> None:
    bot = Listener()
    async with open_seat(tmp_path) as (seat, token):
        playing = asyncio.ensure_future(client(bot, tmp_path, token))
        await seat.welcome(welcome)
        assert await seat.ask(question(), Stopwatch(PATIENCE)) == question().legal[-1]
        await seat.notify(pigpen.DealResult(0, 0, (0, 0, 0, 26), (0, 0, 0, 26)))
        await finish(seat)
        await asyncio.wait_for(playing, PATIENCE)
    assert bot.received == [
        welcome,
        pigpen.DealResult(0, 0, (0, 0, 0, 26), (0, 0, 0, 26)),
        pigpen.MatchResult(1, 2.5),
    ]


async def test_a_client_comes_back_when_its_stream_breaks(
    tmp_path: Path, welcome: pigpen.Welcome, client: AnyClient
) -> None:
    bot = Listener()
    async with open_seat(tmp_path) as (seat, token):
        playing = asyncio.ensure_future(client(bot, tmp_path, token))
        await seat.welcome(welcome)
        await seat._server.stop(None)
        assert await seat.ask(question(), Stopwatch(PATIENCE)) == question().legal[-1]
        await finish(seat)
        await asyncio.wait_for(playing, PATIENCE)
    assert bot.received == [welcome, pigpen.MatchResult(1, 2.5)]


@asynccontextmanager
async def slow_way(folder: Path, seconds: float) -> AsyncIterator[Path]:
    """A socket by which a seat is reached that is so busy that it takes each connection only after a while."""
    taking: set[asyncio.Task[None] | None] = set()

    async def carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(65536):
            writer.write(data)
        writer.close()

    async def take(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        taking.add(asyncio.current_task())
        await asyncio.sleep(seconds)
        answers, asks = await asyncio.open_unix_connection(folder / "seat.sock")
        with contextlib.suppress(ConnectionError):
            await asyncio.gather(carry(reader, asks), carry(answers, writer))
        for each in (asks, writer):
            each.close()
            with contextlib.suppress(ConnectionError):
                await each.wait_closed()

    async with await asyncio.start_unix_server(take, folder / "slow.sock"):
        yield folder / "slow.sock"
        await asyncio.gather(*filter(None, taking))


async def test_a_client_waits_for_a_referee_that_is_slow_to_take_its_connection(
    tmp_path: Path, welcome: pigpen.Welcome, client: AnyClient
) -> None:
    bot = Listener()
    async with open_seat(tmp_path) as (seat, token), slow_way(tmp_path, seconds=1.0) as socket:
        playing = asyncio.ensure_future(client(bot, tmp_path, token, socket=socket.name))
        await seat.welcome(welcome)
        await finish(seat)
        await asyncio.wait_for(playing, PATIENCE)
    assert bot.received == [welcome, pigpen.MatchResult(1, 2.5)]


async def test_a_client_with_a_wrong_token_says_so(tmp_path: Path, client: AnyClient) -> None:
    async with open_seat(tmp_path):
        with pytest.raises(Refused, match=r"refused this bot: .* token"):
            await client(Listener(), tmp_path, "0" * 32)


async def test_a_client_that_finds_no_referee_gives_up(tmp_path: Path, client: AnyClient) -> None:
    with pytest.raises(Unreachable, match="No referee at unix:"):
        await client(Listener(), tmp_path, "0" * 32, patience=0.1)


@pytest.mark.parametrize("error", [KeyError, asyncio.InvalidStateError, ConnectionRefusedError, grpc.aio.UsageError])
async def test_an_error_in_the_bot_is_never_taken_for_one_of_the_connection(
    tmp_path: Path, welcome: pigpen.Welcome, client: AnyClient, error: type[Exception]
) -> None:
    class Broken(pigpen.Bot):
        def play(self, view: pigpen.View) -> Card:
            raise error("oh")

    async with open_seat(tmp_path) as (seat, token):
        playing = asyncio.ensure_future(client(Broken(), tmp_path, token))
        await seat.welcome(welcome)
        asking = asyncio.ensure_future(seat.ask(question(), Stopwatch(PATIENCE)))
        with pytest.raises(BotFailed) as failure:
            await asyncio.wait_for(playing, PATIENCE)
        assert isinstance(failure.value.error, error)
        asking.cancel()


async def test_an_answer_of_the_wrong_kind_is_malformed_and_the_bot_lives_on(
    tmp_path: Path, welcome: pigpen.Welcome, client: AnyClient, capsys: pytest.CaptureFixture[str]
) -> None:
    class Once(Listener):
        def play(self, view: pigpen.View) -> Card:
            return view.legal[0] if view.decision == 2 else None  # type: ignore[return-value]

    async with open_seat(tmp_path) as (seat, token):
        playing = asyncio.ensure_future(client(Once(), tmp_path, token))
        await seat.welcome(welcome)
        with pytest.raises(SeatFailure, match=NO_ACTION):
            await seat.ask(question(1), Stopwatch(PATIENCE))
        assert await seat.ask(question(2), Stopwatch(PATIENCE)) == question().legal[0]
        await finish(seat)
        await asyncio.wait_for(playing, PATIENCE)
    assert "play returned None; " in capsys.readouterr().err


PRINTS = """
import pigpen
class Loud(pigpen.Bot):
    def play(self, view):
        print("thinking", view.hand)
        return view.legal[0]
pigpen.run(Loud())
"""


async def started(script: str, folder: Path, token: str) -> asyncio.subprocess.Process:
    """A bot in a process of its own."""
    return await asyncio.create_subprocess_exec(
        sys.executable, "-c", script,
        env=os.environ | {"PIGPEN_ADDRESS": f"unix:{folder / 'seat.sock'}", "PIGPEN_TOKEN": token},
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip


async def test_what_a_bot_prints_goes_to_stderr(tmp_path: Path, welcome: pigpen.Welcome) -> None:
    async with open_seat(tmp_path) as (seat, token):
        program = await started(PRINTS, tmp_path, token)
        await seat.welcome(welcome)
        await seat.ask(question(), Stopwatch(PATIENCE))
        await finish(seat)
        out, err = await asyncio.wait_for(program.communicate(), PATIENCE)
    assert (program.returncode, out) == (0, b"")
    assert err.startswith(b"thinking (Card(")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signal")
async def test_a_bot_that_is_interrupted_while_it_waits_ends_without_a_word(
    tmp_path: Path, welcome: pigpen.Welcome
) -> None:
    async with open_seat(tmp_path) as (seat, token):
        program = await started(PRINTS, tmp_path, token)
        await seat.welcome(welcome)
        program.send_signal(signal.SIGINT)
        assert await asyncio.wait_for(program.communicate(), PATIENCE) == (b"", b"")
    assert program.returncode == 130


COUNTS_THREADS = """
import threading, pigpen
class Counting(pigpen.Bot):
    def play(self, view):
        print("threads:", threading.active_count())
        return view.legal[0]
pigpen.run(Counting())
"""


async def test_a_bot_has_no_python_thread_but_its_own(tmp_path: Path, welcome: pigpen.Welcome) -> None:
    """Each message that one thread hands to another costs as much as the message itself."""
    async with open_seat(tmp_path) as (seat, token):
        program = await started(COUNTS_THREADS, tmp_path, token)
        await seat.welcome(welcome)
        await seat.ask(question(), Stopwatch(PATIENCE))
        await finish(seat)
        assert await asyncio.wait_for(program.communicate(), PATIENCE) == (b"", b"threads: 1\n")


LACKS = "import pigpen.client; pigpen.client.CAN_BLOCK = False; pigpen.run"
DIFFERS = "from grpc._cython import cygrpc; cygrpc.Channel = lambda target, arguments: None; import pigpen; pigpen.run"
"""gRPC's own channel of an event loop is another class."""


@pytest.mark.parametrize("changed", [LACKS, DIFFERS], ids=["lacks", "differs"])
async def test_another_version_of_grpc_plays_in_an_event_loop(
    tmp_path: Path, welcome: pigpen.Welcome, changed: str
) -> None:
    script = COUNTS_THREADS.replace("pigpen.run", changed)
    async with open_seat(tmp_path) as (seat, token):
        program = await started(script, tmp_path, token)
        await seat.welcome(welcome)
        await seat.ask(question(), Stopwatch(PATIENCE))
        await finish(seat)
        assert await asyncio.wait_for(program.communicate(), PATIENCE) == (b"", b"threads: 2\n")


class Endless(pigpen.Bot):
    """Passes more cards than a message has room for."""

    def pass_cards(self, view: pigpen.View) -> list[Card]:
        return [view.hand[0]] * 70_000


async def test_an_answer_that_is_too_long_is_called_so_and_is_a_fault(
    tmp_path: Path, welcome: pigpen.Welcome, client: AnyClient, capsys: pytest.CaptureFixture[str]
) -> None:
    deal = Deal(PRESETS["hearts"], deal_hands(PRESETS["hearts"], bytes(32), 0))
    asked = pigpen.View(*deal.known_to(0), decision=1, limit=1.0)
    async with open_seat(tmp_path) as (seat, token):
        playing = asyncio.ensure_future(client(Endless(), tmp_path, token))
        await seat.welcome(welcome)
        with pytest.raises(SeatFailure, match=NO_ACTION):
            await seat.ask(asked, Stopwatch(PATIENCE))
        await finish(seat)
        await asyncio.wait_for(playing, PATIENCE)
    assert f"at most {MAX_BYTES:,}" in capsys.readouterr().err


def test_a_bot_started_by_hand_says_what_to_do() -> None:
    done = subprocess.run([sys.executable, "-c", PRINTS], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("This bot waits for")
    assert ": pigpen play " in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("error", [Refused("The referee refused this bot."), Unreachable("No referee.")], ids=str)
def test_a_bot_without_a_referee_ends_with_one_sentence(
    error: Exception, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def play(*_: object) -> None:
        raise error

    monkeypatch.setattr("pigpen.client._play", play)
    monkeypatch.setenv("PIGPEN_ADDRESS", "unix:/nowhere")
    monkeypatch.setenv("PIGPEN_TOKEN", "token")
    with pytest.raises(SystemExit) as ended:
        pigpen.run(Listener())
    assert ended.value.code == 2
    assert capsys.readouterr().err == f"{error}\n"


def test_the_sdk_needs_grpcio_and_protobuf_only() -> None:
    """`pip install ./sdk` would ask an index for these."""
    import json

    command = [sys.executable, "-m", "pip", "install", "--dry-run", "--ignore-installed", "--quiet", "--report", "-"]
    command += ["--no-deps", "--no-index"]
    command += ["--no-build-isolation", "./sdk"]  # what builds is here, and nothing has to be compiled
    done = subprocess.run(
        command, cwd=ROOT, env=os.environ | {"PIGPEN_PURE": "1"}, capture_output=True, text=True, check=True
    )
    (sdk,) = (item["metadata"] for item in json.loads(done.stdout)["install"])
    needed = [Requirement(each) for each in sdk["requires_dist"]]
    assert sdk["name"] == "pigpen-sdk"
    assert {each.name for each in needed if each.marker is None} == {"grpcio", "protobuf"}
    assert all("extra ==" in str(each.marker) for each in needed if each.marker)


def test_importing_pigpen_does_not_import_grpc() -> None:
    """Simulations need the rules only, and gRPC takes longer to import than all the rest."""
    script = "import sys, pigpen; sys.exit('grpc' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0


async def test_a_stream_that_the_referee_ends_first_after_the_match_is_a_good_end(
    tmp_path: Path, welcome: pigpen.Welcome, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def done_writing(self: object) -> None:
        raise asyncio.InvalidStateError("RPC already finished")

    monkeypatch.setattr("grpc.aio._call._StreamRequestMixin.done_writing", done_writing)
    bot = Listener()
    async with open_seat(tmp_path) as (seat, token):
        playing = asyncio.ensure_future(in_the_loop(bot, tmp_path, token))
        await seat.welcome(welcome)
        await finish(seat)
        await asyncio.wait_for(playing, PATIENCE)
    assert bot.received[-1] == pigpen.MatchResult(1, 2.5)
