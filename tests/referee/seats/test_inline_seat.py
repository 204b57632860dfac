from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

import pigpen
from referee.seats.clock import Stopwatch
from referee.seats.seat import InlineSeat
from referee.seats.verdict import SeatFailure, Verdict
from tests.referee.wires import question

if TYPE_CHECKING:
    from pigpen.rules import Card


class FirstLegalBot(pigpen.Bot):
    def play(self, view: pigpen.View) -> Card:
        return view.legal[0]


async def test_an_inline_bot_answers() -> None:
    assert await InlineSeat(FirstLegalBot()).ask(question(), Stopwatch(1.0), 0.0) == question().legal[0]


async def test_a_wrong_answer_is_malformed_and_the_bot_lives_on() -> None:
    class Silent(FirstLegalBot):
        def play(self, view: pigpen.View) -> Card:
            return view.legal[0] if view.decision == 2 else None  # type: ignore[return-value]

    seat = InlineSeat(Silent())
    with pytest.raises(SeatFailure) as failure:
        await seat.ask(question(1), Stopwatch(1.0), 0.0)
    assert failure.value.verdict is Verdict.MALFORMED
    assert await seat.ask(question(2), Stopwatch(1.0), 0.0) == question().legal[0]
    assert seat.log == "play returned None; it must return one of view.legal\n"


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
        with pytest.raises(SeatFailure, match=f"its program ended with exit code {code}(;|$)") as failure:
            await seat.ask(question(), Stopwatch(1.0), 0.0)
        assert failure.value.verdict is Verdict.GONE
    assert "Traceback" in seat.log
