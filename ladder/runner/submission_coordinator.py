"""Database access of a runner, or of `pigpen submit`, about submissions; one transaction for each step."""

from __future__ import annotations

import hashlib
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, cast

import structlog

from ladder.errors import BotRejected, LadderError, StoreError
from ladder.results.files import SubmissionFolders
from ladder.results.kept_sources import SourceFiles, sources_in
from ladder.runner.leased_tasks import RegistryLogins
from ladder.runner.presence import CoordinatorPresence
from ladder.sandbox.bots.content import Content
from ladder.sandbox.bots.members import Kind
from ladder.store.account_models import SubmissionStatus
from ladder.store.commands import submission_queue as queue
from ladder.store.commands.entries import settle_house_bots
from ladder.store.commands.queue import playing_owners
from ladder.store.commands.submission_queue import SUBMISSIONS
from ladder.store.commands.submissions import enter
from ladder.store.queries.submissions import submission_row
from ladder.store.queries.variant_field import field_of
from ladder.store.submission_look import look_at
from ladder.store.turns import open_submissions
from ladder.trials.trial_tasks import KnownToLadder, SubmissionTask, TrialProgress
from ladder.values.sandbox_kind import SandboxKind
from ladder.values.text import without_paths

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from ladder.entry.claims import SubmissionLook
    from ladder.settings.settings import Settings
    from ladder.store.account_models import StoredSubmission
    from ladder.store.database import Database, Session
    from ladder.trials.trial_tasks import SubmissionOutcome
    from ladder.values.sandbox_kind import LadderSandbox
    from ladder.values.submission import SubmissionOrder, SubmissionRow

TRIAL_SECONDS = 1800.0
"""A trial that takes longer has failed: fetching packages, building, all cases and deals."""
ORPHAN_SECONDS = 24 * 3600.0
"""Seconds after which a folder that belongs to no submission is removed."""

FILES = (Kind.FILE, Kind.EXECUTABLE)

log = structlog.get_logger()


