"""Messages about bots, written in the transaction that changes them."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote

from ladder.store.commands.outbox import post
from ladder.store.models import StoredBot, Version
from ladder.values.webhooks import MessageKind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.orm import Session


def announce_entered(session: Session, bot: str, version: int, variants: Sequence[str], now: float) -> None:
    """Write the message that a version plays now."""
    data = {"bot": bot, "version": version, "variants": list(variants), "path": _page(bot)}
    post(session, MessageKind.BOT_ENTERED, data, now)


def announce_suspended(session: Session, bot: str, variant: str, reason: str, now: float) -> None:
    """Write the message that a bot is suspended, with the reason that its page shows."""
    data = {"bot": bot, "variant": variant, "reason": reason, "path": _page(bot)}
    post(session, MessageKind.BOT_SUSPENDED, data, now)


def _page(bot: str) -> str:
    return f"/b/{quote(bot)}"


def bot_of(session: Session, version: int) -> str:
    """Give the name of a version's bot."""
    return session.get_one(StoredBot, session.get_one(Version, version).bot_id).name
