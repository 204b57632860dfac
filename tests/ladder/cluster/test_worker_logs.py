"""Lines of workers and schedulers in the coordinator's log: checked, counted, and distinct from its own."""

from __future__ import annotations

import doctest
import json
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from distributed.versions import get_versions

from ladder.cli.organise.watch import LadderWatch
from ladder.cluster import connections
from ladder.cluster.connections import BURST_LINES, LINE_CHARACTERS, MAX_CHARACTERS, REPORT_SECONDS, LogLimit
from ladder.cluster.dispatcher import Dispatcher
from ladder.cluster.scheduler_process import SchedulerProcess
from ladder.cluster.terms import TOPIC
from ladder.runner.run_log import log_to
from ladder.worker.channel import Frame, MessageKind
from tests.ladder.cluster_rows import facts

if TYPE_CHECKING:
    from pathlib import Path

ADDRESS = "tls://127.1.2.3:1"


class FrameLog:
    """A scheduler's end of the connection to its coordinator: keeps what is sent."""

    is_behind = False

    def __init__(self) -> None:
        self.frames: list[Frame] = []

    def send(self, frame: Frame) -> None:
        self.frames.append(frame)

    @property
    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(frame.body) for frame in self.frames if frame.kind is MessageKind.LOG]


class Chatty:
    """A worker that a dispatcher knows, and that sends what the test gives it."""

    def __init__(self) -> None:
        self.received = FrameLog()
        self.now = 0.0
        comm = SimpleNamespace(comm=SimpleNamespace(peer_address=ADDRESS))
        scheduler = SimpleNamespace(
            workers={ADDRESS: SimpleNamespace(versions=get_versions())},
            stream_comms={ADDRESS: comm},
            worker_send=lambda *_: None,
        )
        self._dispatcher = Dispatcher(scheduler, self.received, clock=lambda: self.now)  # type: ignore[arg-type]
        self.tell(MessageKind.FACTS, facts("sty").model_dump_json())

    def tell(self, kind: MessageKind, body: str) -> None:
        self._dispatcher.log_event(TOPIC, {"kind": str(kind), "body": body, "worker": ADDRESS})

    def write(self, **event: object) -> None:
        self.tell(MessageKind.LOG, json.dumps({"level": "info", "event": "printed"} | event))


def written(tmp_path: Path, *bodies: str, watch: LadderWatch | None = None) -> list[dict[str, Any]]:
    """Give the log of a coordinator whose scheduler sends these lines."""
    stop = log_to(tmp_path / "ladder.jsonl", to_stderr=False, watch=watch.take if watch else lambda event: None)
    scheduler = SchedulerProcess.__new__(SchedulerProcess)
    for body in bodies:
        scheduler._receive(Frame(MessageKind.LOG, 0, body))
    stop()
    text = (tmp_path / "ladder.jsonl").read_text("ascii")
    assert all(line.isprintable() for line in text.splitlines())
    return [json.loads(line) for line in text.splitlines()]


def line(**event: object) -> str:
    return json.dumps({"level": "warning", "event": "container.died", "worker_name": "sty"} | event)


def test_the_examples_are_true() -> None:
    assert doctest.testmod(connections).failed == 0


def test_a_line_of_a_worker_stands_in_the_log_with_its_name(tmp_path: Path) -> None:
    worker = Chatty()
    worker.write(event="container.died", match=7, worker_name="barn", timestamp="yesterday")
    (passed,) = [frame.body for frame in worker.received.frames if frame.kind is MessageKind.LOG]
    (event,) = written(tmp_path, passed)
    assert event.pop("timestamp") != "yesterday"
    wanted = {"event": "container.died", "match": 7, "worker_name": "sty", "level": "info", "source": "worker"}
    assert event == wanted


def test_a_flood_is_cut_off_and_its_size_is_told(tmp_path: Path) -> None:
    worker = Chatty()
    for number in range(10_000):
        worker.write(number=number)
    events = worker.received.lines
    assert len(events) < BURST_LINES + 50
    reports = [event for event in events if event["event"] == "worker.log_dropped"]
    assert len(reports) == 1
    assert (reports[0]["worker_name"], reports[0]["level"]) == ("sty", "warning")


