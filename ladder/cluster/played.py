"""The function that Dask runs: it passes a call to the worker program that it runs in."""

from __future__ import annotations

from distributed import get_worker


async def play(call: int, token: str, task: str) -> None:
    """
    Play a task; its answer goes to the scheduler by a message of its own, not as Dask's result.

    Args:
        call: The coordinator's number of it.
        token: Proves to the scheduler that the answer comes from the worker that has the call.
        task: The task, as JSON.
    """
    await get_worker().pigpen.play(call, token, task)
