"""Seasons of the ladder: an organiser freezes the standings of a variant and starts anew."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ladder.entry.claims import check_name
from ladder.entry.policy import Act, check
from ladder.errors import LadderError, UserError
from ladder.store import lookup
from ladder.store.commands.accounts import write_audit
from ladder.store.commands.seasons import NewSeason, begin_season, change_clock
from ladder.store.queries.standings import check_new_season, standings
from ladder.store.queries.standings import seasons as read_seasons

if TYPE_CHECKING:
    from collections.abc import Collection

    from ladder.app.ladder import Ladder
    from ladder.values.accounts import Viewer
    from ladder.values.standings import SeasonRow
    from pigpen.rules import Rules


def seasons(ladder: Ladder, variant: str | None = None) -> list[SeasonRow]:
    """
    Read the seasons of each variant, or of one, the oldest first.

    Raises:
        LadderError: If the ladder does not play that variant.
    """
    with ladder.database.read() as session:
        return [row for each in lookup.find_variants(session, variant) for row in read_seasons(session, each)]


def new_season(
    ladder: Ladder, viewer: Viewer, variant: str | None = None, name: str | None = None, rules: Rules | None = None
) -> list[SeasonRow]:
    """
    End the season of each variant, or of one, and begin the next, with the clock and the limit of the settings.

    Args:
        ladder: The ladder.
        viewer: The caller.
        variant: Only this one.
        name: The name of the new season; None: its number.
        rules: New rules of that variant; None: as before.

    Returns:
        The seasons that are played now.

    Raises:
        Forbidden: If the viewer is not an organiser.
        LadderError: If the ladder does not play that variant, the name is taken, or the rules cannot be.
    """
    check(viewer, Act.ADMINISTER)
    if name is not None:
        check_name(name, "a season (--name)")
    with ladder.database.write() as session:
        found = lookup.find_variants(session, variant)
        if not found:
            raise LadderError("This ladder plays no variant yet; enter a bot with: pigpen submit FOLDER")
        for each in found:
            check_new_season(session, each, name, rules)
            new = NewSeason(ladder.settings.clock_setting, name, rules.to_plain() if rules is not None else None)
            frozen = standings(session, each, everyone=True).model_dump(mode="json")
            withdrawn = begin_season(session, each, new, frozen, ladder.clock())
            details = {"name": each.season_name, "withdrawn": ", ".join(map(str, withdrawn))}
            write_audit(session, viewer, "season.new", each.name, ladder.clock(), **details)
        return [read_seasons(session, each)[-1] for each in found]


def check_clocks(ladder: Ladder, variants: Collection[str] | None = None) -> None:
    """
    Let a run start only with the clock of the seasons; a season in which no match has begun gets that of the settings.

    Args:
        ladder: The ladder.
        variants: Those that are to be played; None: all.

    Raises:
        UserError: If a match of a season has been played with another clock or limit; it names the way out.
    """
    with ladder.database.write() as session:
        for name in lookup.variants(session):
            if variants is None or name in variants:
                reason = change_clock(session, name, ladder.settings.clock_setting)
                if reason is not None:
                    raise UserError(reason)
