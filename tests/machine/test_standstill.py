"""A machine that stands still for a while: no bot is blamed for it."""

from __future__ import annotations

import os
import signal
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from referee.records.file import read_record
from referee.records.framing import RecordError
from referee.records.lines import DealLine
from tests.e2e.command import started
from tests.processes import children
from tests.waiting import PATIENCE, until

if TYPE_CHECKING:
    from pathlib import Path

LIMIT = 4
"""Seconds for a decision: these bots take milliseconds."""
STOPPED_SECONDS = 2.0 * LIMIT


def everything(pid: int) -> list[int]:
    return [pid, *(each for child in children(pid) for each in everything(child))]


def deals_in(record: Path) -> list[DealLine]:
    """The deals that have been written down so far."""
    with suppress(RecordError):  # it is not there yet
        return [line for line in read_record(record) if isinstance(line, DealLine)]
    return []


def wait_for_deals(record: Path, number: int) -> None:
    until(lambda: len(deals_in(record)) >= number)


def test_when_a_machine_has_stood_still_for_longer_than_the_limit_no_bot_has_a_fault(tmp_path: Path) -> None:
    record = tmp_path / "match.jsonl"
    words = ("random", "random", "random", "random", "--sandbox", "process", "--deals", "50000")
    with started("play", *words, "--limit", str(LIMIT), "--record", str(record)) as program:
        wait_for_deals(record, 1)
        stopped = everything(program.pid)
        assert len(stopped) > 4
        for pid in stopped:
            os.kill(pid, signal.SIGSTOP)
        time.sleep(STOPPED_SECONDS)
        before = len(deals_in(record))
        for pid in stopped:
            os.kill(pid, signal.SIGCONT)
        wait_for_deals(record, before + 2)
        program.send_signal(signal.SIGINT)
        program.communicate(timeout=PATIENCE)
    deals = deals_in(record)
    assert {step.by for deal in deals for step in deal.steps} == {"bot", "forced"}
    worst = max(took for deal in deals for took in deal.took_ms)
    assert worst < 1000 * STOPPED_SECONDS, "the standstill is no part of what a decision took"
