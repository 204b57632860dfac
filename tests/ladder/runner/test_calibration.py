"""The calibration match: played here and there, and what shows that a machine plays otherwise."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from ladder.errors import SandboxError
from ladder.runner.calibration import Calibration, CalibrationDiffers
from ladder.worker.calibration_match import play_calibration_match
from ladder.worker.match_tasks import MatchOutcome, load_version
from ladder.worker.worker import Worker
from referee.records.file import PackedRecord
from referee.records.framing import read_member
from referee.records.lines import DealLine, MatchLine, from_json

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.fixture(scope="module")
def record() -> bytes:
    """Give the record of the match on this machine."""
    return asyncio.run(play_calibration_match())


async def speed(record: bytes, answer: str) -> float:
    """Measure the speed of a worker that gives this answer, where the record is known."""

    async def here() -> bytes:
        return record

    async def there(task: str) -> str:
        return answer

    return await Calibration(here).speed(there)


def outcome(record: bytes | None, void: str | None = None) -> str:
    return MatchOutcome(match=0, attempt=0, record=record, void=void).model_dump_json()


def rewritten(record: bytes, change: Callable[[MatchLine | DealLine], MatchLine | DealLine]) -> bytes:
    """A record whose first deal was changed, and its chain made anew."""
    import io

    from referee.records.framing import START, unchained

    new, file, before = PackedRecord(), io.BytesIO(record), START
    while text := read_member(file):
        plain, before = unchained(text.rstrip(b"\n"), before)
        line = from_json(plain)
        new.write(change(line) if isinstance(line, (MatchLine, DealLine)) else line)
    return bytes(new)


async def test_a_worker_plays_the_same_match_and_tells_how_fast_it_is(record: bytes) -> None:
    worker = Worker(load_version)

    async def here() -> bytes:
        return record

    try:
        found = await Calibration(here).speed(worker.play)
    finally:
        await worker.close()
    assert found > 100


async def test_times_make_no_difference_but_to_the_speed(record: bytes) -> None:
    def slower(line: MatchLine | DealLine) -> MatchLine | DealLine:
        if isinstance(line, MatchLine):
            return line.model_copy(update={"started": "2020-01-01T00:00:00Z"})
        return line.model_copy(update={"took_ms": tuple(2 * each for each in line.took_ms)})

    fast, slow = await speed(record, outcome(record)), await speed(record, outcome(rewritten(record, slower)))
    assert slow == pytest.approx(fast / 2)


async def test_a_record_with_times_that_no_machine_can_have_differs(record: bytes) -> None:
    def instant(line: MatchLine | DealLine) -> MatchLine | DealLine:
        if isinstance(line, MatchLine):
            return line
        return line.model_copy(update={"took_ms": (1e-318,) * len(line.took_ms)})

    with pytest.raises(CalibrationDiffers, match="faster than any machine"):
        await speed(record, outcome(rewritten(record, instant)))


async def test_one_card_makes_a_difference(record: bytes) -> None:
    def swapped(line: MatchLine | DealLine) -> MatchLine | DealLine:
        if isinstance(line, MatchLine) or line.deal:
            return line
        return line.model_copy(update={"scores": tuple(reversed(line.scores))})

    with pytest.raises(CalibrationDiffers, match="not the one"):
        await speed(record, outcome(rewritten(record, swapped)))


@pytest.mark.parametrize("garbage", ["", "{}", '"x"', '{"match": 0, "attempt": 0, "record": "AAAA"}'])
async def test_an_answer_that_is_no_record_differs(record: bytes, garbage: str) -> None:
    with pytest.raises(CalibrationDiffers, match="cannot be understood"):
        await speed(record, garbage)


async def test_a_record_that_is_cut_off_differs(record: bytes) -> None:
    with pytest.raises(CalibrationDiffers):
        await speed(record, outcome(record[:-20]))


async def test_a_void_match_says_nothing_about_the_truth(record: bytes) -> None:
    with pytest.raises(SandboxError, match="The disk is full"):
        await speed(record, outcome(None, "The disk is full."))


async def test_a_match_that_fails_here_is_tried_again(record: bytes) -> None:
    results: list[bytes | Exception] = [SandboxError("The disk is full."), record]

    async def here() -> bytes:
        result = results.pop(0)
        if isinstance(result, Exception):
            raise result
        return result

    async def there(task: str) -> str:
        return outcome(record)

    calibration = Calibration(here)
    with pytest.raises(SandboxError, match="machine: The disk is"):
        await calibration.speed(there)
    assert await calibration.speed(there) > 0
    assert results == []
