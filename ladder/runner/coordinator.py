"""
The coordinator: what a runner asks of the store and of the disk, one transaction for each step.

Every step that failed can be repeated. Before its transaction is committed it only writes files, and files of attempts
that were not recorded are removed at the next start.

House bots that fill seats are submitted by the runner itself (`submit_house_bots`), and tried like every other bot.
"""

from __future__ import annotations

import hashlib
import time
from contextlib import suppress
from functools import cache, partial
from typing import TYPE_CHECKING

import structlog

from ladder.entry.house_bots import HOUSE_BOTS
from ladder.results.files import MatchFiles
from ladder.results.live_folder import LiveFolder
from ladder.runner.leased_tasks import task_of
from ladder.runner.live_writer import LiveWriter
from ladder.runner.presence import BEAT_SECONDS, CoordinatorPresence
from ladder.runner.returned import summary_of
from ladder.runner.submission_coordinator import SubmissionCoordinator
from ladder.sandbox.bots.bot_source import find_bot
from ladder.sandbox.bots.content import Content
from ladder.store.commands import queue, submission_queue
from ladder.store.commands.entries import settle_house_bots
from ladder.store.commands.estimates import RefreshRate, refresh, stale
from ladder.store.commands.event_rounds import advance_events
from ladder.store.commands.knowledge import fields_of
from ladder.store.commands.queue import seconds_of
from ladder.store.commands.records import give_up_records, remove_orphans
from ladder.store.commands.results import WrongRecord, record_summary
from ladder.store.commands.scheduling import fill_queue, why_no_match
from ladder.store.commands.submission_queue import SUBMISSIONS, in_the_way
from ladder.store.commands.suspending import lone_reporters, resume_due, suspend_for_voids, suspend_lost
from ladder.store.models import Status
from ladder.store.queries.leased_matches import leased_match
from ladder.store.queries.standings import errors_and_matches
from ladder.store.submission_look import look_at
from ladder.store.turns import open_submissions
from ladder.values.submission import SubmissionOrder

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
    from random import Random

    from ladder.pairing.suspension import Reporter
    from ladder.results.files import SubmissionFolders
    from ladder.results.summary import MatchSummary
    from ladder.settings.settings import Settings
    from ladder.store.commands.results import Result
    from ladder.store.database import Database
    from ladder.store.models import StoredMatch
    from ladder.worker.match_tasks import MatchOutcome, MatchTask


def submit_house_bots(
    database: Database,
    folders: SubmissionFolders,
    settings: Settings,
    lacking: Mapping[str, Sequence[str]],
    now: float,
) -> None:
    """
    Put house bots into the queue of submissions, unless they wait there.

    Args:
        database: The ladder.
        folders: Where the folders of submissions lie.
        settings: How large a folder may be.
        lacking: What `settle_house_bots` gave: names, each with the variants where it is to play.
        now: Unix time.

    Raises:
        OSError: If there is no room for a folder.
    """
    for name, variants in lacking.items():
        source = find_bot(HOUSE_BOTS[name])
        assert source.folder is not None
        content = Content.read(source.folder, settings.image_bytes)
        folder = folders.make()
        content.write(folders.bot(folder, source.name))
        with database.write() as session:
            is_new = all(row.bot != name for row in open_submissions(session))
            if is_new:
                order = SubmissionOrder(name=name, source=source.name, variants=tuple(variants))
                sandbox = look_at(session, name).sandbox or settings.sandbox
                submission_queue.add(session, order, now, owner=name, sandbox=sandbox, folder=folder)
        if not is_new:
            folders.remove(folder)


log = structlog.get_logger()

LOOK_BACK = 1000
"""Results checked after each new one for records to remove, from the oldest kept one back; all when a runner starts."""
MAX_REMEMBERED = 100
"""Results that a coordinator keeps in memory; one is recorded again within seconds, or never."""
MIN_MATCHES = 5
"""A bot with fewer matches has not settled, whatever its ± says."""


