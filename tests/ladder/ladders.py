"""Ladders for tests: owners, bots, entries, queued matches, and matches that were really played, with their records."""

from __future__ import annotations

import asyncio
import functools
import os
from dataclasses import asdict
from functools import cache
from itertools import cycle, islice
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from sqlalchemy import func, select

from ladder.app.ladder import Ladder
from ladder.ratings.elo import START
from ladder.results.files import ALIVE, MatchFiles, TableFiles
from ladder.results.summary import summarise
from ladder.sandbox.bots.bot_source import find_bot
from ladder.sandbox.inline import load_bot_class
from ladder.settings.settings import load_settings
from ladder.store import models
from ladder.store.commands.opening import make_folders, open_ladder
from ladder.store.commands.results import record_summary
from pigpen import ClockSetting
from pigpen.rules import PRESETS, seed_from
from pigpen.rules.shuffle import commitment
from referee.match.formats import DEFAULT_CLOCK, Format, MatchSpec
from referee.records.file import PackedRecord
from referee.records.lines import MatchLine
from referee.seats.seat import InlineSeat
from referee.seats.verdict import Verdict
from tests.referee.scripted_seats import ScriptedSeat, fails
from tests.referee.tables import play_tables

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.orm import Session

    from ladder.results.files import Logs
    from ladder.results.summary import MatchSummary
    from ladder.settings.settings import Settings
    from referee.records.lines import AnyLine
    from referee.seats.seat import Seat

PLAYERS = ("cautious", "random", "counting")
"""The sample bots that play, one after the other, by their numbers."""
FORM = "boards:1"
NOW = 1_800_000_000.0


def played(
    variant: str = "hearts", seed: str = "1", sinner: int | None = None, form: str = FORM
) -> tuple[AnyLine, ...]:
    """
    The lines of a match that sample bots have played, once for all tests of a session.

    Args:
        variant: A preset.
        seed: As on the command line.
        sinner: Number of a bot that is taken over at each table; None: nobody errs.
        form: The format.
    """
    return _played(variant, seed, sinner, form)


@functools.cache
def _played(variant: str, seed: str, sinner: int | None, form: str) -> tuple[AnyLine, ...]:
    rules = PRESETS[variant]
    names = tuple(islice(cycle(PLAYERS), rules.players))
    spec = MatchSpec(rules, names, Format.parse(form), DEFAULT_CLOCK, seed_from(seed))

    def seat(number: int) -> Seat:
        if number == sinner:
            return ScriptedSeat(fails(Verdict.MALFORMED, "it cannot be read"))
        return InlineSeat(load_bot_class(find_bot(names[number]))())

    tables = [[seat(bot) for bot in range(rules.players)] for _ in range(spec.format.tables(rules))]
    lines: list[AnyLine] = []
    asyncio.run(play_tables(spec, tables, lines.append))
    return tuple(lines)


@functools.cache
def summary_of(variant: str = "hearts", seed: str = "1", sinner: int | None = None, form: str = FORM) -> MatchSummary:
    """Give the summary of such a match, found once for all tests of a session."""
    return summarise(played(variant, seed, sinner, form))


def enter(
    session: Session,
    bot: str,
    variant: str = "hearts",
    *,
    owner: str | None = None,
    rating: float = START,
    state: models.State = models.State.ACTIVE,
) -> int:
    """
    Enter the next version of a bot, of an owner of its own unless one is named; give the version's id.

    Whatever is missing is added: the variant, the owner, the bot.
    """
    add_variant(session, variant)
    found = session.scalar(select(models.StoredBot).where(models.StoredBot.name == bot))
    if found is None:
        found = models.StoredBot(name=bot, owner_id=_owner(session, owner or f"owner of {bot}"[:64]), added=NOW)
        session.add(found)
        session.flush()
    number = 1 + (session.scalar(select(func.max(models.Version.number)).filter_by(bot_id=found.id)) or 0)
    version = models.Version(
        bot_id=found.id, number=number, identity=f"sha256:{commitment(f'{bot}@{number}'.encode())}",
        sandbox="process", source=bot, size=1000, added=NOW,
    )  # fmt: skip
    session.add(version)
    session.flush()
    enter_version(session, version.id, variant, rating=rating, state=state)
    return version.id