class SubmissionCoordinator:
    """Leases and records the submissions of one ladder."""

    def __init__(
        self,
        database: Database,
        settings: Settings,
        now: Callable[[], float],
        presence: CoordinatorPresence | None = None,
    ) -> None:
        """
        Create a coordinator.

        Args:
            database: The ladder.
            settings: The ladder's settings.
            now: The clock: Unix time.
            presence: What is known of other coordinators; None: `pigpen submit` knows of none.
        """
        self.folders = SubmissionFolders(settings.data_dir)
        self._database = database
        self._settings = settings
        self._now = now
        self._registry_logins = RegistryLogins(settings)
        self._presence = presence or CoordinatorPresence(settings.data_dir)
        self._holder = self._presence.holder
        self._none_at: int | None = None
        """`Database.changes` when none waited."""

    def recover(self) -> None:
        """Put back what killed processes had leased, and remove folders that belong to nothing."""
        there = self.folders.names()
        with self._database.write() as session:
            SUBMISSIONS.requeue_dead(session, self._now(), self._presence.has_ended)
            kept = {row.folder for row in open_submissions(session) if row.folder}
            ended = queue.folders_of_ended(session, there)
        self.remove(ended)
        self.folders.remove_others(kept, self._now() - ORPHAN_SECONDS)

    def requeue_of(self, session: Session, ended: Collection[str]) -> list[str]:
        """Put back what these holders had leased, which have ended; gives the folders of what has ended with that."""
        return _folders(SUBMISSIONS.requeue_dead(session, self._now(), ended.__contains__))

    def begin(
        self, order: SubmissionOrder, look: SubmissionLook, *, owner: str, sandbox: SandboxKind, folder: str | None
    ) -> SubmissionTask:
        """
        Put a submission of this machine into the queue and lease it at once.

        Args:
            order: What is submitted.
            look: What the ladder held a moment ago; `record` looks again.
            owner: The owner of the bot.
            sandbox: Where it is tried and plays.
            folder: The name of its folder (`SubmissionFolders`); None: it is an image.
        """
        with self._database.write() as session:
            row = queue.add(session, order, self._now(), owner=owner, sandbox=sandbox, folder=folder)
            queue.lease(session, row, self._holder, self._now(), TRIAL_SECONDS)
            task = self._task(row, look)
        return self._with_place(task)

    def are_waiting(self) -> bool:
        """Tell whether any submission has not ended."""
        with self._database.read() as session:
            return bool(open_submissions(session))

    def take(self, count: int, trying: Collection[tuple[int, int]] = frozenset()) -> list[SubmissionTask]:
        """
        Lease submissions.

        Args:
            count: How many at most.
            trying: Submissions and attempts that are under way here.
        """
        if count <= 0 or self._none_waits():  # nearly always, and without a transaction that writes
            return []
        now = self._now()
        with self._database.write() as session:
            lost = SUBMISSIONS.requeue_expired(session, now, trying, self._presence.others)
            # Such as of a `pigpen submit` that was killed.
            lost += SUBMISSIONS.requeue_dead(session, now, self._presence.has_ended)
            ended = _folders(lost)
            busy = playing_owners(session) if self._settings.owners_apart else set()
            rows = queue.claim(session, self._holder, now, TRIAL_SECONDS, count, busy)
            tasks = [self._task(row, look_at(session, row.bot)) for row in rows]
        self.remove(ended)
        return [self._with_place(task) for task in tasks]

    def _none_waits(self) -> bool:
        """Tell whether all submissions have ended; ask only if anything was written since it was so."""
        changes = self._database.changes()
        if changes is not None and changes == self._none_at:
            return True
        none_waits = not self.are_waiting()
        self._none_at = changes if none_waits else None
        return none_waits

    def lost(self, tasks: Iterable[SubmissionTask]) -> list[SubmissionTask]:
        """List those whose attempt no longer counts: the submission was withdrawn, or another process holds it."""
        with self._database.read() as session:
            return [task for task in tasks if SUBMISSIONS.held(session, task) is None]

    def take_progress(self, text: str) -> None:
        """Write down how far an attempt has come, as a `TrialProgress` in JSON says; from any thread."""
        progress = TrialProgress.model_validate_json(text)
        with suppress(StoreError), self._database.write() as session:  # the next one comes soon
            queue.note_progress(session, progress)

    def record(self, outcome: SubmissionOutcome) -> SubmissionRow | None:
        """
        Enter a bot that is fit, or write down why it is not, in one transaction.

        Returns:
            The submission as it has ended, or waits again; None if the outcome came too late.
        """
        with self._database.write() as session:
            row = SUBMISSIONS.held(session, outcome)
            if row is None:
                return None
            if outcome.void is not None:
                reason = self._public_reason(row, outcome.void)
                queue.fail(session, outcome, self._now(), reason, lost_container=outcome.lost_container)
            elif outcome.refused is not None:
                SUBMISSIONS.end(session, row, SubmissionStatus.REFUSED, self._now(), outcome.refused)
            else:
                self._enter(session, row, outcome)
            found, folder = submission_row(session, row.id), row.folder
        assert found is not None
        if found.status == SubmissionStatus.ENTERED and outcome.program is not None and folder:
            self._put_sources_by(self.folders.bot(folder, found.source), outcome.program.identity)
        if found.finished is not None:
            self.remove([folder])
        return found

    def _put_sources_by(self, folder: Path, identity: str) -> None:
        """Keep the sources of a bot that was entered, to be fingerprinted; without them it plays all the same."""
        try:
            content = Content.read(folder)
            files = ((each.name, each.content) for each in content.members if each.kind in FILES)
            SourceFiles(self._settings.data_dir).put_by(identity, sources_in(files))
        except (OSError, BotRejected) as error:
            log.warning("sources.not_kept", identity=identity, reason=str(error))

    def end(self, task: SubmissionTask, status: SubmissionStatus, reason: str) -> SubmissionRow | None:
        """End a submission that is leased here, without an outcome; None if another process holds it now."""
        with self._database.write() as session:
            row = SUBMISSIONS.held(session, task)
            if row is None:
                return None
            SUBMISSIONS.end(session, row, status, self._now(), reason)
            found, folder = submission_row(session, row.id), row.folder
        self.remove([folder])
        return found

    def give_back(self, tasks: Collection[SubmissionTask], reason: str = "") -> None:
        """
        Put submissions back into the queue whose attempts have not failed.

        Args:
            tasks: The attempts.
            reason: Why they brought nothing, in a sentence; empty: this run will not finish them.
        """
        with self._database.write() as session:
            rows = [SUBMISSIONS.give_up(session, task, self._now(), reason) for task in tasks]
            ended = _folders(row for row in rows if row is not None)
        self.remove(ended)

    def _public_reason(self, row: StoredSubmission, why: str) -> str:
        """Give the reason of a failure as a remote owner reads it: without paths of this ladder."""
        if not row.remote:
            return why
        if row.folder:
            why = why.replace(str(self.folders.bot(row.folder, row.source)), row.source)
        return without_paths(why.replace(str(self._settings.data_dir), "/data"))  # a path with spaces, too

    def remove(self, folders: Iterable[str | None]) -> None:
        """Remove folders of submissions."""
        for folder in filter(None, folders):
            self.folders.remove(folder)

    def _task(self, row: StoredSubmission, look: SubmissionLook) -> SubmissionTask:
        settings = self._settings
        return SubmissionTask(
            submission=row.id,
            attempt=row.attempt,
            order=row.order,
            owner=row.owner,
            source=row.source,
            image=row.image,
            registry=self._registry_logins.login([row.image], self._now()),
            folder=str(self.folders.bot(row.folder, row.source)) if row.folder else None,
            known=KnownToLadder.of(look),
            sandbox=cast("LadderSandbox", row.sandbox),
            runtime=settings.runtime,
            locked_bytes=settings.locked_bytes,
            instances=settings.instances,
            warm_bytes=settings.warm_bytes,
            most_bytes=settings.image_bytes,
            builds="base" if row.remote else settings.builds,
            languages=tuple(settings.languages.split()),
            clock=asdict(settings.clock_setting),
            deals=settings.preflight_deals,
            data_dir=str(settings.data_dir),
            seconds=TRIAL_SECONDS,
        )

    def _with_place(self, task: SubmissionTask) -> SubmissionTask:
        """Say where in the ladder's registry its image goes, unless it is there: by what it is built from."""
        if not self._settings.registry or task.sandbox != SandboxKind.DOCKER or task.registry is not None:
            return task
        try:
            of = Content.read(Path(task.folder), task.most_bytes).hash if task.folder else _hash(task.image or "")
        except BotRejected:  # the trial says so
            return task
        return task.model_copy(update={"place": self._registry_logins.place(of, self._now())})

    def _enter(self, session: Session, row: StoredSubmission, outcome: SubmissionOutcome) -> None:
        """Enter what has passed; a name, or an image, may be another owner's by now."""
        try:
            with session.begin_nested():
                result = enter(session, row, outcome, self._now(), self._settings.registry)
        except LadderError as error:
            SUBMISSIONS.end(session, row, SubmissionStatus.REFUSED, self._now(), str(error))
            return
        settle_house_bots(session, house := self._settings.fill_with_house_bots, self._now())
        session.flush()
        entries = tuple(
            entry.model_copy(update={"missing_owners": field_of(session, entry.variant).missing(house)})
            for entry in result.variants
        )
        row.result = result.model_copy(update={"variants": entries}).model_dump(mode="json")
        SUBMISSIONS.end(
            session, row, SubmissionStatus.ENTERED if result.accepted else SubmissionStatus.REFUSED, self._now()
        )


def _folders(lost: Iterable[StoredSubmission]) -> list[str]:
    """Give the folders of those submissions that have ended."""
    return [row.folder for row in lost if row.folder and row.finished is not None]


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
