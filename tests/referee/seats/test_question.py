from __future__ import annotations

import asyncio
from typing import Any

import pytest

from pigpen.v1.referee_pb2 import RefereeMessage
from referee.seats.stream_seat import PendingQuestion

WATCH: Any = None


class Asking:
    """A task that puts a question and waits for its answer; what it found when it was cancelled."""

    def __init__(self) -> None:
        self.expired: bool | None = None
        self.task = asyncio.ensure_future(self._ask())

    async def _ask(self) -> None:
        self.question = PendingQuestion(1, RefereeMessage(), WATCH)
        try:
            await self.question.answer
        except asyncio.CancelledError:
            self.expired = self.question.has_expired()
            if not self.expired:
                raise


@pytest.fixture
async def asking() -> Asking:
    asking = Asking()
    await asyncio.sleep(0)
    return asking


async def test_a_question_that_expires_ends_the_wait_and_the_task_goes_on(asking: Asking) -> None:
    asking.question.expire()
    await asking.task
    assert asking.expired
    assert not asking.task.cancelling()


async def test_a_task_that_somebody_else_cancels_is_cancelled(asking: Asking) -> None:
    asking.task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking.task
    assert asking.expired is False


async def test_so_is_one_whose_question_expires_at_the_same_moment(asking: Asking) -> None:
    asking.question.expire()
    asking.task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking.task
    assert asking.expired is False
