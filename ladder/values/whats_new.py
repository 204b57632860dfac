"""News of a ladder: versions that came and went, upsets, and events since a visit."""

from __future__ import annotations

from ladder.values.value import Time, Value


class BotNews(Value):
    """A version that was entered in a variant, or whose state there has changed."""

    key: str
    """Key of this item among the news of the ladder; it stays."""
    at: Time
    variant: str
    bot: str
    version: int
    owner: str
    state: str
    """`entered`, or what it is since then: `active`, `suspended` or `retired`."""


class Upset(Value):
    """A match that a bot won although another at the table was rated much higher."""

    match: int
    variant: str
    at: Time
    winner: str
    winner_version: int
    beaten: str
    """The bot with the highest rating of those that did not win."""
    beaten_version: int
    gap: float
    """Elo by which it was rated higher, before the match."""


class OwnBotNews(Value):
    """Results of one of the visitor's own bots since a visit."""

    variant: str
    bot: str
    version: int
    elo: float
    change: float
    """Of its Elo since then."""
    matches: int
    """That it has played since then, about: its curve of ratings has every second one, or fourth, …."""


class SinceVisit(Value):
    """News of a ladder since a time."""

    since: Time
    matches: int
    """With a result."""
    news: tuple[BotNews, ...]
    """The newest first, at most some."""
    own: tuple[OwnBotNews, ...]
    """The visitor's own bots, if it has logged in."""


class WhatsNew(Value):
    """News of a ladder."""

    upsets: tuple[Upset, ...]
    """Of the last 24 hours, the greatest first."""
    news: tuple[BotNews, ...]
    """The newest first."""
    since: SinceVisit | None
    """None: no time was asked about."""
