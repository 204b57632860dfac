"""The server of one seat: ends of streams and of programs, verdicts, seats without a socket."""

from __future__ import annotations

import asyncio
import gc
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import grpc.aio
import pytest

import pigpen
from referee.seats.clock import Stopwatch
from referee.seats.deadlines import RECONNECT_SECONDS
from referee.seats.seat import InlineSeat
from referee.seats.seat_server import SeatServer, refuse
from referee.seats.stream_seat import MAX_STREAMS, MAX_UNASKED
from referee.seats.verdict import Exit, SeatFailure, Verdict
from tests.referee.wires import question

if TYPE_CHECKING:
    from pigpen.rules import Card
    from referee.seats.seat_server import Context


class Ending:
    """A stream that takes its end in some way."""

    def __init__(self, error: Exception) -> None:
        self.error = error
        self.status: list[object] = []

    async def abort(self, *status: object) -> None:
        self.status += status
        raise self.error


@pytest.mark.parametrize(
    ("error", "raised"),
    [(grpc.aio.AbortError("ended"), grpc.aio.AbortError), (grpc.aio.InternalError("gone"), asyncio.CancelledError)],
)
async def test_grpc_gets_what_it_expects(error: Exception, raised: type[BaseException]) -> None:
    stream = Ending(error)
    with pytest.raises(raised):
        await refuse(cast("Context", stream), grpc.StatusCode.UNAUTHENTICATED, "no")
    assert stream.status == [grpc.StatusCode.UNAUTHENTICATED, "no"]


async def never(*_: object) -> None:
    raise AssertionError("nobody comes")


async def test_a_seat_whose_start_is_cancelled_leaves_no_error_behind(tmp_path: Path) -> None:
    """As when another seat of the table cannot be opened: gRPC's own task would then end with a traceback."""
    reported: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: reported.append(context))
    server = SeatServer(tmp_path / "seat.sock", never, never)
    listening = asyncio.ensure_future(server.listen())
    await asyncio.sleep(0)
    listening.cancel()
    await asyncio.wait([listening])
    await server.stop(None)
    assert listening.cancelled()
    del server
    gc.collect()
    await asyncio.sleep(0)
    assert reported == []


PAGE = (Path(__file__).resolve().parents[3] / "docs" / "faults.md").read_text(encoding="utf-8")


def test_every_code_has_its_row_on_the_page_of_faults() -> None:
    assert re.findall(r"^\| `(\w+)` \|", PAGE, re.MULTILINE) == list(Verdict)


def test_the_numbers_on_the_page_are_those_that_hold() -> None:
    assert f"within {RECONNECT_SECONDS:g} s" in PAGE
    assert f"more than {MAX_UNASKED} messages" in PAGE
    assert f"more than {MAX_STREAMS} streams" in PAGE


@pytest.mark.parametrize(
    ("end", "words"),
    [
        (Exit(1), "its program ended with exit code 1"),
        (Exit(0), "its program ended with exit code 0; did it call pigpen.run?"),
        (Exit(137, oom=True), "it ran out of memory"),
        (Exit(0, oom=True), "it ran out of memory"),
    ],
)
def test_an_end_is_a_sentence_about_the_bot(end: Exit, words: str) -> None:
    assert str(end) == words


class FirstLegalBot(pigpen.Bot):
    def play(self, view: pigpen.View) -> Card:
        return view.legal[0]


async def test_an_inline_bot_answers() -> None:
    assert await InlineSeat(FirstLegalBot()).ask(question(), Stopwatch(1.0)) == question().legal[0]


async def test_a_wrong_answer_is_malformed_and_the_bot_lives_on() -> None:
    class Silent(FirstLegalBot):
        def play(self, view: pigpen.View) -> Card:
            return view.legal[0] if view.decision == 2 else None  # type: ignore[return-value]

    seat = InlineSeat(Silent())
    with pytest.raises(SeatFailure) as failure:
        await seat.ask(question(1), Stopwatch(1.0))
    assert failure.value.verdict is Verdict.MALFORMED
    assert await seat.ask(question(2), Stopwatch(1.0)) == question().legal[0]
    assert seat.log.startswith("play returned None; ")


@pytest.mark.parametrize("method", ["match_started", "play", "deal_over"])
@pytest.mark.parametrize(
    ("how", "code"),
    [
        ("raise KeyError('oh')", 1),
        ("sys.exit(5)", 5),
        ("sys.exit()", 0),
        ("sys.exit(2**40 + 5)", 5),
        ("sys.exit(-1)", 255),
    ],
)
async def test_what_would_end_a_program_ends_the_bot_and_nothing_else(
    welcome: pigpen.Welcome, method: str, how: str, code: int
) -> None:
    def breaks(self: object, argument: object) -> None:
        exec(how, {"sys": sys})

    seat = InlineSeat(type("Broken", (FirstLegalBot,), {method: breaks})())
    await seat.welcome(welcome)
    await seat.notify(pigpen.DealResult(0, 0, (0,) * 4, (0,) * 4))
    for _ in range(2):
        with pytest.raises(SeatFailure, match=f"^{re.escape(str(Exit(code)))}$") as failure:
            await seat.ask(question(), Stopwatch(1.0))
        assert failure.value.verdict is Verdict.GONE
    assert "Traceback" in seat.log
