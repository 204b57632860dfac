"""
The ladder's loop: lease matches, hand them to an executor, record what comes back; for months, whatever fails.

Everything happens in the thread that calls `Runner.run`, one event after the other, until its `StopCondition` is met.
Other threads and signal handlers (a match has been played, the organiser stops the run) put a function to call into a
queue.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from functools import partial
from queue import Empty
from typing import TYPE_CHECKING

import structlog

from ladder.errors import LadderError
from ladder.runner.attempt_runs import EventQueue, MatchRuns, SubmissionRuns
from ladder.runner.run_log import PLATFORM_ERRORS, Outage, in_one_line

if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Future

    from ladder.runner.attempt_runs import Events
    from ladder.runner.coordinator import Coordinator
    from ladder.runner.executor import Executor
    from ladder.store.commands.queue import MachineLoad


@dataclass(frozen=True)
class StopCondition:
    """The condition that stops a run; with neither of the two it never stops by itself."""

    matches: int | None = None
    """Number of results that this run records before it stops; None: no limit."""
    ci: float | None = None
    """Stop when the ± of every active bot is at most this, in Elo."""

    @property
    def is_endless(self) -> bool:
        """True if the run continues until it is stopped."""
        return self.matches is None and self.ci is None


IDLE_SECONDS = 5.0
"""Seconds between two requests to the store for matches while there are too few."""
QUIET_SECONDS = 30.0
"""The same while nothing is written to the store: then only time can bring a match, such as a suspension's end."""
MAX_CONCURRENT = 100
"""
Matches that are leased in one transaction at most, because nothing is recorded meanwhile; also the most that are
scheduled ahead.
"""
LOOK_SECONDS = 1.0
"""Seconds between two looks for submissions while there is room for one, or one is tried."""
LONGEST_WAIT = 60.0
"""The most seconds that the loop waits for an event."""

log = structlog.get_logger()


class TooFewBots(LadderError):
    """The stop condition cannot be met: no match can be scheduled, and none is under way."""


