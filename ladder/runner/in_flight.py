"""The matches that an executor plays now."""

from __future__ import annotations

from typing import TYPE_CHECKING

import structlog

from ladder.store.leases import GRACE

if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Future

    from ladder.worker.tasks import MatchTask

log = structlog.get_logger()


class InFlight:
    """Matches that have begun and not come back, each with the end of its lease."""

    def __init__(self, tick: Callable[[], float]) -> None:
        """Begin with none; *tick* is a clock in seconds that never goes back."""
        self._tick = tick
        self._matches: dict[str, tuple[MatchTask, Future[str], float]] = {}

    def __len__(self) -> int:
        return len(self._matches)

    @property
    def tasks(self) -> list[MatchTask]:
        """What is played."""
        return [task for task, *_ in self._matches.values()]

    @property
    def waits(self) -> list[float]:
        """Seconds until the lease of each of them ends."""
        return [until - self._tick() for *_, until in self._matches.values()]

    def add(self, task: MatchTask, future: Future[str]) -> None:
        """Take a match in that has begun."""
        self._matches[task.key] = task, future, self._tick() + task.seconds + GRACE

    def remove(self, task: MatchTask) -> None:
        """Let a match go that has come back; nothing happens if it was given up before."""
        self._matches.pop(task.key, None)

    def give_up_expired(self) -> list[MatchTask]:
        """Give up every match whose lease has ended: its worker hangs, or its machine is gone; gives them."""
        lost = []
        for key, (task, future, until) in list(self._matches.items()):
            if until <= self._tick():
                del self._matches[key]
                future.cancel()
                log.warning("match.lost", match=task.match, attempt=task.attempt)
                lost.append(task)
        return lost

    def cancel(self) -> None:
        """Cancel those that have not really begun yet; all of them stay here."""
        for _, future, _ in self._matches.values():
            future.cancel()
