"""
Routes whose functions make a page, or an answer, in a thread: visitors share those threads fairly.

FastAPI alone would run all functions in one pool of threads, first come, first served: one visitor who asks for much
that takes long would have all of them.
"""

from __future__ import annotations

from functools import partial, wraps
from inspect import iscoroutinefunction
from typing import TYPE_CHECKING, Any, TypeVar

from fastapi import APIRouter, Request
from fastapi.routing import APIRoute

from ladder.site.rendering.translations import to_translate
from ladder.site.server.places import Turns
from ladder.site.server.viewer import address_of

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator

    from ladder.site.server.context import Site

T = TypeVar("T")
THREADS = 8
"""Answers that are made at once: more would only wait for each other, and each thread has a connection."""
OTHER_THREADS = 4
"""Threads for what takes no turn: files that are read, and the answers of refusals."""
MAX_WAITING = 1000
"""Requests that wait until they are answered."""
BUSY = to_translate("Too much is asked of this site at the moment; try again soon.")
BUSY_SECONDS = 10.0


def page_turns() -> Turns:
    """Make the turns in which all pages and answers are made."""
    return Turns(THREADS, MAX_WAITING, BUSY, BUSY_SECONDS)


async def in_turn(request: Request, work: Callable[..., T], *values: Any) -> T:
    """
    Do some work for a visitor in a thread, when it is the visitor's turn.

    Args:
        request: Whose work it is.
        work: A function.
        values: Its arguments.

    Raises:
        Busy: If very many requests wait, and no other visitors have more that do.
    """
    site: Site = request.app.state.site
    return await site.turns.do(address_of(request), partial(work, *values))


async def parts_in_turn(request: Request, parts: Iterator[bytes]) -> AsyncIterator[bytes]:
    """Give the parts of a long answer, each made when it is the visitor's turn."""
    while part := await in_turn(request, next, parts, b""):
        yield part


class SharedRoute(APIRoute):
    """A route; its function waits for the visitor's turn, if it is not asynchronous."""

    def __init__(self, path: str, endpoint: Callable[..., Any], **options: Any) -> None:
        """See FastAPI."""
        super().__init__(path, endpoint if iscoroutinefunction(endpoint) else _shared(endpoint), **options)


def _shared(endpoint: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(endpoint)
    async def wait_for_turn(**values: Any) -> Any:
        request = next(value for value in values.values() if isinstance(value, Request))
        return await in_turn(request, partial(endpoint, **values))

    return wait_for_turn


class Router(APIRouter):
    """A group of routes of the site."""

    def __init__(self, **options: Any) -> None:
        """See FastAPI."""
        super().__init__(route_class=SharedRoute, **options)
