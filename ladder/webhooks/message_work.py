"""
The work of sending the messages of the outbox, and its access to the database.

A thread beside the matches does it (`ladder.runner.delivering`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import structlog

from ladder.errors import LadderError
from ladder.runner.delivering import RETRY_SECONDS, pause_after
from ladder.runner.leased_rows import LeasedRows, RowsWork
from ladder.store.commands import outbox as commands
from ladder.store.commands.outbox import GONE, MessageLease
from ladder.store.commands.webhooks import find_webhook, has_messages
from ladder.store.webhook_models import WebhookMessage
from ladder.webhooks.sending import Outcome, hash_of, secret_of, signed_headers

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
    from random import Random

    from ladder.results.files import WakeFile
    from ladder.store.database import Database, Session

    Send = Callable[[str, Mapping[str, str], str, int], Awaitable[Outcome]]
    """Sends a message once: to an address, with headers, and the body; the last is the number of attempts before."""


class OutboxRows(LeasedRows[WebhookMessage]):
    """The messages that one process has leased."""

    def __init__(self, database: Database, clock: Callable[[], float], holder: str | None = None) -> None:
        """Prepare; see `LeasedRows`."""
        super().__init__(database, commands.OUTBOX, clock, holder)

    async def look(self, count: int) -> tuple[set[tuple[int, int]], list[int]]:
        """Read what this process has leased, and which messages are to be sent now."""
        now = self.clock()
        return await self.read(
            lambda session: (
                self.queue.attempts(session, self.holder),
                commands.next_due(session, now, count),
            )
        )

    async def renew(self, under_way: Collection[tuple[int, int]]) -> None:
        """Renew the leases; a ladder without webhooks writes nothing."""
        if await self.read(has_messages):
            await super().renew(under_way)

    def maintain(self, session: Session, now: float) -> None:
        """Remove what ended long ago."""
        commands.tidy(session, now)

    async def claim(self, count: int) -> Sequence[MessageLease]:
        """Lease messages that are to be sent now."""
        now = self.clock()
        return await self.write(
            lambda session: commands.claim(session, self.holder, now, self.seconds(session, now), count)
        )

    async def accept(self, lease: MessageLease) -> bool:
        """Note that a message was accepted; whether the lease still held."""
        now = self.clock()
        return await self.write(lambda session: commands.accept(session, lease, now))

    async def refuse(self, lease: MessageLease, reason: str, again: float | None, *, hold: bool = False) -> bool:
        """Note that a message was not accepted; whether its webhook is disabled now. See `outbox.refuse`."""
        now = self.clock()
        return await self.write(lambda session: commands.refuse(session, lease, reason, now, again, hold=hold))

    async def disable(self, lease: MessageLease, reason: str) -> None:
        """Send nothing more to a webhook."""
        now = self.clock()

        def disable(session: Session) -> None:
            if self.queue.held(session, lease) is not None:
                commands.disable(session, find_webhook(session, lease.webhook), reason, now)

        await self.write(disable)


MAX_AT_ONCE = 8
"""Messages that a process sends at the same time, each to another webhook."""
OTHER_KEY = (
    "The key in the ladder's folder is not the one with which this webhook was added, so its receiver would refuse "
    "each signature. Remove it, and add it again."
)

NOT_SENT = Outcome(None, OTHER_KEY)
"""The outcome of a message that is not sent, because its secret is not that of its webhook."""

log = structlog.get_logger()


class Deliveries(RowsWork[MessageLease, Outcome]):
    """Sends messages, one at a time to each webhook."""

    name = "webhook"

    def __init__(
        self,
        rows: OutboxRows,
        files: WakeFile,
        send: Send,
        key: Callable[[], bytes],
        rng: Random,
        retry_seconds: float = RETRY_SECONDS,
    ) -> None:
        """
        Prepare.

        Args:
            rows: The outbox.
            files: Wakes it, and shows that it lives.
            send: Sends a message once.
            key: Gives the ladder's key for the secrets of all webhooks.
            rng: Chance, for the pauses before a message is sent again.
            retry_seconds: How long a lease is kept after a failure of the database.
        """
        super().__init__(rows, files, retry_seconds)
        self._rows = rows
        self._send = send
        self._key = key
        self._rng = rng

    async def take(self, leases: Sequence[MessageLease]) -> Sequence[MessageLease]:
        """Lease what is to be sent now."""
        room = MAX_AT_ONCE - len(leases)
        return await self._rows.claim(room) if room > 0 else ()

    async def work(self, lease: MessageLease) -> Outcome:
        """Send a message once."""
        try:
            secret = secret_of(self._key(), lease.salt)
        except LadderError as error:
            return Outcome(None, str(error))
        if hash_of(secret) != lease.secret_hash:
            return NOT_SENT
        headers = signed_headers(secret, lease.key, lease.body, self._rows.clock())
        return await self._send(lease.url, headers, lease.body, lease.refusals)

    async def keep(self, lease: MessageLease, result: Outcome) -> None:
        """Note what came of it."""
        if result.is_accepted:
            await self._rows.accept(lease)
        elif result is NOT_SENT:
            await self._disable(lease, OTHER_KEY)
        elif result.is_gone:
            await self._disable(lease, GONE)
        else:
            await self._refused(lease, result)

    def about(self, lease: MessageLease) -> dict[str, object]:
        """Say which webhook it is, and not its address, in which there may be a password."""
        return {"webhook": lease.webhook, "message": lease.key, "attempt": lease.attempt}

    async def _refused(self, lease: MessageLease, outcome: Outcome) -> None:
        again = pause_after(lease.refusals + 1, self._rng, outcome.wait)
        log.info("webhook.refused", reason=outcome.sentence, again_seconds=again, **self.about(lease))
        if await self._rows.refuse(lease, outcome.sentence, again, hold=outcome.wait is not None):
            log.warning("webhook.disabled", reason=outcome.sentence, webhook=lease.webhook)

    async def _disable(self, lease: MessageLease, reason: str) -> None:
        log.warning("webhook.disabled", reason=reason, webhook=lease.webhook)
        await self._rows.disable(lease, reason)
