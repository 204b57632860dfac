"""
The work of sending the letters of the outbox, and its access to the database.

A letter is sent again, after growing pauses, until the server has accepted it or it would come too late. A process that
ends between the server's answer and the note of it has sent a letter that comes again, with the same Message-ID: at
least once, as webhooks. While the server takes no letters at all, none is tried but one after each pause.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import structlog

from ladder.mail.smtp import Answer, Outcome
from ladder.runner.delivering import RETRY_SECONDS, pause_after
from ladder.runner.leased_rows import LeasedRows, RowsWork
from ladder.store.commands import letters as commands
from ladder.store.commands.letters import LETTERS, LetterLease
from ladder.store.mail_models import Letter

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Collection, Sequence
    from random import Random

    from ladder.results.files import WakeFile
    from ladder.store.database import Database, Session

    Send = Callable[[LetterLease], Awaitable[Outcome]]
    """Composes a letter and sends it once."""
    Answering = Callable[[Session, float], None]
    """Writes the letters that visitors have asked for, in a transaction, at a Unix time."""
    Looking = Callable[[Session, float], None]
    """Writes notices of times that come near, as above."""

MAX_AT_ONCE = 2
"""Letters that a process sends at the same time."""
LONGEST_STEPS = 4
"""The pause after this number of failures in a row, 11 minutes, is the longest while the server takes no letters."""

log = structlog.get_logger()


class LetterRows(LeasedRows[Letter]):
    """The letters that one process has leased."""

    def __init__(
        self,
        database: Database,
        clock: Callable[[], float],
        a_day: int,
        answer: Answering,
        look_ahead: Looking,
        holder: str | None = None,
    ) -> None:
        """
        Prepare; see `LeasedRows`.

        Args:
            database: The ladder's.
            clock: Gives Unix time.
            a_day: Letters that may be sent in 24 hours.
            answer: Writes the letters that visitors have asked for.
            look_ahead: Writes notices of times that come near.
            holder: Who leases; None: this process.
        """
        super().__init__(database, LETTERS, clock, holder)
        self._a_day = a_day
        self._answer = answer
        self._look_ahead = look_ahead

    async def look(self, count: int) -> tuple[set[tuple[int, int]], list[int]]:
        """Read what this process has leased, and which letters are to be sent now."""
        now = self.clock()
        return await self.read(
            lambda session: (
                self.queue.attempts(session, self.holder),
                commands.next_due(session, now, count, self._a_day),
            )
        )

    async def renew(self, under_way: Collection[tuple[int, int]]) -> None:
        """Renew the leases; a ladder without addresses and letters writes nothing."""
        if await self.read(commands.has_any):
            await super().renew(under_way)

    def maintain(self, session: Session, now: float) -> None:
        """Write notices of times that come near."""
        self._look_ahead(session, now)

    async def claim(self, count: int) -> Sequence[LetterLease]:
        """Lease letters that are to be sent now."""
        now = self.clock()

        def claim(session: Session) -> Sequence[LetterLease]:
            self._answer(session, now)
            return commands.claim(session, self.holder, now, self.seconds(session, now), count, self._a_day)

        return await self.write(claim)

    async def note(self, lease: LetterLease, outcome: Outcome, again: float | None) -> None:
        """
        Write down the result of an attempt.

        Args:
            lease: The attempt.
            outcome: Its result.
            again: Seconds until the next attempt; None: there is none.
        """
        now, reason = self.clock(), outcome.sentence

        def note(session: Session) -> None:
            if outcome.is_accepted:
                commands.accept(session, lease, now)
            elif outcome.answer is Answer.NO_SERVER:
                commands.hold_all(session, lease, reason, now, again or 0.0)
            elif outcome.answer is Answer.BAD_ADDRESS:
                commands.refuse_address(session, lease, reason, now)
            else:
                commands.refuse(session, lease, reason, now, again)

        await self.write(note)


class Letters(RowsWork[LetterLease, Outcome]):
    """Sends letters."""

    name = "mail"

    def __init__(
        self,
        rows: LetterRows,
        files: WakeFile,
        send: Send,
        rng: Random,
        retry_seconds: float = RETRY_SECONDS,
    ) -> None:
        """
        Prepare.

        Args:
            rows: The outbox.
            files: Wakes it, and shows that it lives.
            send: Composes a letter and sends it once.
            rng: Chance, for the pauses before a letter is sent again.
            retry_seconds: Seconds that a lease is kept after a failure of the database.
        """
        super().__init__(rows, files, retry_seconds)
        self._rows = rows
        self._send = send
        self._rng = rng
        self._failures = 0
        """Attempts in a row for which there was no server."""

    async def take(self, leases: Sequence[LetterLease]) -> Sequence[LetterLease]:
        """Lease what is to be sent now; while the server takes nothing, one letter at a time."""
        room = (1 if self._failures else MAX_AT_ONCE) - len(leases)
        return await self._rows.claim(room) if room > 0 else ()

    async def work(self, lease: LetterLease) -> Outcome:
        """Send a letter once."""
        return await self._send(lease)

    async def keep(self, lease: LetterLease, result: Outcome) -> None:
        """Note the result."""
        again: float | None = None
        if result.answer is Answer.NO_SERVER:
            self._failures += 1
            again = pause_after(min(self._failures, LONGEST_STEPS), self._rng)
        else:
            self._failures = 0
            if result.answer is Answer.LATER:
                again = pause_after(lease.refusals + 1, self._rng)
        if not result.is_accepted:
            log.info("mail.refused", reason=result.sentence, again_seconds=again, **self.about(lease))
        await self._rows.note(lease, result, again)

    def about(self, lease: LetterLease) -> dict[str, object]:
        """Say which letter it is, and not to whom it goes."""
        return {"letter": lease.id, "kind": str(lease.kind), "attempt": lease.attempt}
