"""Time limit of a match of the ladder, after which it is void: as long as the bots' clocks allow, and no less."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import select

from ladder.pairing.match_length import LENGTHS
from ladder.store.models import StoredMatch, Variant
from pigpen import ClockSetting
from referee.match.formats import Format, longest_match
from referee.records.rules_file import rules_from

if TYPE_CHECKING:
    from collections.abc import Collection

    from sqlalchemy.orm import Session

    from ladder.settings.settings import Settings


def seconds_of(session: Session, match: int, settings: Settings) -> float:
    """Say how many seconds match number *match* may take; clock and format are those it was scheduled with."""
    found = session.get_one(StoredMatch, match)
    rules = rules_from(session.get_one(Variant, found.variant).rules)
    longest = longest_match(rules, Format.parse(found.format), ClockSetting(**found.clock))
    return max(settings.match_seconds, longest)


def why_too_short(session: Session, settings: Settings, variants: Collection[str] | None = None) -> str | None:
    """
    Say why the setting `match_seconds` is too small: bots could use it up without a fault.

    Args:
        session: A transaction.
        settings: The ladder's settings.
        variants: The variants to look at; None: all.

    Returns:
        A sentence that ends with the way out; None if there is no reason.
    """
    most = LENGTHS[-1] if settings.boards == "auto" else settings.boards
    form, clock = Format(boards=most), settings.clock_setting
    for variant in session.scalars(select(Variant).order_by(Variant.name)):
        needed = longest_match(rules_from(variant.rules), form, clock)
        if (variants is None or variant.name in variants) and 0 < settings.match_seconds < needed:
            return (
                f"match_seconds is {settings.match_seconds:g}, but a match of {variant.name} ({form}, clock "
                f"{settings.clock}, limit {settings.limit:g}) can take {needed:.0f} s if every bot uses all its time. "
                "Set match_seconds to 0, which stands for that, or to more; or set fewer boards, less clock or limit."
            )
    return None