def enter_version(
    session: Session,
    version: int,
    variant: str,
    *,
    rating: float = START,
    state: models.State = models.State.ACTIVE,
) -> None:
    """Enter a version that is there in one more variant."""
    add_variant(session, variant)
    session.add(models.Rating(variant=variant, version_id=version, rating=rating, state=state, since=NOW))
    session.flush()


def add_variant(session: Session, name: str) -> None:
    """Let the ladder play a preset."""
    if session.get(models.Variant, name) is None:
        session.add(models.Variant(name=name, rules=PRESETS[name].to_plain(), added=NOW))
        session.flush()


def _owner(session: Session, name: str) -> int:
    owner = session.scalar(select(models.Owner).where(models.Owner.name == name))
    if owner is None:
        owner = models.Owner(name=name, added=NOW)
        session.add(owner)
        session.flush()
    return owner.id


def queue(
    session: Session,
    versions: Sequence[int],
    variant: str = "hearts",
    seed: str = "1",
    form: str = FORM,
    clock: ClockSetting = DEFAULT_CLOCK,
) -> int:
    """Put a match of these versions, by the numbers of the bots, into the queue; give its id."""
    match = models.StoredMatch(
        variant=variant, format=form, clock=asdict(clock), seed=seed_from(seed).hex(),
        commitment=commitment(seed_from(seed)), added=NOW,
    )  # fmt: skip
    session.add(match)
    session.flush()
    session.add_all(
        models.StoredSeat(match_id=match.id, seat=seat, version_id=each) for seat, each in enumerate(versions)
    )
    session.flush()
    return match.id


def lease(session: Session, match_id: int, until: float = NOW + 1800) -> int:
    """Take a match out of the queue, as the runner does; give the attempt."""
    match = session.get_one(models.StoredMatch, match_id)
    match.status, match.attempt, match.holder = models.Status.LEASED, match.attempt + 1, "nobody"
    match.started, match.lease_until = NOW, until
    session.flush()
    return match.attempt


NAMES = ("Trotter", "Snout", "Truffle", "Bristle", "Wallow")


def packed(lines: Sequence[AnyLine]) -> bytes:
    """The record of a match as its file."""
    record = PackedRecord()
    for line in lines:
        record.write(line)
    return bytes(record)


def recorded_match(ladder: Ladder, lines: Sequence[AnyLine], seed: str = "1", logs: Logs | None = None) -> int:
    """Add a match that is done to a ladder, with bots of its own; give its number."""
    first = lines[0]
    assert isinstance(first, MatchLine)
    variant, form = str(first.rules["name"]), first.format
    with ladder.database.write() as session:
        versions = [enter(session, name, variant) for name in islice(NAMES, len(first.bots))]
        match = queue(session, versions, variant, seed, form)
        attempt = lease(session, match)
    MatchFiles(ladder.settings.data_dir).keep(match, attempt, packed(lines), logs or {})
    with ladder.database.write() as session:
        assert record_summary(session, match, attempt, summarise(lines), NOW)
    return match


@cache
def _empty_database() -> bytes:
    """The file of a ladder with nothing in it."""
    with TemporaryDirectory() as folder:
        settings = load_settings(data_dir=folder)
        open_ladder(settings, create=True).close()
        assert settings.database_file
        return settings.database_file.read_bytes()


def make_empty(settings: Settings) -> Settings:
    """Make a ladder with nothing in it, in a quarter of the time that opening takes to make one; gives its settings."""
    if settings.database_file:
        make_folders(settings)
        settings.database_file.write_bytes(_empty_database())
    return settings


def seem_to_play_tables(ladder: Ladder, until: float = 2**33) -> None:
    """Let pages find a process that plays tables, as one that runs until then shows it; there is none."""
    files = TableFiles(ladder.settings.data_dir)
    files.show_alive()
    os.utime(files.root / ALIVE, (until, until))


def new_ladder(settings: Settings) -> Ladder:
    """Make an empty ladder; the caller closes its database."""
    make_empty(settings)
    return Ladder(settings, open_ladder(settings, create=True), clock=lambda: NOW)
