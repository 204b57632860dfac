"""What Dask is told to run: it hands a call over to the worker program that it runs in."""

from __future__ import annotations

from distributed import get_worker


async def play(call: int, token: str, task: str) -> None:
    """
    Play a task; its answer goes to the scheduler in another way than as Dask's result.

    Args:
        call: The coordinator's number of it.
        token: Shows the scheduler that the answer comes from whom it asked.
        task: The task, as JSON.
    """
    await get_worker().pigpen.play(call, token, task)
