"""
The coordinator: what a runner asks of the store and of the disk, one transaction for each step.

Every step that failed can be taken again: before its transaction is committed nothing is done but the writing of files,
and a file of an attempt that was not recorded belongs to nobody.
"""

from __future__ import annotations

import time
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from ladder.results.files import MatchFiles
from ladder.results.summary import summarise
from ladder.runner.leased_tasks import task_of
from ladder.sandbox.host import owners
from ladder.store.commands import queue
from ladder.store.commands.estimates import RefreshRate, refresh, stale
from ladder.store.commands.match_time import seconds_of
from ladder.store.commands.records import give_up_records, remove_orphans
from ladder.store.commands.results import WrongRecord, record_summary
from ladder.store.commands.scheduling import fields_of, fill_queue, why_nobody
from ladder.store.commands.suspending import resume_due, suspend_lost
from ladder.store.queries.leased import leased_match
from ladder.store.queries.standings import errors_and_matches
from referee.records.errors import RecordError
from referee.records.recorded import BadRecord
from referee.replay.verify import checked_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from pathlib import Path
    from random import Random

    from ladder.results.summary import MatchSummary
    from ladder.settings.settings import Settings
    from ladder.store.commands.results import Result
    from ladder.store.database import Database
    from ladder.store.models import Status
    from ladder.worker.tasks import MatchOutcome, MatchTask

LOOK_BACK = 1000
"""After each result so many results before the newest records are looked at; all of them when a runner starts."""
MOST_REMEMBERED = 100
"""Results that a coordinator keeps in memory; one is recorded again within seconds, or never."""
FEW = 5
"""A bot with fewer matches has not settled, whatever its ± says."""


