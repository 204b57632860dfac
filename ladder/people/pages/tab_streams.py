"""The stream of one open tab of a table's page: its states as server-sent events."""

from __future__ import annotations

import asyncio
from contextlib import aclosing, suppress
from typing import TYPE_CHECKING, TypeVar

from ladder.values.person_state import PersonState
from ladder.values.watch_state import WatchState

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator, Callable

    from ladder.people.sessions.tabs import Tab
    from ladder.site.server.metrics import Metrics

S = TypeVar("S", PersonState, WatchState)
PULSE_SECONDS = 15.0
"""Seconds without a state after which a comment is sent, so that no proxy closes the stream as idle."""
RETRY_MS = 500
"""After how many milliseconds a browser tries again."""


async def tab_messages(metrics: Metrics, tab: Tab[S], is_last: Callable[[S], bool]) -> AsyncIterator[str]:
    """
    Give the stream: each state is a message whose id is its number.

    `stop` says that nothing more will come; a stream that ends without it ended with the site, which may come again.
    """
    metrics.stream_opened(1)
    try:
        yield f"retry: {RETRY_MS}\n\n"
        last: S | None = None
        async with aclosing(_with_pulses(tab)) as states:
            async for state in states:
                last = state or last
                yield f"id: {state.number}\ndata: {state.model_dump_json()}\n\n" if state else ": still here\n\n"
        if last is not None and is_last(last):
            yield "event: stop\ndata: {}\n\n"
    finally:
        tab.close()
        metrics.stream_opened(-1)


async def _with_pulses(tab: Tab[S]) -> AsyncGenerator[S | None]:
    """The states of a tab; None whenever none has come for a while."""
    coming = asyncio.ensure_future(anext(tab, None))
    try:
        while True:
            done, _ = await asyncio.wait((coming,), timeout=PULSE_SECONDS)
            if done and (state := coming.result()) is None:
                return
            yield state if done else None
            if done:
                coming = asyncio.ensure_future(anext(tab, None))
    finally:
        coming.cancel()
        with suppress(asyncio.CancelledError, Exception):
            await coming
