"""
In Dask's scheduler: passes the coordinator's calls to the workers, and their answers and reports to it.

Nothing that Dask has unpickled is forwarded from here: only text, of bounded length, and of a form that was checked.
"""

from __future__ import annotations

import asyncio
import hmac
import secrets
import time
from typing import TYPE_CHECKING, Any

import structlog
from distributed.diagnostics.plugin import SchedulerPlugin
from pydantic import ValidationError

from ladder.cluster.connections import (
    MAX_BURST_LINES,
    MAX_LINES_A_SECOND,
    AnswerTooLong,
    LogLimit,
    PartedAnswer,
    WorkerCall,
    WorkerConnection,
    about,
    dropped_line,
    log_line,
    subject_of,
)
from ladder.cluster.dask_setup import why_not
from ladder.cluster.terms import CANCEL, PLAY, TELL_BYTES, TOPIC, TURN_AWAY
from ladder.values.cluster import WorkerFacts, WorkerReport
from ladder.worker.channel import Frame, MessageKind

if TYPE_CHECKING:
    from collections.abc import Callable

    from distributed import Scheduler

    from ladder.worker.channel import Channel

OBEY_SECONDS = 60.0
"""Seconds that a worker may take to give up a call; then it is disconnected, which makes it give up all calls."""

log = structlog.get_logger()


