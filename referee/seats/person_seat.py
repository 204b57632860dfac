"""The seat of a person: the same stream as a bot's, but a person does not lose it for being away."""

from __future__ import annotations

import asyncio
import math
from collections import deque
from typing import TYPE_CHECKING

from pigpen.values.notices import DealResult
from pigpen.values.view import Seen
from pigpen.wire.messages import ASKS_WHY, AWAY, HERE, PLAYS, READS, READY, notice_message, presence_of, seen_message
from referee.seats.deadlines import Deadlines
from referee.seats.presence import PersonAway, Presence
from referee.seats.stream_seat import StreamSeat, Traffic
from referee.seats.verdict import SeatBroken, SeatFailure

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from pigpen.rules import Action
    from pigpen.v1.referee_pb2 import RefereeMessage
    from pigpen.values.notices import Notice, Welcome
    from pigpen.values.view import View
    from referee.seats.clock import Stopwatch
    from referee.seats.seat_server import Context
    from referee.seats.verdict import Exit

PERSON_DEADLINES = Deadlines(notice=5.0, reconnect=10.0)
"""A person's program may be a web process that starts again."""
MAX_MESSAGES = 2000
"""Messages that a person's seat takes in a match beyond one for each question."""
MAX_STREAMS = 500
"""Streams that a person may open to its seat in a match."""
HELP_SECONDS = 180.0
"""Seconds of a match, all questions together, for which a person's clock stops while it reads help."""


class _Help:
    """Stops the clock of a person's questions while it reads help, until that has taken too long in a match."""

    def __init__(self) -> None:
        self._watch: Stopwatch | None = None
        self._is_open = False
        self._used = 0.0
        self._most = HELP_SECONDS
        self._since: float | None = None
        self._timer: asyncio.TimerHandle | None = None

    def watch(self, watch: Stopwatch | None, most: float = HELP_SECONDS) -> None:
        """Take the clock of the open question, and the seconds of a match for which it may stop; None: none is open."""
        self._run()
        self._watch, self._most = watch, most
        self._stop()

    def open(self, *, is_open: bool) -> None:
        """Note that the person has opened the help, or closed it."""
        self._is_open = is_open
        self._run()
        self._stop()

    def close(self) -> None:
        """Stop nothing any more."""
        self._is_open = False
        self._run()

    def _stop(self) -> None:
        left = self._most - self._used
        if self._is_open and self._watch is not None and left > 0:
            loop = asyncio.get_running_loop()
            self._watch.pause()
            self._since = loop.time()
            self._timer = None if math.isinf(left) else loop.call_later(left, self._run)

    def _run(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        if self._since is not None and self._watch is not None:
            self._used += asyncio.get_running_loop().time() - self._since
            self._watch.resume()
        self._since = self._timer = None


class PersonSeat(StreamSeat):
    """
    The referee's end of a seat that a person plays.

    The person gets what it sees when that changes, and not only when it is asked. It can come back with its token
    as long as the match lives, and then gets the results of all deals again, what it sees now, and the open
    question. Meanwhile it is away (`Presence`).

    Attributes:
        presence: Whether the person is at the table.
    """

    def __init__(
        self,
        socket: Path,
        token: str,
        deadlines: Deadlines = PERSON_DEADLINES,
        max_messages: int = MAX_MESSAGES,
        practice: bool = False,
    ) -> None:
        super().__init__(socket, token, deadlines)
        self._is_practice = practice
        self.presence = Presence(self._presence_changed)
        self._traffic = Traffic(max_messages, MAX_STREAMS)
        self._seen: Seen | None = None
        self._results: list[RefereeMessage] = []
        self._unsent: deque[RefereeMessage] = deque()
        self._sending: asyncio.Task[None] | None = None
        self._help = _Help()

    def recall(self, results: Sequence[DealResult]) -> None:
        """Keep the results of deals played before the match was interrupted: the person has seen their ends."""
        self._results += map(notice_message, results)

    def show(self, seen: Seen) -> None:
        """Tell the person what it sees now; waits for nothing."""
        self._seen = Seen(seen.view, seen.names, self.presence.is_away)
        self._unsent.append(seen_message(self._seen))
        if self._sending is None or self._sending.done():
            self._sending = asyncio.ensure_future(self._send_unsent())

    async def welcome(self, welcome: Welcome) -> None:
        """Wait for the person, who is away if it does not come in time."""
        if not await self._is_taken(welcome):
            if self._failure.done():
                raise self._failure.result()
            self.presence.lose()

    async def ask(self, view: View, watch: Stopwatch) -> Action:
        """
        Send the question after all that the person has seen, and wait for the answer.

        Raises:
            PersonAway: If the person leaves meanwhile.
            SeatFailure: If no answer comes in time, or none that can be read.
            SeatBroken: If the seat itself has failed; the match is void.
        """
        await self._all_sent()
        if self.presence.is_away:
            watch.stop()
            raise PersonAway
        self._help.watch(watch, math.inf if self.presence.is_waited_for else HELP_SECONDS)
        try:
            return await super().ask(view, watch)
        finally:
            self._help.watch(None)

    async def notify(self, notice: Notice, decision: int = 0) -> None:
        """Pass on a notice after all that the person has seen, if it is there."""
        await self._all_sent()
        if isinstance(notice, DealResult):
            self._results.append(notice_message(notice))
            self.presence.show_end_of(notice.deal)
        await super().notify(notice, decision)

    def freeze(self) -> None:
        """Freeze nothing: a person has no program."""

    def freeze_if_working(self) -> None:
        """Freeze nothing: a person has no program."""

    def lose(self, reason: str, end: Exit | None = None) -> None:
        """Break the stream of the person's client, which floods the seat, or does not read; it may open another one."""
        super().lose(reason, end)
        self._unsent.clear()
        if self._stream.is_there and not self._closed:
            self._reconnect.restart(None)

    async def close(self) -> None:
        """Let the person's client close its stream, then close the seat."""
        if self._sending:
            self._sending.cancel()
        self._help.close()
        await super().close()

    def _attach(self, context: Context) -> None:
        super()._attach(context)
        self._unsent.clear()
        self.presence.connected()

    def _missed(self) -> list[RefereeMessage]:
        missed = super()._missed()
        seen = [seen_message(self._seen)] if self._seen else []
        return [*missed[:1], *self._results, *seen, *missed[1:]]

    def _receive(self, data: bytes) -> None:
        sent = presence_of(data)
        if sent is None:
            super()._receive(data)
        elif sent.state == HERE:
            self.presence.come_back()
        elif sent.state == AWAY:
            self.presence.leave()
        elif sent.state == READY:
            self.presence.look_at_end_of(sent.deal)
        elif sent.state in (READS, PLAYS):
            self._help.open(is_open=sent.state == READS)
        elif sent.state == ASKS_WHY and self._is_practice and self._question is not None:
            self._question.watch.stop()

    def _give_up(self, failure: SeatFailure | SeatBroken) -> None:
        """Note the failure: the person may come back, whatever has happened; a seat that is broken stays so."""
        if isinstance(failure, SeatBroken):
            super()._give_up(failure)
        elif not self._closed:
            self._help.open(is_open=False)
            self.presence.lose()

    def _presence_changed(self) -> None:
        if self.presence.is_away and self._question is not None:
            self._question.give_up(PersonAway())
        if self._seen is not None and not self._closed:
            self.show(self._seen)

    async def _all_sent(self) -> None:
        if self._sending is not None:
            await self._sending

    async def _send_unsent(self) -> None:
        while self._unsent:
            await self._notify(self._unsent.popleft())
