"""Database access of the part of a process that sends messages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ladder.runner.leased_rows import LeasedRows
from ladder.store.commands import outbox as commands
from ladder.store.commands.webhooks import find_webhook, has_messages
from ladder.store.webhook_models import WebhookMessage

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from ladder.store.commands.outbox import MessageLease
    from ladder.store.database import Database, Session


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