class Dispatcher(SchedulerPlugin):  # type: ignore[misc]
    """The coordinator's calls, and the workers. Only for the thread of the event loop."""

    def __init__(
        self,
        scheduler: Scheduler,
        channel: Channel,
        obey_seconds: float = OBEY_SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """
        Begin without workers.

        Args:
            scheduler: Dask's.
            channel: Leads to the coordinator.
            obey_seconds: Seconds after which a worker that does not give up a call is disconnected.
            clock: By which lines for the log are limited: never goes back; seconds.
        """
        self._scheduler = scheduler
        self._channel = channel
        self._obey_seconds = obey_seconds
        self._clock = clock
        self._connections: dict[str, WorkerConnection] = {}
        """By Dask's address."""
        self._calls: dict[int, WorkerCall] = {}
        self._reasons: dict[str, str] = {}
        """Reasons for which workers were cut off, by Dask's address."""
        self._lines = LogLimit(MAX_BURST_LINES, MAX_LINES_A_SECOND, clock)

    # The coordinator's orders

    def take(self, message: Frame) -> None:
        """Follow an order."""
        if message.kind is MessageKind.PLAY_AT:
            self._play(message.call, *message.body.split("\n", 1))
        elif message.kind is MessageKind.CANCEL:
            self._cancel(message.call)
        elif message.kind is MessageKind.TURN_AWAY:
            name, _, sentence = message.body.partition("\n")
            if connection := self._named(name):
                self._turn_away(connection.address, sentence)

    def _play(self, number: int, name: str, task: str) -> None:
        connection = self._named(name)
        if connection is None:
            self._send(MessageKind.LOST, number, "The worker has gone.")
            return
        answer = PartedAnswer(secrets.token_hex(16))
        self._calls[number] = WorkerCall(connection, answer, subject_of(task))
        connection.calls.add(number)
        self._order(connection.address, PLAY, call=number, token=answer.token, task=task)

    def _cancel(self, number: int) -> None:
        call = self._calls.get(number)
        if call is None or call.limit:
            return
        address = call.connection.address
        self._order(address, CANCEL, call=number)
        sentence = f"It did not give up a task within {self._obey_seconds:g} seconds."
        call.limit = asyncio.get_running_loop().call_later(self._obey_seconds, self._cut_off, address, sentence)

    def _turn_away(self, address: str, sentence: str) -> None:
        self._order(address, TURN_AWAY, sentence=sentence)
        self._cut_off(address, sentence)

    def _order(self, address: str, operation: str, **fields: object) -> None:
        self._scheduler.worker_send(address, {"op": operation, **fields})

    def _cut_off(self, address: str, reason: str) -> None:
        self._reasons[address] = reason
        asyncio.get_running_loop().create_task(
            self._scheduler.remove_worker(address, stimulus_id="pigpen-cut-off", close=True)
        )

    def _named(self, name: str) -> WorkerConnection | None:
        return next((each for each in self._connections.values() if each.name == name), None)

    # What workers answer

    async def answer(self, comm: Any, call: int, token: str, part: str, kind: str = "") -> str:
        """
        Take a part of an answer; Dask calls this.

        Args:
            comm: The connection on which it has come.
            call: The coordinator's number.
            token: What the worker was given with the call.
            part: Of the answer's text.
            kind: The answer's `MessageKind`, with the last part; empty: there are more.
        """
        waiting = self._calls.get(call)
        if waiting is None or not hmac.compare_digest(waiting.answer.token, str(token)):
            return "unknown"
        try:
            frame = waiting.answer.take(call, part, kind)
        except (AnswerTooLong, ValueError, TypeError) as error:
            self._lie(call, str(error))
            return "refused"
        if frame is not None and frame.kind is MessageKind.CANCELLED and waiting.limit is None:
            self._end(call, MessageKind.LOST, "It has given up a task unasked.")
        elif frame is not None:
            self._end(call, frame.kind, frame.body)
        return "taken"

    def _lie(self, number: int, sentence: str) -> None:
        self._order(self._calls[number].connection.address, CANCEL, call=number)
        self._end(number, MessageKind.INVALID, sentence)

    def _end(self, number: int, kind: MessageKind, body: str) -> None:
        call = self._calls.pop(number)
        call.connection.calls.discard(number)
        if call.limit:
            call.limit.cancel()
        self._send(kind, number, body)

    # What workers say

    def log_event(self, topic: str, msg: Any) -> None:
        """Take a worker's report; Dask calls this."""
        if topic != TOPIC or not isinstance(msg, dict):
            return
        kind, body, address = (msg.get(name) for name in ("kind", "body", "worker"))
        if not isinstance(body, str) or address not in self._scheduler.workers or len(body) > TELL_BYTES:
            return
        if kind == MessageKind.FACTS:
            self._take_facts(str(address), body)
        elif connection := self._connections.get(str(address)):
            self._pass_on(connection, str(kind), body)

    def _take_facts(self, address: str, body: str) -> None:
        try:
            facts = WorkerFacts.model_validate_json(body)
        except ValidationError:
            self._turn_away(address, "It does not speak as the coordinator does. Install the coordinator's version.")
            return
        known = self._connections.get(address)
        if known is None and (reason := why_not(self._scheduler.workers[address].versions)):
            self._turn_away(address, reason)
        elif known is None:
            self._welcome(address, facts)
        else:
            known.facts = facts
            self._report_dropped(known)
            self._tell(WorkerReport(event="alive", worker=known.name, facts=facts))

    def _welcome(self, address: str, facts: WorkerFacts) -> None:
        for each in list(self._connections.values()):
            if (each.facts.name, each.facts.process) == (facts.name, facts.process):
                self._leave(each, "It has reconnected.")
                self._cut_off(each.address, "It has reconnected.")
        name = self._scheduler.stream_comms[address].comm.peer_address
        self._connections[address] = WorkerConnection(address, name, facts, LogLimit(clock=self._clock))
        self._tell(WorkerReport(event="joined", worker=name, facts=facts))

    def _pass_on(self, connection: WorkerConnection, kind: str, body: str) -> None:
        if kind == MessageKind.LOG:
            self._pass_line(connection, body)
        elif not self._channel.is_behind and self._plays(connection, kind, body):
            self._send(MessageKind(kind), 0, body)

    def _pass_line(self, connection: WorkerConnection, body: str) -> None:
        if connection.lines.lets(len(body)):
            if not self._lines.lets(len(body)):
                connection.lines.drop()
            elif line := log_line(body, connection.facts.name):
                self._send(MessageKind.LOG, 0, line)
        self._report_dropped(connection)

    def _report_dropped(self, connection: WorkerConnection) -> None:
        if dropped := connection.lines.dropped():
            self._send(MessageKind.LOG, 0, dropped_line(dropped, connection.facts.name))

    def _plays(self, connection: WorkerConnection, kind: str, body: str) -> bool:
        """Tell whether this worker has the task in question."""
        reported = about(kind, body)
        return any(self._calls[call].subject == reported for call in connection.calls)

    def remove_worker(self, scheduler: Scheduler, worker: str, *, stimulus_id: str = "", **kwargs: Any) -> None:
        """Take the loss of a worker; Dask calls this."""
        reason = self._reasons.pop(worker, None) or _reason(stimulus_id)
        if connection := self._connections.get(worker):
            self._leave(connection, reason)

    def _leave(self, connection: WorkerConnection, reason: str) -> None:
        del self._connections[connection.address]
        for number in list(connection.calls):
            self._end(number, MessageKind.LOST, reason)
        self._tell(WorkerReport(event="left", worker=connection.name, reason=reason[:200]))

    def _tell(self, report: WorkerReport) -> None:
        self._send(MessageKind.WORKER, 0, report.model_dump_json())

    def _send(self, kind: MessageKind, call: int, body: str) -> None:
        self._channel.send(Frame(kind, call, body))


def _reason(stimulus: str) -> str:
    """Translate Dask's word for a worker's end."""
    if "ttl" in stimulus:
        return "It has sent nothing for too long."
    return "Its connection has ended."