class Coordinator:
    """One coordinator's dealings with the ladder; time and chance are handed in."""

    def __init__(
        self,
        database: Database,
        settings: Settings,
        rng: Random,
        now: Callable[[], float],
        variants: Collection[str] | None = None,
        tick: Callable[[], float] = time.monotonic,
    ) -> None:
        """
        Create a coordinator for one ladder.

        Args:
            database: The ladder.
            settings: The ladder's settings.
            rng: Chance, for who plays whom.
            now: The clock: Unix time.
            variants: Play only these; None: all.
            tick: A clock that never goes back, and is not set; seconds.
        """
        self.files = MatchFiles(settings.data_dir)
        self._database = database
        self._settings = settings
        self._rng = rng
        self._now = now
        self._tick = tick
        self._variants = variants
        self._holder = owners.this_process()
        self._pace = RefreshRate()
        self._newest: dict[tuple[int, int], Result] = {}
        """By match and attempt: the last results, for one whose commit succeeded though its answer was lost."""

    def tidy(self) -> dict[int, Status]:
        """
        Clear up after runners that were killed: leases of the dead, files of nobody.

        Returns:
            What became of the matches that they had leased, by number.
        """
        with self._database.write() as session:
            requeued = queue.requeue_dead(session, _has_ended)
            given_up = give_up_records(session, self._settings.records)
        self._remove(given_up)
        remove_orphans(self._database, self.files)
        return requeued

    def take(self, count: int, ahead: int = 0, playing: Collection[tuple[int, int]] = frozenset()) -> list[MatchTask]:
        """
        Lease matches, and schedule new ones where too few wait.

        Args:
            count: How many are wanted; there may be fewer.
            ahead: How many more are to wait for their turn.
            playing: Matches and attempts that are under way here.
        """
        now = self._now()
        with self._database.write() as session:
            queue.requeue_expired(session, now, playing)
            resume_due(session, now)
            queue.withdraw(session)
            missing = count + ahead - queue.count_waiting(session, self._variants)
            if missing > 0:
                fill_queue(session, self._settings, self._rng, now, missing, self._variants)
            seconds = partial(seconds_of, session, settings=self._settings)
            apart = self._settings.owners_apart
            leases = queue.claim(session, self._holder, now, seconds, count, self._variants, owners_apart=apart)
            return [
                task_of(lease, leased_match(session, lease.match), seconds(lease.match), self._settings)
                for lease in leases
            ]

    def record(self, outcome: MatchOutcome) -> Result | None:
        """
        Put a finished match into the ladder: its record on the disk, then everything else in one transaction.

        Returns:
            The result; None if it came too late, since the lease had passed on.

        Raises:
            WrongRecord: If the record does not hold, or is another match's; nothing of it is kept.
            OSError: If there is no room for it.
        """
        assert outcome.record is not None
        self.files.keep(outcome.match, outcome.attempt, outcome.record, outcome.logs)
        try:
            summary = _summary(self.files.record(outcome.match, outcome.attempt))
            result, given_up = self._record(outcome, summary)
        except WrongRecord:
            self.files.remove(outcome.match, outcome.attempt)
            raise
        if result is None:
            self.files.remove(outcome.match, outcome.attempt)
        self._remove(given_up)
        return result

    def fail(self, match: int, attempt: int, reason: str, lost: str | None = None) -> Status | None:
        """
        Put a void match back, or set it aside; None if its lease had passed on.

        Args:
            match: Its number.
            attempt: The attempt that failed.
            reason: Why, in a sentence.
            lost: The identity of a program that is not to be had any more: its bots are suspended, where they
                keep nobody from playing.
        """
        with self._database.write() as session:
            status = queue.fail(session, match, attempt, reason, for_good=lost is not None)
            if status is not None and lost is not None:
                suspend_lost(session, lost, reason, self._now())
            return status

    def give_back(self, tasks: Collection[MatchTask]) -> None:
        """Put matches back that are not played on."""
        with self._database.write() as session:
            for task in tasks:
                queue.give_back(session, task.match, task.attempt)

    def why_nobody(self) -> str | None:
        """Why no match can be scheduled; None if one can be."""
        with self._database.read() as session:
            return why_nobody(session, self._variants)

    def refresh_estimates(self, whatever_it_takes: bool = False) -> bool:
        """
        Bring the ± of the bots up to date, one variant at a time, where results have come since.

        Args:
            whatever_it_takes: Of all variants, and without regard to the time that it takes.

        Returns:
            Whether any estimate was made.
        """
        if not (whatever_it_takes or self._pace.is_due(self._tick())):
            return False
        with self._database.read() as session:
            variants = stale(session, self._variants)
        for variant in variants if whatever_it_takes else variants[:1]:
            began = self._tick()
            refresh(self._database, variant)
            self._pace.took(began, self._tick())
        return bool(variants)

    def is_settled(self, ci: float) -> bool:
        """
        Whether the ± of every bot that plays is at most *ci*, in Elo, and none has only just begun.

        Variants where no match can be played are left out: no ± there will ever change. If that is all, nothing is.
        """
        with self._database.read() as session:
            fields = fields_of(session, self._variants)
            played = [name for name, field in fields.items() if field.why_none is None]
            found = errors_and_matches(session, played)
        known = [error is not None and error <= ci and matches >= FEW for error, matches in found]
        return bool(known) and all(known)

    def _record(self, outcome: MatchOutcome, summary: MatchSummary) -> tuple[Result | None, list[tuple[int, int]]]:
        attempt = outcome.match, outcome.attempt
        with self._database.write() as session:
            result = record_summary(session, *attempt, summary, self._now())
            # Of a commit whose answer was lost nobody knows: then it was recorded by us a moment ago.
            if result is None and queue.was_recorded(session, *attempt):
                result = self._newest.get(attempt)
            if result is None:
                return None, []
            self._remember(attempt, result)
            return result, give_up_records(session, self._settings.records, LOOK_BACK)

    def _remember(self, attempt: tuple[int, int], result: Result) -> None:
        self._newest[attempt] = result
        if len(self._newest) > MOST_REMEMBERED:
            del self._newest[next(iter(self._newest))]

    def _remove(self, attempts: Collection[tuple[int, int]]) -> None:
        for match, attempt in attempts:
            with suppress(OSError):  # the next start tries again
                self.files.remove(match, attempt)


def _summary(path: Path) -> MatchSummary:
    """What the record says; everything in it is played and counted again before it may count."""
    try:
        return summarise(checked_lines(path))
    except (RecordError, BadRecord) as error:
        raise WrongRecord(f"A worker's record does not hold: {error}") from error


def _has_ended(holder: str) -> bool:
    try:
        return owners.is_dead(holder)
    except ValueError:  # no name of ours: its lease will run out
        return False