class Runner:
    """Runs one ladder with one executor."""

    def __init__(
        self,
        coordinator: Coordinator,
        executor: Executor,
        until: StopCondition,
        tick: Callable[[], float] = time.monotonic,
        events: Events | None = None,
        max_at_once: int = MAX_CONCURRENT,
    ) -> None:
        """
        Prepare a run.

        Args:
            coordinator: Leases and records the matches of the ladder.
            executor: Where matches are played; it is the caller's to close.
            until: When the run is over.
            tick: A clock that never goes back; seconds.
            events: The queue of events; other threads and signal handlers may put into it.
            max_at_once: Matches that one transaction leases at most.
        """
        self._coordinator = coordinator
        self._executor = executor
        self._until = until
        self._max_at_once = max_at_once
        self._events: Events = EventQueue() if events is None else events
        self._matches = MatchRuns(coordinator, executor, self._events, tick, self._came_back)
        self._submissions = SubmissionRuns(coordinator.submissions, executor, self._events, tick, self._came_back)
        self._is_starved = self._is_settled = self._has_checked = self._has_more = False
        self._stops = 0
        self._voids = 0
        self._tick = tick
        self._requested_at = -math.inf
        self._changes: int | None = None
        """Of the store, before the last request for matches."""
        self._outage = Outage(tick)
        self._probing = self._must_probe = False

    @property
    def recorded(self) -> int:
        """Results of this run."""
        return self._matches.recorded

    def run(self) -> bool:
        """
        Run until the stop condition is met, or `stop` is called.

        Returns:
            Whether every match that had begun was finished; else they are given back to the ladder.

        Raises:
            LadderError: If no match can be scheduled and the run would never stop, or the ladder cannot be used.
            StoreError: If the ladder cannot be reached at the start.
        """
        self._recover()
        while not self._is_over():
            self._try()
            if not self._is_over():
                self._wait(self._seconds_to_wait())
        if self._stops >= 2:
            self._give_everything_back()
            return False
        self._coordinator.refresh_estimates(all_variants=True)
        return True

    def stop(self) -> None:
        """Finish the matches that are under way and end; called again, give them up. For signal handlers, too."""
        self._events.put(self._stop)

    def _is_over(self) -> bool:
        if self._stops >= 2:
            return True
        if self._matches or self._submissions:
            return False
        return self._stops > 0 or self._is_reached()

    def _is_reached(self) -> bool:
        return self._is_settled or (self._until.matches is not None and self.recorded >= self._until.matches)

    def _recover(self) -> None:
        for match, status in self._coordinator.recover().items():
            log.info("match.requeued", match=match, status=str(status), reason="its runner was killed")

    def _beat(self) -> None:
        for match, status in self._coordinator.beat().items():
            log.info("match.requeued", match=match, status=str(status), reason="its runner does not report any more")

    def _step(self) -> None:
        was_idle = not (self._matches or self._submissions)
        self._beat()
        self._matches.settle()
        self._submissions.settle()
        if not (self._stops or self._is_reached() or self._probing or self._must_probe):
            self._submissions.begin(self._free)
        if not (self._stops or (was_idle and self._waits_for_bots)):
            self._refresh_estimates()
            self._fill_slots()

    @property
    def _waits_for_bots(self) -> bool:
        """True if there were too few matches at the last request, not long ago, and nothing tells of more."""
        if not self._is_starved or self._must_probe or self._outage.lasts or self._submissions:
            return False
        since = self._tick() - self._requested_at
        if since < IDLE_SECONDS:
            return True
        return since < QUIET_SECONDS and self._changes is not None and self._coordinator.changes() == self._changes

    def _fill_slots(self) -> None:
        if self._must_probe:
            self._probe()
        wanted = self._wanted()
        count = min(wanted, self._max_at_once)
        self._has_more = False
        if count <= 0 or self._probing:
            return
        playing = {(task.match, task.attempt) for task in self._matches.tasks}
        machines = self._executor.machines() if self._coordinator.owners_apart else None
        at_once = self._executor.slots if machines is None else max((_capacity(each) for each in machines), default=1)
        self._requested_at, self._changes = self._tick(), self._coordinator.changes()
        tasks = self._coordinator.take(count, self._ahead(count), playing, at_once, machines)
        for task in tasks:
            self._matches.begin(task)
        if not (self._matches or self._submissions or self._submissions.are_waiting()):
            self._nothing_to_play()
        self._is_starved = len(tasks) < count
        self._has_more = count < wanted and not self._is_starved

    @property
    def _free(self) -> int:
        return self._executor.slots - self._playing - len(self._submissions.tasks)

    @property
    def _playing(self) -> int:
        """Number of matches that are under way."""
        return len(self._matches.tasks)

    def _wanted(self) -> int:
        """Say how many more matches may begin now."""
        return 0 if self._is_reached() else min(self._free, self._left() - self._playing)

    def _left(self) -> int:
        return self._executor.slots * 2 if self._until.matches is None else self._until.matches - self.recorded

    def _ahead(self, count: int) -> int:
        """Say how many more matches to schedule: no more than this run will play."""
        return min(self._executor.slots, self._max_at_once, self._left() - self._playing - count)

    def _came_back(self, is_void: bool) -> None:
        """Note whether an attempt was void; one that was may be the first sign that the platform is gone."""
        if is_void:
            self._voids += 1
            self._must_probe = True
        else:
            self._voids = 0

    def _probe(self) -> None:
        """Check whether the engine and the disk are there, before more matches fail."""
        self._must_probe, self._probing = False, True
        self._executor.ready().add_done_callback(lambda done: self._events.put(partial(self._probed, done)))

    def _probed(self, ready: Future[None]) -> None:
        self._probing = False
        if error := ready.exception():
            self._must_probe = True
            self._matches.explain(platform_works=False)
            self._outage.begin(error)
            return
        self._matches.explain(platform_works=True)
        if self._voids > 1:  # nothing is missing, but one match after the other is void
            self._outage.wait(self._voids - 1)

    def _refresh_estimates(self) -> None:
        is_new = self._coordinator.refresh_estimates()
        if self._until.ci is not None and (is_new or not self._has_checked):
            self._is_settled = self._coordinator.is_settled(self._until.ci)
            self._has_checked = True

    def _nothing_to_play(self) -> None:
        reason = self._coordinator.why_no_match()
        if reason and not self._until.is_endless:
            raise TooFewBots(reason)
        if reason and not self._is_starved:
            log.info("ladder.waiting", reason=reason)

    def _try(self) -> None:
        if self._outage.pause > 0:
            return
        try:
            self._step()
        except TooFewBots:
            raise
        except PLATFORM_ERRORS as error:
            self._outage.begin(error)
        else:
            if not (self._probing or self._must_probe):
                self._outage.end()

    def _seconds_to_wait(self) -> float:
        """Give the seconds until there is something to do even if nothing happens."""
        if (pause := self._outage.pause) > 0:  # nothing is tried before its end
            return min(LONGEST_WAIT, pause)
        waits = [LONGEST_WAIT, *self._matches.waits, *self._submissions.waits]
        if (
            self._matches.have_returned
            or (self._has_more and not self._stops)
            or (self._outage.lasts and not (self._probing or self._stops))
        ):
            return 0.0
        if self._is_starved and not self._stops:
            waits.append(IDLE_SECONDS)
        if self._submissions or (self._free > 0 and not (self._stops or self._probing)):
            waits.append(LOOK_SECONDS)
        return max(0.0, min(waits))

    def _wait(self, patience: float) -> None:
        try:
            self._events.get(timeout=patience)()
            while True:
                self._events.get(block=False)()
        except Empty:
            return

    def _stop(self) -> None:
        self._stops += 1
        if self._stops == 1:
            log.info("ladder.stopping", playing=self._playing)
        elif self._stops == 2:
            log.info("ladder.aborting", playing=self._playing)

    def _give_everything_back(self) -> None:
        """Record what has come back; the rest goes back into the queue."""
        try:
            self._matches.give_back()
            self._submissions.give_back()
        except PLATFORM_ERRORS as error:  # the next runner finds that their holder has ended
            log.error("platform.down", reason=in_one_line(error))


def _capacity(machine: MachineLoad) -> int:
    """Say how many matches a machine plays at the same time."""
    return machine.free + len(machine.matches or ())
