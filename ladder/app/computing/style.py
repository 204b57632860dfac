"""The style of a ladder's bot: read from the records of its newest matches by the process that computes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ladder.app.computing.asking import known_answer
from ladder.app.computing.questions import deals_of
from ladder.app.local.reading import Source
from ladder.store import names
from ladder.store.queries.matches import results
from ladder.store.queries.standings import standings_of
from ladder.store.queries.variant_field import field_of
from ladder.values.bot_comparison import BotStyle, FoundStyle
from ladder.values.questions import StyledMatch, StyleQuestion

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ladder.app.ladder import Ladder
    from ladder.values.matches import MatchRow

NEWEST = 40
"""Matches whose records are read."""
NOTHING = FoundStyle(sources=(), deals=0, bars=(), figures=(), seats=(), costs=())


def style(ladder: Ladder, bot: str, variant: str | None = None, asker: str = "") -> BotStyle:
    """
    Say how a bot plays in a variant, as far as that is known; what is not known yet is put into the queue.

    Args:
        ladder: The ladder.
        bot: ``Trotter`` is its newest version, ``Trotter@2`` its version 2.
        variant: Which one; None: where it has played most.
        asker: The account or address whose place in the queue it takes (`ladder.app.computing.asking`).

    Raises:
        LadderError: If there is no such bot, version or variant.
        TooOften: If too much waits, of this asker or of all.
    """
    with ladder.database.read() as session:
        if variant is not None:
            names.find_variant(session, variant)
        version = names.named_version(session, bot, variant)
        entered = {field.variant: row.matches for field, row in standings_of(session, version.id)}
        field = field_of(session, variant or max(entered, key=lambda name: entered[name]))
        matches = results(session, NEWEST, field.variant, [version.id])
    found = NOTHING
    computing = None
    if looks := _looks(ladder, matches):
        question = StyleQuestion(looks=looks, bot=str(version.id))
        known = known_answer(ladder, question, asker, f"style of {version.id}: {field.variant}")
        found = FoundStyle.model_validate_json(known.answer) if known.answer else NOTHING
        computing = known.computing
    return BotStyle(
        variant=field.variant,
        title=field.title,
        bot=field.entries[version.id].bot,
        version=version.number,
        variants=tuple(entered),
        sources=tuple(map(int, found.sources)),
        deals=found.deals,
        bars=found.bars,
        figures=found.figures,
        seats=found.seats,
        costs=found.costs,
        computing=computing,
    )


def _looks(ladder: Ladder, matches: Sequence[MatchRow]) -> tuple[StyledMatch, ...]:
    return tuple(
        StyledMatch(
            deals=deals_of(
                ladder, Source.of(ladder.files.record(match.id, match.attempt), str(match.id)), match.commitment
            ),
            bots=tuple(str(seat.version_id) for seat in match.seats),
        )
        for match in matches
        if match.record_kept
    )