def test_one_who_floods_takes_nothing_from_another() -> None:
    first, second = LogLimit(10, 1, lambda: 0.0), LogLimit(10, 1, lambda: 0.0)
    assert sum(first.lets(10) for _ in range(100)) == 10
    assert second.lets(10)


def test_lines_come_again_with_time_and_every_dropped_one_is_counted_once() -> None:
    now = 0.0
    limit = LogLimit(burst=10, a_second=2, clock=lambda: now)
    passed = sum(limit.lets(10) for _ in range(30))
    counts = [limit.dropped(), limit.dropped()]
    assert (passed, counts) == (10, [20, 0])
    now = 3.0
    passed = sum(limit.lets(10) for _ in range(30))
    assert (passed, limit.dropped()) == (6, 0)
    now = 20.0
    assert limit.dropped() == 24


def test_long_lines_count_as_many() -> None:
    limit = LogLimit(burst=200, a_second=0, clock=lambda: 0.0)
    assert sum(limit.lets(LINE_CHARACTERS) for _ in range(100)) == 3


def test_a_worker_that_floods_and_falls_silent_is_reported_when_it_says_how_it_is() -> None:
    worker = Chatty()
    for number in range(500):
        worker.write(number=number)
    worker.now += REPORT_SECONDS
    worker.tell(MessageKind.FACTS, facts("sty").model_dump_json())
    dropped = sum(event["lines"] for event in worker.received.lines if event["event"] == "worker.log_dropped")
    passed_on = sum(event["event"] == "printed" for event in worker.received.lines)
    assert dropped + passed_on == 500


@pytest.mark.parametrize(
    "field",
    ["self", "event", "method_name", "exc_info", "stack_info", "level", "timestamp", "source", "_record", "a b", ""],
)
def test_no_field_of_a_hostile_line_means_anything_to_the_logger(tmp_path: Path, field: str) -> None:
    body = json.dumps({**json.loads(line()), field: "info" if field == "level" else "x"})
    (event,) = written(tmp_path, body)
    assert (event["source"], event["worker_name"]) == ("worker", "sty")
    assert event["event"] == ("x" if field == "event" else "container.died")
    assert set(event) == {"event", "worker_name", "source", "level", "timestamp"}


@pytest.mark.parametrize(
    "body",
    ["", "[]", "7", "{}", "{", '{"level": "info"}', '{"level": "nonsense", "event": "x"}', '{"level": [], "event": 1}',
     "[" * 100_000, '{"level": "info", "event": ' + "9" * 5000 + "}"],
)  # fmt: skip
def test_what_is_no_event_is_not_written(tmp_path: Path, body: str) -> None:
    assert written(tmp_path, body) == []


def test_a_hostile_line_has_a_length_and_no_depth(tmp_path: Path) -> None:
    deep: list[object] = []
    for _ in range(400):
        deep = [deep]
    many = {f"f{number}": number for number in range(1000)}
    (event,) = written(tmp_path, line(event="e" * 9999, text="t" * 99_999, deep=deep, **many))
    assert len(json.dumps(event)) < 2 * MAX_CHARACTERS
    assert isinstance(event["deep"], str)


def test_an_exception_of_another_process_is_an_error_here(tmp_path: Path) -> None:
    (event,) = written(tmp_path, line(level="exception", exception="Traceback …"))
    assert (event["level"], event["exception"]) == ("error", "Traceback …")


def test_an_event_of_a_worker_is_never_taken_for_the_coordinators(tmp_path: Path) -> None:
    watch = LadderWatch(None)
    forged = [line(event="match.finished", deals=10**9, match=1), line(event="match.void"), line(event="worker.joined")]
    forged += [json.dumps({"level": "info", "event": "match.finished"})]
    assert [event["source"] for event in written(tmp_path, *forged, watch=watch)] == ["worker"] * 3 + ["scheduler"]
    assert watch.summary().startswith("0 matches recorded (0 deals)")
