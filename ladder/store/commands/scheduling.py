"""From the store to the scheduler, and from the scheduler to the queue."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from typing import TYPE_CHECKING

from sqlalchemy import select

from ladder.pairing.match_length import RECENT, MatchTime, choose_boards
from ladder.pairing.scheduler import DisjointSets, PairingAims, next_matches, next_variant, wanted_by_newcomers
from ladder.store import models
from ladder.store.commands.knowledge import Neighbours, by_cost, fields_of, knowledge_of
from ladder.store.commands.queue import add_match, pending_owners
from ladder.store.commands.seasons import take_clock, why_other_clock
from ladder.store.models import State
from pigpen.rules import new_seed
from referee.match.formats import Format

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from random import Random

    from sqlalchemy import Select
    from sqlalchemy.orm import Session

    from ladder.pairing.information import Information
    from ladder.settings.settings import Settings
    from ladder.store.commands.knowledge import VariantEntrants
    from pigpen import ClockSetting


def fill_queue(
    session: Session,
    settings: Settings,
    rng: Random,
    now: float,
    wanted: int,
    variants: Collection[str] | None = None,
    at_once: int = 1,
) -> list[int]:
    """
    Schedule matches, and put them at the end of the queue.

    The same ladder and the same chance give the same pairings; the seeds of the matches are the system's chance.

    Args:
        session: A transaction that writes.
        settings: How long a match is, if that is set, and its clock.
        rng: Random numbers, to choose opponents.
        now: Unix time.
        wanted: How many more matches.
        variants: Only of these; None: of any.
        at_once: How many matches are played at the same time.

    Returns:
        The numbers of the matches; fewer than wanted, or none, where no match is possible (see `why_no_match`).
    """
    found = {name: field for name, field in fields_of(session, variants).items() if field.why_none is None}
    fields = {
        name: by_cost(session, name, field)
        for name, field in found.items()
        if take_clock(session, name, settings.clock_setting)
    }
    sets = DisjointSets(at_once, pending_owners(session)) if settings.owners_apart else None
    boards = {name: boards_of(session, settings, name) for name in fields}
    aims = PairingAims(settings.boundary, settings.newcomer_ci)
    known = {name: knowledge_of(session, name, field, boards[name], aims.boundary) for name, field in fields.items()}
    ids = []
    for variant, count in _shares(fields, known, aims, wanted, rng).items():
        field = fields[variant]
        neighbours = Neighbours(session, variant, field.pending.values())
        shape = field.rules.players, field.rules.partners
        tables = next_matches(
            field.entrants, known[variant], neighbours, *shape, rng, count, sets, boards[variant], aims
        )
        ids += [_queue(session, settings, variant, table, boards[variant], now) for table in tables]
    return ids


def boards_of(session: Session, settings: Settings, variant: str) -> int:
    """Say how many boards the next match of a variant has: as set, or as its last ones suggest (`choose_boards`)."""
    if settings.boards != "auto":
        return settings.boards
    match = models.StoredMatch
    last = (
        select(match.format, match.starting_seconds, match.playing_seconds)
        .where(match.variant == variant, match.ordinal.is_not(None))
        .order_by(match.ordinal.desc())
        .limit(RECENT)
    )
    return choose_boards(
        [
            MatchTime(boards, starting, playing)
            for form, starting, playing in session.execute(last)
            if (boards := Format.parse(form).boards) and starting is not None and playing is not None
        ]
    )


def why_no_match(
    session: Session, variants: Collection[str] | None = None, clock: ClockSetting | None = None
) -> str | None:
    """
    Say why no match can be scheduled.

    Args:
        session: A transaction.
        variants: Only in these; None: in any.
        clock: The clock that the run plays with; None: that of the season.

    Returns:
        A sentence for each variant, and the way out; None if a match can be scheduled.
    """
    reasons = {
        name: field.why_none or (clock and why_other_clock(session, name, clock))
        for name, field in fields_of(session, variants).items()
    }
    if not reasons:
        return "No bot is entered yet. Enter bots with: pigpen submit FOLDER"
    if None in reasons.values():
        return None
    why = " ".join(f"{name}: {reason}" for name, reason in reasons.items())
    suspended = session.scalars(_entered(variants).where(models.Rating.state == State.SUSPENDED)).all()
    pause = f" Suspended: {len(suspended)}; see: pigpen bots." if suspended else ""
    return (
        f"No match can be scheduled. {why}{pause} Enter bots of other owners with: pigpen submit FOLDER --owner NAME; "
        "or let house bots play, with fill_with_house_bots = true in pigpen.toml."
    )


def _entered(variants: Collection[str] | None) -> Select[models.Rating]:
    entries = select(models.Rating)
    return entries if variants is None else entries.where(models.Rating.variant.in_(variants))


def _shares(
    fields: Mapping[str, VariantEntrants],
    known: Mapping[str, Information],
    aims: PairingAims,
    wanted: int,
    rng: Random,
) -> Counter[str]:
    """
    Share the wanted matches out among the variants.

    Newcomers go first, in whatever variant; else the variants take turns by chance, those with more bots more often.
    None has to wait until another has caught up with what it has played in years.
    """
    shares: Counter[str] = Counter()
    names = sorted(fields)
    entries = {name: len(fields[name].entrants) for name in names}
    played = {name: fields[name].matches for name in names}
    by_newcomers = {
        name: wanted_by_newcomers(fields[name].entrants, known[name], aims, fields[name].sides) for name in names
    }
    while names and shares.total() < wanted:
        waiting = {name: entries[name] for name in names if shares[name] < by_newcomers[name]}
        chosen = next_variant(waiting, played) or rng.choices(names, [entries[name] for name in names])[0]
        shares[chosen] += 1
        played[chosen] += fields[chosen].sides
    return shares


def _queue(session: Session, settings: Settings, variant: str, table: Sequence[int], boards: int, now: float) -> int:
    """Put one match into the queue."""
    form, clock = Format(boards=boards), asdict(settings.clock_setting)
    return add_match(session, variant, table, form, clock, new_seed(), now)
