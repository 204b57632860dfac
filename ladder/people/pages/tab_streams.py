"""The stream of one open tab of a table's page: its states as server-sent events."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from ladder.site.server.event_streams import STOP, event, retry_after
from ladder.values.person_state import PersonState
from ladder.values.watch_state import WatchState

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable

    from ladder.people.sessions.tabs import Tab

S = TypeVar("S", PersonState, WatchState)
RETRY_MS = 500
"""After how many milliseconds a browser tries again."""


async def tab_messages(tab: Tab[S], is_last: Callable[[S], bool]) -> AsyncGenerator[str]:
    """
    Give the stream: each state is a message whose id is its number.

    `stop` says that nothing more will come; a stream that ends without it ended with the site, which may come again.
    """
    try:
        yield retry_after(RETRY_MS)
        last: S | None = None
        async for state in tab:
            last = state
            yield event(state.model_dump_json(), state.number)
        if last is not None and is_last(last):
            yield STOP
    finally:
        tab.close()
