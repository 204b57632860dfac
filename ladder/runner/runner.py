"""
The run of a ladder: how many matches and trials begin when, for months, whatever fails, and when it ends.

`Runner` is the loop of `ladder.runner.lease_loop` with two kinds of work: submissions and matches. All of it happens in
the thread that runs it, until its `StopCondition` is met; the database is asked in that thread, too, because nothing
else waits for it.
"""

from __future__ import annotations

import asyncio
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import structlog

from ladder.errors import LadderError
from ladder.runner.lease_loop import Alarm, LeaseLoop
from ladder.runner.task_work import MatchWork, TrialWork
from referee.seats.fair_wait import loop_time

if TYPE_CHECKING:
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
SHARE = 4
"""A run tries submissions in one slot of `SHARE`, but in one at least; the others play matches."""

log = structlog.get_logger()


class TooFewBots(LadderError):
    """The stop condition cannot be met: no match can be scheduled, and none is under way."""


class Runner(LeaseLoop):
    """Runs one ladder with one executor."""

    passed_on = (TooFewBots,)

    def __init__(
        self,
        coordinator: Coordinator,
        executor: Executor,
        until: StopCondition,
        alarm: Alarm | None = None,
        max_at_once: int = MAX_CONCURRENT,
    ) -> None:
        """
        Prepare a run.

        Args:
            coordinator: Leases and records the matches of the ladder.
            executor: Where matches are played; it is the caller's to close.
            until: When the run is over.
            alarm: Rung when the number of slots has changed; None: it does not.
            max_at_once: Matches that one transaction leases at most.
        """
        self._coordinator = coordinator
        self._executor = executor
        self._until = until
        self._max_at_once = max_at_once
        self._matches = MatchWork(coordinator, executor, self._came_back)
        self._trials = TrialWork(coordinator.submissions, executor, self._came_back)
        super().__init__([self._trials, self._matches], alarm=alarm)
        self._was_idle = True
        """True if nothing was under way when the step began."""
        self._is_starved = self._is_settled = self._has_checked = self._has_more = False
        self._stops = 0
        self._voids = 0
        self._requested_at = -math.inf
        self._changes: int | None = None
        """Of the store, before the last request for matches."""
        self._must_probe = False
        self._probe: asyncio.Task[None] | None = None

    @property
    def recorded(self) -> int:
        """Results of this run."""
        return self._matches.recorded

    async def run(self) -> bool:
        """
        Run until the stop condition is met, or `stop` is called.

        Returns:
            Whether every match that had begun was finished; else they are given back to the ladder.

        Raises:
            LadderError: If no match can be scheduled and the run would never stop, or the ladder cannot be used.
            StoreError: If the ladder cannot be reached at the start.
        """
        for match, status in self._coordinator.recover().items():
            log.info("match.requeued", match=match, status=str(status), reason="its runner was killed")
        is_finished = await super().run()
        if self._stops < 2:
            self._coordinator.refresh_estimates(all_variants=True)
        return is_finished

    def stop(self) -> None:
        """Finish the matches that are under way and end; called again, give them up. For signal handlers, too."""
        self.alarm.call(self._stop)

    def is_over(self) -> bool:
        """Tell whether it has its results, or was stopped, and nothing is under way; or it was stopped twice."""
        if self.attempts and self._stops < 2:
            return False
        return self._stops > 0 or self._is_reached()

    @property
    def is_well(self) -> bool:
        """True if no void attempt makes it doubtful that the platform works."""
        return not (self._is_probing or self._must_probe)

    def patience(self) -> float:
        """Give the seconds until there is something to do even if nothing happens."""
        if self.outage.pause > 0:
            return super().patience()
        if (self._has_more and not self._stops) or (self.outage.lasts and not (self._is_probing or self._stops)):
            return 0.0
        waits = [super().patience()]
        if self._is_starved and not self._stops:
            waits.append(IDLE_SECONDS)
        if self.leases(self._trials) or (self._free > 0 and not (self._stops or self._is_probing)):
            waits.append(LOOK_SECONDS)
        return min(waits)

    async def step(self) -> None:
        """Report that this run lives, and do all that is due."""
        self._was_idle = not self.attempts
        for match, status in self._coordinator.beat().items():
            log.info("match.requeued", match=match, status=str(status), reason="its runner does not report any more")
        await super().step()

    async def begin_ready(self) -> None:
        """Begin trials in their share of the slots, and matches in the others."""
        self._matches.suspend()
        if not self._stops and not self._is_reached() and self.is_well:
            self._begin_trials()
        if not (self._stops or (self._was_idle and self._waits_for_bots)):
            self._refresh_estimates()
            self._begin_matches()

    def _is_reached(self) -> bool:
        return self._is_settled or (self._until.matches is not None and self.recorded >= self._until.matches)

    @property
    def _is_probing(self) -> bool:
        return self._probe is not None

    @property
    def _waits_for_bots(self) -> bool:
        """True if there were too few matches at the last request, not long ago, and nothing tells of more."""
        if not self._is_starved or self._must_probe or self.outage.lasts or self.leases(self._trials):
            return False
        since = loop_time() - self._requested_at
        if since < IDLE_SECONDS:
            return True
        return since < QUIET_SECONDS and self._changes is not None and self._coordinator.changes() == self._changes

    def _begin_trials(self) -> None:
        trying = self.leases(self._trials)
        count = min(self._free, max(1, self._executor.slots // SHARE) - len(trying))
        for task in self._coordinator.submissions.take(count, {(each.id, each.attempt) for each in trying}):
            self.begin(self._trials, task)

    def _begin_matches(self) -> None:
        if self._must_probe:
            self._must_probe, self._probe = False, asyncio.ensure_future(self._probe_platform())
        wanted = self._wanted()
        count = min(wanted, self._max_at_once)
        self._has_more = False
        if count <= 0 or self._is_probing:
            return
        playing = {(task.id, task.attempt) for task in self.leases(self._matches)}
        machines = self._executor.machines() if self._coordinator.owners_apart else None
        at_once = self._executor.slots if machines is None else max((_capacity(each) for each in machines), default=1)
        self._requested_at, self._changes = loop_time(), self._coordinator.changes()
        tasks = self._coordinator.take(count, self._ahead(count), playing, at_once, machines)
        for task in tasks:
            self.begin(self._matches, task)
        if not (self.attempts or self._coordinator.submissions.are_waiting()):
            self._nothing_to_play()
        self._is_starved = len(tasks) < count
        self._has_more = count < wanted and not self._is_starved

    @property
    def _free(self) -> int:
        return self._executor.slots - len(self.attempts)

    @property
    def _playing(self) -> int:
        """Number of matches that are under way."""
        return len(self.leases(self._matches))

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

    async def _probe_platform(self) -> None:
        """Check whether the engine and the disk are there, before more matches fail."""
        try:
            await asyncio.wrap_future(self._executor.ready())
        except Exception as error:
            self._must_probe = True
            self._matches.explain(platform_works=False)
            self.outage.begin(error)
        else:
            self._matches.explain(platform_works=True)
            if self._voids > 1:  # nothing is missing, but one match after the other is void
                self.outage.wait(self._voids - 1)
        finally:
            self._probe = None
            self.alarm.ring()

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

    def _stop(self) -> None:
        self._stops += 1
        if self._stops <= 2:
            log.info("ladder.stopping" if self._stops == 1 else "ladder.aborting", playing=self._playing)


def _capacity(machine: MachineLoad) -> int:
    """Say how many matches a machine plays at the same time."""
    return machine.free + len(machine.matches or ())
