"""The most time that a match can take when every bot uses all the time that it is allowed."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from referee.seats.clock import MARGIN, NOTICE_SECONDS, WALL_CAP
from referee.seats.verdict import TAKEOVER_AT

if TYPE_CHECKING:
    from pigpen.rules import Rules
    from pigpen.values.notices import ClockSetting
    from referee.match.formats import Format

TABLE_SECONDS = 60.0
"""Seconds allowed to the platform itself for a table: to start its programs, to pass messages on, to clean up."""


def longest_match(rules: Rules, form: Format, clock: ClockSetting) -> float:
    """
    Give the most seconds that a match can take, its tables one after the other.

    The bots of a table are asked one at a time, and each pays for its own decisions: the bank bounds what a bot can
    use, and so the sum bounds the table. A sealed question is put to all at once, and the wall time of each counts
    only its share; so one bot alone can use the share of all.
    """
    tables = form.tables(rules)
    deals = _deals(rules, form)
    sealed = deals * ((rules.passing is not None) + (rules.exposing is not None))
    decisions = sealed + deals * (rules.hand_size + (rules.moon is not None))
    banks = math.ceil(deals / clock.deals_per_bank)
    used = min(decisions * clock.limit, banks * clock.bank + decisions * clock.increment)
    alone = min(sealed * clock.limit, rules.players * used)
    thinking = rules.players * (WALL_CAP * (used + alone) + decisions * MARGIN)
    notices = rules.players * (deals + TAKEOVER_AT + 2) * NOTICE_SECONDS
    return tables * (clock.start_up + thinking + notices + TABLE_SECONDS)


def _deals(rules: Rules, form: Format) -> int:
    """Compute the most deals at one table; a game that does not end by its score ends by its cap (C-8)."""
    count = form.count(rules)
    if count is not None:
        return count // form.tables(rules)
    return rules.end.cap if rules.end.deals is None else min(rules.end.cap, rules.end.deals)
