"""The ladder as a whole."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from ladder.results.files import TableFiles
from ladder.store import lookup
from ladder.store.queries import overview as queries
from ladder.store.queries import standings as tables
from ladder.store.queries.variant_field import field_of
from ladder.store.queries.variant_field import revision as revision_of
from ladder.values.sandbox_kind import AUTO, has_own_kernel
from ladder.values.standings import LadderCounts, VariantSummary
from pigpen.rules import PRESETS
from referee.records.file import read_record
from referee.records.framing import RecordError
from referee.records.lines import MatchLine
from referee.records.rules_file import rules_from

if TYPE_CHECKING:
    from ladder.app.ladder import Ladder
    from ladder.store.database import Session
    from pigpen.rules import Rules


def revision(ladder: Ladder) -> str:
    """Give a text that changes whenever anything changes that is shown of the ladder."""
    with ladder.database.read() as session:
        return revision_of(session)


def counts(ladder: Ladder) -> LadderCounts:
    """Count matches and entries of bots."""
    with ladder.database.read() as session:
        return queries.counts(session)


def shares_kernel(ladder: Ladder) -> bool:
    """Tell whether the bots of the newest match were in containers that share a kernel, by its record."""
    with ladder.database.read() as session:
        newest = queries.newest_attempt(session)
    if newest is None:
        return False
    try:
        first = next(read_record(ladder.files.record(*newest)), None)
    except (OSError, RecordError):  # it is not there any more
        return False
    return isinstance(first, MatchLine) and first.image_files in ("locked", "read")


def runtime_asked_for(ladder: Ladder) -> str:
    """Give the runtime that the settings ask for, if all its containers share a kernel; empty: they ask for no such."""
    runtime = ladder.settings.container_runtime
    return "" if runtime in (None, AUTO) or has_own_kernel(runtime) else runtime


def tables_are_played(ladder: Ladder) -> bool:
    """Tell whether a process that plays tables with people has shown lately that it runs."""
    return TableFiles(ladder.settings.data_dir).is_alive(time.time())


def rules_of(ladder: Ladder, variant: str) -> Rules:
    """
    Read the rules of a variant as the ladder plays it, or of a preset.

    Raises:
        LadderError: If there is none of that name.
    """
    with ladder.database.read() as session:
        return rules_in(session, variant)


def rules_in(session: Session, variant: str) -> Rules:
    """Read them in a transaction, likewise."""
    stored = lookup.rules_of(session, variant)
    if stored is None and variant in PRESETS:
        return PRESETS[variant]
    return rules_from(lookup.find_variant(session, variant).rules if stored is None else stored)


def names_of(ladder: Ladder) -> list[str]:
    """Read the names of the variants that the ladder plays."""
    with ladder.database.read() as session:
        return lookup.variants(session)


def variants(ladder: Ladder, first: int = 5) -> list[VariantSummary]:
    """Read each variant in a few lines, with the *first* of its standings."""
    with ladder.database.read() as session:
        found = []
        for name in lookup.variants(session):
            by = ladder.settings.standings_by
            table = tables.standings(session, lookup.find_variant(session, name), first=first, by=by)
            found.append(
                VariantSummary(
                    variant=name,
                    title=table.title,
                    by=table.by,
                    matches=table.matches,
                    active=field_of(session, name).active,
                    top=table.standings,
                )
            )
        return found