class Coordinator:
    """Leases and records the matches of one ladder. The clock and the random numbers are arguments."""

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
            rng: Random numbers, to choose who plays whom.
            now: The clock: Unix time.
            variants: Play only these; None: all.
            tick: A clock that never goes back, and is not set; seconds.
        """
        self.files = MatchFiles(settings.data_dir)
        self.live = LiveWriter(LiveFolder(settings.data_dir), settings.live_delay, tick)
        self._presence = CoordinatorPresence(settings.data_dir)
        self.submissions = SubmissionCoordinator(database, settings, now, self._presence)
        self._database = database
        self._settings = settings
        self._rng = rng
        self._now = now
        self._tick = tick
        self._variants = variants
        self._holder = self._presence.holder
        self._beat_at = 0.0
        self._may_hold_more = False
        """True if it may have leased matches that it does not know of."""
        self._house_bots: set[str] = set()
        """The house bots that it has submitted: one that is refused is not submitted again and again."""
        self._pace = RefreshRate()
        self._newest: dict[tuple[int, int], Result] = {}
        """By match and attempt: the last results, for one whose commit succeeded though its answer was lost."""

    @property
    def owners_apart(self) -> bool:
        """True if it matters on which machine a match is played: no owner has bots in two at once there."""
        return self._settings.owners_apart

    def changes(self) -> int | None:
        """See `Database.changes`."""
        return self._database.changes()

    def recover(self) -> dict[int, Status]:
        """
        Join the coordinators of this ladder, and recover after those that were killed: end their leases, remove files.

        Returns:
            The new status of the matches that they had leased, by number.

        Raises:
            LadderError: If another coordinator keeps its records in another folder.
        """
        left = self.live.left()  # what comes later is of matches that others have begun meanwhile
        with self._database.write() as session:
            self._presence.join(session)
            became = _became(queue.MATCHES.requeue_dead(session, self._now(), self._presence.has_ended))
            given_up = give_up_records(session, self._settings.records)
            playing = queue.MATCHES.attempts(session)
        self._beat_at = self._tick() + BEAT_SECONDS
        self._remove(given_up)
        self.submissions.recover()
        self.live.clear(set(left) - playing)
        remove_orphans(self._database, self.files)
        return became

    def beat(self) -> dict[int, Status]:
        """
        Say now and then that this coordinator lives, and end the leases of those that do not.

        Returns:
            The new status of the matches that they had leased, by number.
        """
        if self._tick() < self._beat_at:
            return {}
        with self._database.write() as session:
            ended = self._presence.beat(session)
            became = _became(queue.MATCHES.requeue_dead(session, self._now(), ended.__contains__))
            folders = self.submissions.requeue_of(session, ended)
        self._beat_at = self._tick() + BEAT_SECONDS
        self.submissions.remove(folders)
        return became

    def leave(self) -> None:
        """Say that this coordinator has ended; if it holds leases still, the others are to find that out."""
        with self._database.write() as session:
            if not any(each.attempts(session, self._holder) for each in (queue.MATCHES, SUBMISSIONS)):
                self._presence.leave(session)

    def take(
        self,
        count: int,
        ahead: int = 0,
        playing: Collection[tuple[int, int]] = frozenset(),
        at_once: int = 1,
        machines: Sequence[queue.MachineLoad] | None = None,
    ) -> list[MatchTask]:
        """
        Lease matches, and schedule new ones where too few wait.

        Args:
            count: How many are wanted; there may be fewer.
            ahead: How many more are to wait for their turn.
            playing: Matches and attempts that are under way here.
            at_once: How many matches are played at the same time, on the machine that plays the most.
            machines: Where they can be played; None: on this machine.
        """
        now, lacking = self._now(), dict[str, list[str]]()
        self.advance_events()
        may_hold_more, self._may_hold_more = self._may_hold_more, True
        with self._database.write() as session:
            queue.MATCHES.requeue_expired(session, now, playing, self._presence.others)
            if may_hold_more:
                queue.MATCHES.requeue_unknown(session, now, self._holder, playing)
            resume_due(session, now)
            if self._settings.owners_apart or not queue.are_enough(session, count, ahead, self._variants):
                queue.withdraw(session)
                missing = count + ahead - queue.count_waiting(session, self._variants)
                if missing > 0:
                    lacking = settle_house_bots(session, self._settings.fill_with_house_bots, now, self._variants)
                    fill_queue(session, self._settings, self._rng, now, missing, self._variants, at_once)
            seconds = cache(partial(seconds_of, session, settings=self._settings))
            tried: Collection[str] = ()
            if not self._settings.owners_apart:
                machines = None
            else:
                machines = [queue.MachineLoad("", count, None)] if machines is None else machines
                tried = in_the_way(session)
            leases = queue.claim(session, self._holder, now, seconds, count, self._variants, machines, tried)
            tasks = [
                task_of(
                    lease,
                    leased_match(session, lease.id),
                    seconds(lease.id),
                    self._settings,
                    now,
                    lone_reporters(session, lease.id),
                )
                for lease in leases
            ]
        self._may_hold_more = False
        for task in tasks:
            self.live.begin(task.match, task.attempt)
        self._submit_house_bots({name: found for name, found in lacking.items() if name not in self._house_bots}, now)
        return tasks

    def advance_events(self) -> None:
        """Draw the next round of each event whose last one is over."""
        for each in advance_events(self._database, self._now()):
            if each.state is not None:
                log.info(f"event.{each.state}", name=each.event)
            elif each.failure is None:
                log.info("event.drawn", name=each.event, round=each.round)
            else:
                log.error("event.failed", name=each.event, exc_info=each.failure)

    def _submit_house_bots(self, lacking: dict[str, list[str]], now: float) -> None:
        submit_house_bots(self._database, self.submissions.folders, self._settings, lacking, now)
        self._house_bots |= lacking.keys()

    def record(self, task: MatchTask, outcome: MatchOutcome, reporter: Reporter | None = None) -> Result | None:
        """
        Put a finished match into the ladder: its record on the disk, then everything else in one transaction.

        Args:
            task: What was to be played.
            outcome: What has come of it.
            reporter: The worker that has played it; None: this machine.

        Returns:
            The result; None if it came too late: another runner has the lease now.

        Raises:
            WrongRecord: If the record does not hold, or is not of the match of *task*; nothing of it is kept.
            OSError: If there is no room for it.
        """
        assert outcome.record is not None
        self.files.keep(outcome.match, outcome.attempt, outcome.record, outcome.logs)
        try:
            summary = summary_of(self.files.record(outcome.match, outcome.attempt), task)
            result, given_up = self._record(outcome, summary, reporter)
        except WrongRecord:
            self.files.remove(outcome.match, outcome.attempt)
            raise
        if result is None:
            self.files.remove(outcome.match, outcome.attempt)
        self._remove(given_up)
        self.live.end(outcome.match, outcome.attempt, "void" if result is None else "done")
        return result

    def fail(self, task: MatchTask, reason: str, lost: str | None = None) -> Status | None:
        """
        Put a void match back into the queue, or quarantine it; None if another runner has the lease now.

        Args:
            task: The attempt that failed.
            reason: Why, in a sentence.
            lost: The identity of a program that cannot be found any more: its bots are suspended, so that others
                can continue to play.
        """
        with self._database.write() as session:
            row = queue.MATCHES.fail(session, task, self._now(), reason, for_good=lost is not None)
            if row is not None and lost is not None:
                suspend_lost(session, lost, reason, self._now())
            status = None if row is None else Status(row.status)
        self.live.end(task.match, task.attempt, "void")
        return status

    def suspect(self, match: int, broke: int | None) -> list[tuple[str, str, str]]:
        """
        Suspend a bot that is common to void matches, if one is; the platform worked when this one was void.

        Args:
            match: Its number.
            broke: The number of the bot whose container was lost; None: it was void for another reason.

        Returns:
            The bot's name, where it is suspended, and why; nothing if it is not.
        """
        with self._database.write() as session:
            return suspend_for_voids(session, match, broke, self._now())

    def give_back(self, tasks: Collection[MatchTask], reason: str = "") -> None:
        """
        Put matches back into the queue whose attempts have not failed.

        Args:
            tasks: The attempts.
            reason: Why they brought nothing, in a sentence; empty: this run will not finish them.
        """
        with self._database.write() as session:
            for task in tasks:
                queue.MATCHES.give_up(session, task, self._now(), reason)
        for task in tasks:
            self.live.end(task.match, task.attempt, "returned")

    def why_no_match(self) -> str | None:
        """Say why no match can be scheduled; None if one can be."""
        with self._database.read() as session:
            return why_no_match(session, self._variants, self._settings.clock_setting)

    def refresh_estimates(self, all_variants: bool = False) -> bool:
        """
        Bring the ± of the bots up to date, one variant at a time, where results have come since.

        Args:
            all_variants: Of all variants now, however long that takes.

        Returns:
            Whether any estimate was made.
        """
        if not (all_variants or self._pace.is_due(self._tick())):
            return False
        with self._database.read() as session:
            variants = stale(session, self._variants)
        for variant in variants if all_variants else variants[:1]:
            began = self._tick()
            refresh(self._database, variant)
            self._pace.took(began, self._tick())
        return bool(variants)

    def is_settled(self, ci: float) -> bool:
        """
        Tell whether the ± of every bot that plays is at most *ci*, in Elo, and none has only just begun.

        Variants where no match can be played are left out: no ± there will ever change. If that is all, nothing is.
        """
        with self._database.read() as session:
            fields = fields_of(session, self._variants)
            played = [name for name, field in fields.items() if field.why_none is None]
            found = errors_and_matches(session, played)
        known = [error is not None and error <= ci and matches >= MIN_MATCHES for error, matches in found]
        return bool(known) and all(known)

    def _record(
        self, outcome: MatchOutcome, summary: MatchSummary, reporter: Reporter | None
    ) -> tuple[Result | None, list[tuple[int, int]]]:
        attempt = outcome.match, outcome.attempt
        with self._database.write() as session:
            took = outcome.starting_seconds, outcome.playing_seconds
            assert outcome.record is not None
            record_hash = hashlib.sha256(outcome.record).hexdigest()
            result = record_summary(
                session, *attempt, summary, self._now(), *took, reporter=reporter, record_hash=record_hash
            )
            # If the answer to a commit was lost, the result may be stored already: then we recorded it a moment ago.
            if result is None and queue.was_recorded(session, *attempt):
                result = self._newest.get(attempt)
            if result is None:
                return None, []
            self._remember(attempt, result)
            return result, give_up_records(session, self._settings.records, LOOK_BACK)

    def _remember(self, attempt: tuple[int, int], result: Result) -> None:
        self._newest[attempt] = result
        if len(self._newest) > MAX_REMEMBERED:
            del self._newest[next(iter(self._newest))]

    def _remove(self, attempts: Collection[tuple[int, int]]) -> None:
        for match, attempt in attempts:
            with suppress(OSError):  # the next start tries again
                self.files.remove(match, attempt)


def _became(requeued: Iterable[StoredMatch]) -> dict[int, Status]:
    return {row.id: Status(row.status) for row in requeued}
