"""Tokens and seeds: on no wire, in no record, no log, no text of an error and no list of arguments."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import TYPE_CHECKING

import grpc
import pytest

from ladder.sandbox.base import SeatMount
from ladder.sandbox.bots.bot_source import BotSource
from ladder.sandbox.process.process_sandbox import ProcessSandbox
from pigpen.rules import PRESETS
from pigpen.v1.referee_pb2 import RefereeMessage
from pigpen.wire.messages import answer_message, view_of
from referee.match.formats import Format
from referee.records.lines import ResultLine, to_json
from referee.seats import seat_server
from referee.seats.seat_server import new_token
from referee.seats.stream_seat import StreamSeat
from tests.referee.other_worlds import any_answer
from tests.referee.taps import Tap, found, played, spec_of
from tests.referee.wires import open_seat, raw_bot
from tests.rules.players import lumpy_hands
from tests.rules.table import named

if TYPE_CHECKING:
    from pigpen import Welcome
    from pigpen.rules import Rules
    from referee.records.lines import AnyLine

DEALS = 4


async def listen(socket: Path, token: str, rules: Rules, rng: Random) -> tuple[list[bytes], str]:
    """Play a match over a bare stream; every message as it came, and everything else that was said."""
    messages: list[bytes] = []
    async with raw_bot(socket.parent, token) as bot:
        while True:
            messages.append(await bot.receive_bytes())
            message = RefereeMessage.FromString(messages[-1])
            if message.HasField("request"):
                view = view_of(message.request, rules)
                await bot.send(answer_message(view, any_answer(view, rng)))
            elif message.HasField("match_over"):
                return messages, await bot.part()


@pytest.mark.parametrize("rules", list(PRESETS.values()), ids=named)
async def test_C_9_a_stream_carries_what_the_taps_hear_and_no_seed_or_token(rules: Rules, tmp_path: Path) -> None:
    """The leak tests tap seats; here the same match goes over real sockets, and the bytes are the same."""
    seats = range(rules.players)
    hands, seed = [lumpy_hands(rules, Random(deal)) for deal in range(DEALS)], Random(rules.name).randbytes(32)
    tokens, sockets = [new_token() for _ in seats], [tmp_path / str(seat) / "seat.sock" for seat in seats]
    streams = [StreamSeat(socket, token) for socket, token in zip(sockets, tokens, strict=True)]
    for socket, stream in zip(sockets, streams, strict=True):
        socket.parent.mkdir()
        await stream.listen()
    bots = [asyncio.create_task(listen(sockets[seat], tokens[seat], rules, Random(seat))) for seat in seats]
    lines = await played(spec_of(rules, Format(DEALS), seed), hands, streams)
    received = await asyncio.gather(*bots)
    taps = [tap_of(Random(seat)) for seat in seats]
    await played(spec_of(rules, Format(DEALS), seed), hands, taps)
    for tap, (messages, rest) in zip(taps, received, strict=True):
        assert messages == tap.first(len(tap.sent))
        everything = b"".join(messages) + rest.encode()
        assert not any(found(bytes.fromhex(token), everything) for token in tokens)
        assert not found(seed, everything)
    check_lines(lines, seed, tokens)


def tap_of(rng: Random) -> Tap:
    return Tap(lambda view: any_answer(view, rng))


def check_lines(lines: list[AnyLine], seed: bytes, tokens: list[str]) -> None:
    """No line holds a token, and none but the last the seed."""
    for line in lines:
        text = to_json(line).encode()
        assert not any(found(bytes.fromhex(token), text) for token in tokens)
        assert found(seed, text) is isinstance(line, ResultLine)


@pytest.mark.parametrize("verdict", [True, False])
async def test_a_token_is_judged_by_a_comparison_in_constant_time_and_by_nothing_else(
    tmp_path: Path, welcome: Welcome, monkeypatch: pytest.MonkeyPatch, verdict: bool
) -> None:
    compared: list[tuple[bytes, bytes]] = []

    def compare_digest(given: bytes, wanted: bytes) -> bool:
        compared.append((given, wanted))
        return verdict

    monkeypatch.setattr(seat_server, "hmac", SimpleNamespace(compare_digest=compare_digest))
    async with open_seat(tmp_path) as (seat, token), raw_bot(tmp_path) as bot:
        await bot.hello("wrong" if verdict else token)
        if verdict:
            await seat.welcome(welcome)
            assert (await bot.receive()).HasField("welcome")
        else:
            assert (await bot.status())[0] is grpc.StatusCode.UNAUTHENTICATED
        assert compared == [(b"wrong" if verdict else token.encode(), token.encode())]


async def test_no_token_is_logged_or_told(
    tmp_path: Path, welcome: Welcome, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG)
    asyncio.get_running_loop().set_debug(True)
    shown = ""
    async with open_seat(tmp_path) as (seat, token):
        for wrong in (token[:-1], token.upper() + "x", ""):
            async with raw_bot(tmp_path) as bot:
                await bot.hello(wrong)
                shown += str(await bot.status())
        async with raw_bot(tmp_path, token) as bot:
            await seat.welcome(welcome)
            await bot.receive()
            await bot.hello(token)
            bot.hang_up()
        shown += repr(seat)
    assert token not in shown + caplog.text + "".join(capfd.readouterr())


async def test_a_token_is_no_argument_of_any_process_and_in_no_text_of_its_place(tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text("import time; print('here'); time.sleep(1000)")
    place, sandbox = SeatMount(tmp_path, new_token()), ProcessSandbox()
    try:
        instance = await (await sandbox.load(BotSource("bot", folder=tmp_path))).start(place)
        while "here" not in await instance.log_tail():
            await asyncio.sleep(0.01)
        assert not any(holds(path, place.token) for path in Path("/proc").glob("[0-9]*/cmdline"))
        assert any(holds(path, place.token) for path in Path("/proc").glob("[0-9]*/environ")), "the search finds it"
    finally:
        await sandbox.close()
    assert place.token not in repr(place)


def holds(path: Path, text: str) -> bool:
    try:
        return text.encode() in path.read_bytes()
    except OSError:
        return False
