"""Reading bots: standings, pages, rating curves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ladder.store import lookup
from ladder.store.queries import bot_page as pages
from ladder.store.queries import rating_curve as curves
from ladder.store.queries import standings as tables
from ladder.store.queries.head_to_head import matchups as read_matchups
from ladder.store.queries.matches import results
from ladder.store.queries.standings import season_standings
from ladder.values.bots import BotList
from ladder.values.names import NAME_LENGTH

if TYPE_CHECKING:
    from ladder.app.ladder import Ladder
    from ladder.store.database import Session
    from ladder.values.bots import BotPage, BotRow, Matchups
    from ladder.values.matches import MatchRow
    from ladder.values.order import Order
    from ladder.values.standings import RatingCurve, StandingRow, Standings


@dataclass(frozen=True)
class ShownBot:
    """The contents of a bot's page."""

    page: BotPage
    curves: dict[str, RatingCurve]
    """By variant, where any of its versions has played."""
    newest: tuple[MatchRow, ...]
    """Its newest results."""


def standings(
    ladder: Ladder,
    variant: str | None = None,
    everyone: bool = False,
    first: int | None = None,
    by: Order | None = None,
    season: str | None = None,
    skipped: int = 0,
    group: str | None = None,
) -> list[Standings]:
    """
    Read the standings of each variant.

    Args:
        ladder: The ladder.
        variant: Only this one.
        everyone: With those that are suspended or retired, behind the others.
        first: Number of rows to give for each variant.
        by: What to order them by; None: what the organiser has set.
        season: Those of the season of that name, as they were at its end; None: of the season that is played now.
        skipped: Number of rows of each variant to leave out before them.
        group: Only bots of accounts in this group, with their ranks among all; None: all.

    Raises:
        LadderError: If the ladder does not play that variant, or has had no season or group of that name.
    """
    with ladder.database.read() as session:
        owners = None if group is None else _owners_in(session, group)
        wanted = lookup.variants(session) if variant is None else [variant]
        order, house = by or ladder.settings.standings_by, ladder.settings.fill_with_house_bots
        if season is not None:
            return season_standings(session, season, variant, everyone, first, order, skipped, owners)
        variants = [lookup.find_variant(session, name) for name in wanted]
        return [
            tables.standings(session, each, everyone, first, skipped, order, house, owners) for each in variants
        ]  # fmt: skip


def _owners_in(session: Session, group: str) -> frozenset[str]:
    from ladder.store.commands.groups import group_owners  # tables of accounts take long to declare

    return group_owners(session, group)


def standings_of_owner(ladder: Ladder, owner: str) -> list[tuple[str, StandingRow]]:
    """Read the rows of an owner's bots in the standings, with their variants; those that are not active last."""
    with ladder.database.read() as session:
        rows = tables.standings_of_owner(session, owner, ladder.settings.standings_by)
    found = [(field.variant, row) for field, row in rows]
    return sorted(found, key=lambda each: (each[1].rank is None, each[0], each[1].rank or 0))


def bots(ladder: Ladder, owner: str | None = None) -> list[BotRow]:
    """Read every bot, or those of one owner, by name."""
    with ladder.database.read() as session:
        return pages.bots(session, owner=owner)


def matchups(ladder: Ladder, variant: str, first: int) -> Matchups:
    """
    Read how the best bots of a variant have done against each other.

    Args:
        ladder: The ladder.
        variant: Which one.
        first: Number of bots, from 1.

    Raises:
        LadderError: If the ladder does not play that variant.
    """
    with ladder.database.read() as session:
        return read_matchups(session, lookup.find_variant(session, variant).name, first)


def some_bots(ladder: Ladder, after: str | None = None, limit: int = 100) -> BotList:
    """
    Read bots by name, some at a time.

    Args:
        ladder: The ladder.
        after: Only those whose names come after this one; the value of `BotList.next`.
        limit: Number of bots to give at most, from 1.
    """
    with ladder.database.read() as session:
        found = pages.bots(session, after, limit + 1)
    return BotList(bots=tuple(found[:limit]), next=found[limit - 1].bot if len(found) > limit else None)


def bot_page(ladder: Ladder, bot: str, variant: str | None = None, opponents: int = 10) -> BotPage:
    """
    Read all there is to know of a bot.

    Args:
        ladder: The ladder.
        bot: ``Trotter`` is its newest version, ``Trotter@2`` its version 2.
        variant: Only this one.
        opponents: Number of opponents to give at most in each variant.

    Raises:
        LadderError: If there is no such bot, version or variant.
    """
    with ladder.database.read() as session:
        if variant is not None:
            lookup.find_variant(session, variant)
        named, house = lookup.named_version(session, bot, variant), ladder.settings.fill_with_house_bots
        return pages.bot_page(session, named, opponents, variant, house)


def shown_bot(ladder: Ladder, bot: str, opponents: int, newest: int) -> ShownBot:
    """
    Read what the page of a bot shows.

    Args:
        ladder: The ladder.
        bot: ``Trotter`` is its newest version, ``Trotter@2`` its version 2.
        opponents: Number of opponents to give at most in each variant.
        newest: Number of matches to give at most; where no version is named, those of all versions.

    Raises:
        LadderError: If there is no such bot or version.
    """
    with ladder.database.read() as session:
        versions = lookup.named_versions(session, bot)
        version = versions[-1]
        page = pages.bot_page(session, version, opponents, house_bots=ladder.settings.fill_with_house_bots)
        return ShownBot(
            page,
            curves.rating_curves(session, version.bot_id, page.bot),
            tuple(results(session, newest, versions=[each.id for each in versions])),
        )


def spelled(ladder: Ladder, bot: str) -> str | None:
    """Give the bot that is meant by *bot* as it is spelled: ``Trotter@2`` by ``trotter@2``; None if there is none."""
    name, sign, number = bot.partition("@")
    if len(name) > NAME_LENGTH:  # what a name looks like is remembered
        return None
    with ladder.database.read() as session:
        found = lookup.bot_like(session, name)
    return found and f"{found}{sign}{number}"


def rating_curve(ladder: Ladder, bot: str, variant: str) -> RatingCurve:
    """
    Read how the rating of a bot went in a variant, version after version.

    Raises:
        LadderError: If there is no such bot or variant.
    """
    with ladder.database.read() as session:
        return curves.rating_curve(session, lookup.find_stored_bot(session, bot), lookup.find_variant(session, variant))


def top_curves(ladder: Ladder, variant: str, first: int) -> tuple[RatingCurve, ...]:
    """
    Read how the ratings of the best active versions of a variant went, the best first.

    Args:
        ladder: The ladder.
        variant: Which one.
        first: Number of versions, from 1.

    Raises:
        LadderError: If the ladder does not play that variant.
    """
    with ladder.database.read() as session:
        return curves.top_curves(session, lookup.find_variant(session, variant).name, first)
