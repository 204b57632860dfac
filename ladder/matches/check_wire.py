"""The conformance cases of the wire: one function for each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ladder.matches.trial import Failed
from pigpen import DealResult, FaultNotice
from referee.seats.deadlines import RECONNECT_SECONDS

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from ladder.matches.trial import Trial
    from pigpen.check import Case


async def answers(trial: Trial, case: Case) -> None:
    """Take the seat, and answer a question."""
    await trial.take_seat(case.rules, 1)
    await trial.ask(case, case.deal)


async def accepts_late_notices(trial: Trial, case: Case) -> None:
    """Answer although notices about earlier decisions and deals come in between."""
    await answers(trial, case)
    players = case.rules.players
    await trial.seat.notify(FaultNotice("timeout", "no answer within 1.000 s", 1, False), decision=1)
    await trial.seat.notify(DealResult(case.deal.number, case.seat, (0,) * players, case.totals))
    await trial.ask(case, case.deal)


async def ignores_unknown_fields(trial: Trial, case: Case) -> None:
    """Answer although every message holds unknown fields, and some are of an unknown kind."""
    trial.seat.sends_unknown_fields = True
    await answers(trial, case)
    await trial.seat.send_unknown_message()
    await trial.ask(case, case.deal)


async def reconnects(trial: Trial, case: Case) -> None:
    """Open a new stream with the same Hello, and answer the question that is still open."""
    await trial.take_seat(case.rules, 1)
    trial.seat.cut_at_next_answer()
    await trial.ask(case, case.deal, grace=RECONNECT_SECONDS)
    await trial.ask(case, case.deal)


async def ends_when_refused(trial: Trial, case: Case) -> None:
    """End with an error when the referee speaks another version of the protocol."""
    ended = await trial.end_when_refused()
    if ended.code == 0:
        raise Failed("exit", "its program ended with exit code 0, as if nothing were wrong")


async def ends_cleanly(trial: Trial, case: Case) -> None:
    """End with exit code 0 after the match."""
    await answers(trial, case)
    ended = await trial.end_match()
    if ended.code:
        raise Failed("exit", f"its program ended with exit code {ended.code}")


@dataclass(frozen=True)
class WireCase:
    """One case of the wire."""

    attempt: Callable[[Trial, Case], Awaitable[None]]
    refuses: bool = False
    """True if the seat refuses the bot, from before its program starts: one that is forked may connect at once."""


WIRE_GROUP = "wire"

WIRE = {
    "takes its seat and answers": WireCase(answers),
    "continues after late notices": WireCase(accepts_late_notices),
    "passes over fields and messages of later versions": WireCase(ignores_unknown_fields),
    "comes back when the stream breaks, and answers the open question": WireCase(reconnects),
    "ends with an error when the referee speaks another version": WireCase(ends_when_refused, refuses=True),
    "ends with exit code 0 after the match": WireCase(ends_cleanly),
}
"""Every case, by its name; each is tried with an instance of its own."""
