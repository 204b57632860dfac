"""Running coroutines for callers that have no event loop, or are called by one, as notebooks are."""

from __future__ import annotations

import asyncio
import functools
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from typing import TYPE_CHECKING, ParamSpec, TypeAlias, TypeVar

from ladder.terminal.progress_bar import progress as bar
from referee.seats.fair_wait import new_loop

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterator

P = ParamSpec("P")
T = TypeVar("T")
Progress: TypeAlias = "bool | Callable[[int, int | None], object]"
"""True to show a bar on a terminal; or a function called with the amount done and the total (None: unknown)."""


class Interrupt:
    """Ends work in another thread where it next waits, or tells how far it is."""

    def __init__(self) -> None:
        """Begin; nothing has asked for the end."""
        self._wanted = threading.Event()
        self._task: asyncio.Task[object] | None = None

    def check(self) -> None:
        """
        Raise if the work is to end.

        Raises:
            asyncio.CancelledError: If the work is to end.
        """
        if self._wanted.is_set():
            raise asyncio.CancelledError

    async def reaching(self, work: Coroutine[object, object, T]) -> T:
        """Do work that `end` can reach."""
        self._loop, self._task = asyncio.get_running_loop(), asyncio.current_task()
        _interrupt.set(self)
        return await work

    def end(self) -> None:
        """Ask for the end, from another thread."""
        self._wanted.set()
        if self._task is not None:
            with suppress(RuntimeError):  # its loop is closed, as the work is over
                self._loop.call_soon_threadsafe(self._task.cancel)


_interrupt: ContextVar[Interrupt | None] = ContextVar("interrupt", default=None)


def blocking(work: Callable[P, Coroutine[object, object, T]]) -> Callable[P, T]:
    """Make a function that does the same and returns when it is done; it may be called while an event loop runs."""

    @functools.wraps(work)
    def call(*args: P.args, **kwargs: P.kwargs) -> T:
        return run(work(*args, **kwargs))

    call.__name__ = call.__qualname__ = work.__name__.removesuffix("_async")
    return call


def run(work: Coroutine[object, object, T]) -> T:
    """Run work to its end: here, or in a thread of its own where an event loop runs already."""
    interrupt = Interrupt()

    def alone() -> T:
        with asyncio.Runner(loop_factory=new_loop) as runner:
            return runner.run(interrupt.reaching(work))

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return alone()
    with ThreadPoolExecutor(1) as thread:
        try:
            return thread.submit(alone).result()
        except BaseException:
            interrupt.end()
            raise


@contextmanager
def shown(progress: Progress, what: str, total: int | None) -> Iterator[Callable[[], None]]:
    """
    Give what is called after each piece of work.

    Args:
        progress: How to show it.
        what: What the pieces are called.
        total: How many there are; None: unknown.
    """
    interrupt, done = _interrupt.get(), 0
    with bar(what, total, hidden=progress is not True) as advance:

        def step() -> None:
            nonlocal done
            done += 1
            advance()
            if callable(progress):
                progress(done, total)
            if interrupt:
                interrupt.check()

        yield step
