"""News of a ladder, for its front page, its feeds, and the page that has all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ladder.store import lookup
from ladder.store.queries import whats_new as queries
from ladder.store.result_order import results_until
from ladder.values.value import time_of
from ladder.values.whats_new import SinceVisit, WhatsNew

if TYPE_CHECKING:
    from ladder.app.ladder import Ladder
    from ladder.values.whats_new import BotNews, Upset

DAY_SECONDS = 24 * 3600.0
MAX_NEWS, MAX_UPSETS = 30, 10


def whats_new(ladder: Ladder, since: float | None, owner: str | None) -> WhatsNew:
    """
    Read what is new.

    Args:
        ladder: The ladder.
        since: From when on, in Unix time; None: only what is new anyway.
        owner: The account that asks; None: a guest.
    """
    return WhatsNew(
        upsets=tuple(upsets(ladder, MAX_UPSETS)),
        news=tuple(bot_news(ladder)),
        since=since_visit(ladder, since, owner) if since is not None else None,
    )


def bot_news(
    ladder: Ladder, variant: str | None = None, bot: str | None = None, limit: int = MAX_NEWS
) -> list[BotNews]:
    """
    Read which versions were entered, suspended, retired, or came back, the newest first.

    Raises:
        LadderError: If there is no such variant or bot.
    """
    with ladder.database.read() as session:
        if variant is not None:
            lookup.find_variant(session, variant)
        if bot is not None:
            lookup.find_stored_bot(session, bot)
        return queries.bot_news(session, limit, variant, bot)


def upsets(ladder: Ladder, limit: int, variant: str | None = None) -> list[Upset]:
    """Find the matches of the last 24 hours that were won against the greatest odds."""
    with ladder.database.read() as session:
        return queries.upsets(session, ladder.clock() - DAY_SECONDS, limit, variant)


def since_visit(ladder: Ladder, since: float, owner: str | None) -> SinceVisit:
    """
    Read what has happened since a visit.

    Args:
        ladder: The ladder.
        since: When the visit ended, in Unix time.
        owner: The account that asks; None: a guest.
    """
    with ladder.database.read() as session:
        last = results_until(session, since)
        return SinceVisit(
            since=time_of(since),
            matches=queries.results_after(session, last),
            news=tuple(queries.bot_news(session, MAX_NEWS, since=since)),
            own=tuple(queries.own_news(session, owner, last)) if owner is not None else (),
        )
