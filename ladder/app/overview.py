"""The ladder as a whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ladder.store import names
from ladder.store.queries import overview as queries
from ladder.store.queries import standings as tables
from ladder.values.site import LadderCounts, VariantSummary

if TYPE_CHECKING:
    from ladder.app.ladder import Ladder


def revision(ladder: Ladder) -> str:
    """A text that changes whenever anything does that is shown of the ladder."""
    with ladder.database.read() as session:
        return queries.revision(session)


def counts(ladder: Ladder) -> LadderCounts:
    """Count matches and entries of bots."""
    with ladder.database.read() as session:
        return queries.counts(session)


def variants(ladder: Ladder, first: int = 5) -> list[VariantSummary]:
    """Read each variant in a few lines, with the *first* of its standings."""
    with ladder.database.read() as session:
        found = []
        for name in names.variants(session):
            table = tables.standings(session, names.find_variant(session, name), first=first)
            found.append(
                VariantSummary(
                    variant=name,
                    title=table.title,
                    matches=table.matches,
                    active=tables.active(session, name),
                    top=table.standings,
                )
            )
        return found
