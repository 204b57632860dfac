"""
Plan of a match on this machine: a new one, or an interrupted one that is resumed.

Its parts are the options that all requests for matches on this machine have, in the words that people type; the record
on disk; and what is needed to resume the match after an interruption.

While a match runs, its seed is kept beside the record, in a file that only its owner may read. The record must not
hold the seed before the end, and without the seed the remaining cards cannot be dealt.
"""

from __future__ import annotations

import os
import re
import shlex
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from ladder.errors import SandboxError, UserError
from ladder.sandbox.bots.bot_source import BotSource, FindBot, find_bot, seat_names
from ladder.values.clocks import DEFAULT_CLOCK_TEXT, NO_CLOCK, read_clock
from ladder.values.value import Value
from pigpen.rules import new_seed, seed_from
from referee.match.formats import DEFAULT_CLOCK, Format, MatchSpec, person_clock
from referee.match.match import FINISHED, CannotResume, Unfinished
from referee.records.file import RecordWriter, read_record
from referee.records.framing import MAX_DEALS, RecordError
from referee.records.rules_file import load_rules

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from pigpen import ClockSetting
    from pigpen.rules import Rules
    from referee.records.lines import AnyLine

    Write = Callable[[AnyLine], None]
    Say = Callable[[str], None]


class LocalRequest(Value):
    """The part that every such request has."""

    rules: str = "gongzhu"
    """A preset, or the path of a TOML file."""
    seed: str = ""
    """Any text, or 64 hex digits; empty: a new seed each time."""
    clock: str = DEFAULT_CLOCK_TEXT
    """Seconds in the bank + seconds added for each decision."""
    limit: float = DEFAULT_CLOCK.limit
    """Most seconds for one decision."""

    def seed_bytes(self) -> bytes:
        """Give the seed, 256 bits."""
        return seed_from(self.seed) if self.seed else new_seed()

    no_clock: bool = False
    """True if no bot is ever late, in place of the clock and the limit."""

    def clock_setting(self) -> ClockSetting:
        """
        Give the clock.

        Raises:
            UserError: If it is none, gives no time, or too much.
        """
        if self.no_clock:
            return NO_CLOCK
        try:
            return read_clock(self.clock, self.limit)
        except ValueError as error:
            raise UserError(str(error)) from None


@contextmanager
def recording(path: Path | None, seed: bytes, say: Say, *, can_resume: bool = True) -> Iterator[Write]:
    """
    Give a function that writes a line to *path*, if there is one; overwrites nothing, leaves no empty file.

    Args:
        path: The file.
        seed: Of the match.
        say: Takes a sentence if the match is interrupted: where the record is, and how to resume it.
        can_resume: Whether the caller has the option --resume.
    """
    if path is None:
        yield lambda line: None
        return
    try:
        writer = RecordWriter.create(path)
    except FileExistsError:
        way = "another file, or continue an interrupted match with --resume" if can_resume else "another file"
        raise UserError(f"{str(path)!r} is there already. Name {way}; nothing was changed.") from None
    except OSError as error:
        raise _cannot("written", path, error) from None
    with writer, _kept(seed, path, say, can_resume=can_resume):
        yield partial(_write, writer)


@contextmanager
def resumed_recording(path: Path, begun: Unfinished, seed: bytes, say: Say) -> Iterator[Write]:
    """Give a function that writes a line at the end of *path*, after the lines that *begun* was read from."""
    try:
        writer = RecordWriter.append(path)
    except OSError as error:
        raise _cannot("written", path, error) from None
    with writer:
        if unfinished(path) != begun:
            raise UserError(f"{str(path)!r} has just been changed by another pigpen. Try again.")
        with _kept(seed, path, say):
            yield partial(_write, writer)


def _write(writer: RecordWriter, line: AnyLine) -> None:
    """Write a line; a disk without room is no mistake of the user's."""
    try:
        writer.write(line)
    except RecordError as error:
        raise SandboxError(f"{error} What the file holds so far is complete. Make room on its disk.") from error


def unfinished(path: Path) -> Unfinished:
    """Read the record of an interrupted match."""
    lines = read_record(path)
    with resumable(path):
        return Unfinished.of(lines)


@contextmanager
def resumable(path: Path | None) -> Iterator[None]:
    """Turn the reason why the match in *path* cannot be resumed into a `UserError`; without a path do nothing."""
    try:
        yield
    except CannotResume as error:
        look = f" To see it: pigpen replay {shlex.quote(str(path))}" if str(error) == FINISHED else ""
        raise UserError(f"{str(path)!r} cannot be resumed: {error}.{look}") from None


def seed_beside(path: Path) -> bytes:
    """Give the seed of the interrupted match that *path* records."""
    kept = seed_file(path)
    try:
        return bytes.fromhex(kept.read_text(encoding="ascii"))
    except (OSError, ValueError):
        raise UserError(f"The seed of the match is not in {str(kept)!r}; give it again with --seed.") from None


def seed_file(path: Path) -> Path:
    """Say where the seed lies while the match runs."""
    return path.with_name(f"{path.name}.seed")


@contextmanager
def _kept(seed: bytes, path: Path, say: Say, *, can_resume: bool = True) -> Iterator[None]:
    """Keep *seed* beside the record until the match is finished, or as if it had never begun."""
    try:
        _keep(seed, seed_file(path))
    except UserError:
        _drop_if_empty(path)
        raise
    try:
        yield
    except BaseException as error:
        if _drop_if_empty(path):
            seed_file(path).unlink(missing_ok=True)
        elif isinstance(error, SandboxError | RecordError) or not isinstance(error, Exception):  # or it was stopped
            say(f"What has been played is in {path}." + f" To continue: --resume {path}" * can_resume)
        raise
    seed_file(path).unlink(missing_ok=True)


def _drop_if_empty(path: Path) -> bool:
    """Remove a record that is empty, if it is still there, and say whether it is gone."""
    try:
        if path.stat().st_size:
            return False
        path.unlink()
    except FileNotFoundError:
        pass
    return True


def _keep(seed: bytes, path: Path) -> None:
    try:
        if path.exists() and not _holds_a_seed(path):
            raise UserError(
                f"{str(path)!r} is there already and holds no seed of a match. Name another record, or move that file; "
                "nothing was changed."
            )
        path.unlink(missing_ok=True)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except OSError as error:
        raise _cannot("written", path, error) from None
    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        file.write(seed.hex())


def _holds_a_seed(path: Path) -> bool:
    """True if an earlier match has left the file, as one that was killed does; it may be replaced."""
    with path.open("rb") as file:
        return re.fullmatch(rb"[0-9a-f]{64}", file.read(65)) is not None


def _cannot(done: str, path: Path, error: OSError) -> UserError:
    return UserError(f"{str(path)!r} cannot be {done}: {error.strerror}.")


DEFAULT_BOARDS = 16
HUMAN = "human"
"""The word for a person, where bots are named."""
LISTEN = "listen"
"""The word for a program that the user starts, where bots are named."""


class MatchRequest(LocalRequest):
    """
    A new match. At most one of boards, deals and game is given.

    None of them means 16 boards, or with a person a game.
    """

    bots: tuple[str, ...]
    """
    For each seat a sample bot's name, a folder or an image; with partners one for each team is enough.

    One of them may be `human`, and one `listen`.
    """
    boards: Annotated[int, Field(ge=1)] | None = None
    """Number of boards; each is played from every seat."""
    deals: Annotated[int, Field(ge=1)] | None = None
    """Number of independent deals."""
    game: bool = False
    """Deals until the variant's own end."""
    record: Path | None = None
    """File to which the match is written; None: none."""
    human_limit: float | None = None
    """Most seconds of wall time for one decision of a person; None: no limit."""


@dataclass(frozen=True)
class MatchPlan:
    """A match that can begin, or be resumed."""

    spec: MatchSpec
    sources: tuple[BotSource, ...]
    """The bots, in the order of their numbers; people are none."""
    record: Path | None = None
    """File to which it is written; None: none."""
    begun: Unfinished | None = None
    """The part of the match that the record holds already; None: it is a new match."""
    can_resume: bool = True
    """True if the caller has the option --resume."""

    @property
    def is_awaited(self) -> bool:
        """True if the user starts one of the bots, which can be done for one table at a time."""
        return any(source.command == () for source in self.sources)

    @property
    def deals(self) -> int | None:
        """Number of deals in all; None: unknown."""
        return self.spec.format.count(self.spec.rules)

    @property
    def deals_done(self) -> int:
        """Number of deals that the record holds already."""
        return len(self.begun.deals) if self.begun else 0

    @contextmanager
    def recorded(self, say: Callable[[str], None]) -> Iterator[Callable[[AnyLine], None]]:
        """
        Give a function that writes a line of the record.

        Args:
            say: Takes a sentence if the match is interrupted: how to resume it.

        Raises:
            SandboxError: If there is no room for the record.
            UserError: If the record is there already, cannot be written, or is not of this match.
        """
        if self.begun is None or self.record is None:
            with recording(self.record, self.spec.seed, say, can_resume=self.can_resume) as write:
                yield write
        else:
            with resumed_recording(self.record, self.begun, self.spec.seed, say) as write, resumable(self.record):
                yield write


def new_match(asked: MatchRequest, find: FindBot = find_bot) -> MatchPlan:
    """
    Plan a new match.

    Args:
        asked: What is to be played.
        find: Finds the bots that it names.

    Raises:
        UserError: If something that was asked for is not there, makes no sense, or does not fit into a record.
    """
    rules = load_rules(asked.rules)
    words = _seated(asked.bots, rules)
    sources = _sources(words, find)
    people = {words.index(HUMAN): person_clock(asked.human_limit)} if HUMAN in words else {}
    form = _format(asked, is_one_table=HUMAN in words or LISTEN in words)
    clock = NO_CLOCK if LISTEN in words else asked.clock_setting()
    spec = MatchSpec(rules, _names(words, sources), form, clock, asked.seed_bytes(), people)
    plan = MatchPlan(spec, sources, asked.record)
    _check_room(plan)
    return plan


def resumed_match(record: Path, bots: Sequence[str], seed: str = "") -> MatchPlan:
    """
    Plan the rest of an interrupted match.

    Args:
        record: What was written of it; the rest is written there, too.
        bots: The same as before, in the same order.
        seed: The match's seed; empty: as it was kept beside the record.

    Raises:
        RecordError: If the record cannot be read.
        UserError: If the match cannot be resumed, or is one of other bots.
    """
    begun = unfinished(record)
    with resumable(record):
        spec = begun.spec(seed_from(seed) if seed else seed_beside(record))
    words = _seated(bots, spec.rules)
    sources = _sources(words)
    if _names(words, sources) != spec.bots or {seat for seat, word in enumerate(words) if word == HUMAN} != {
        *spec.people
    }:
        raise UserError(f"{str(record)!r} is a match of {', '.join(spec.bots)}: name these bots, in this order.")
    plan = MatchPlan(spec, sources, record, begun)
    _check_room(plan)
    return plan


def _seated(words: Sequence[str], rules: Rules) -> tuple[str, ...]:
    """Give the word for each seat; with partners two words are enough, each bot in both seats of its team."""
    seated = tuple(words)
    if rules.partners and len(seated) == 2 and HUMAN not in seated:
        seated *= 2
    if len(seated) != rules.players:
        wanted = "2 bots, one for each team, or 4" if rules.partners else f"{rules.players} bots"
        raise UserError(f"{rules.name} takes {wanted}; {len(seated)} named. The same bot may be named several times.")
    if seated.count(HUMAN) > 1:
        raise UserError(f"One person can sit at a terminal: name {HUMAN} once.")
    if seated.count(LISTEN) > 1:
        raise UserError(f"Your program can take one seat: name {LISTEN} once.")
    return seated


def _sources(words: Sequence[str], find: FindBot = find_bot) -> tuple[BotSource, ...]:
    """Give the bots among those who sit at the table."""
    return tuple(BotSource(word, command=()) if word == LISTEN else find(word) for word in words if word != HUMAN)


def _names(words: Sequence[str], sources: Sequence[BotSource]) -> tuple[str, ...]:
    rest = iter(sources)
    return seat_names(HUMAN if word == HUMAN else next(rest).name for word in words)


def _format(asked: MatchRequest, *, is_one_table: bool) -> Format:
    given = {"--boards": asked.boards, "--deals": asked.deals, "--game": asked.game or None}
    chosen = [name for name, value in given.items() if value]
    if len(chosen) > 1:
        raise UserError(f"{' and '.join(chosen)} exclude each other: choose one.")
    if asked.game or asked.deals or (is_one_table and not asked.boards):
        return Format(deals=asked.deals)
    return Format(boards=asked.boards or DEFAULT_BOARDS)


def _check_room(plan: MatchPlan) -> None:
    """Refuse a match of which a record could not be read again."""
    if plan.deals and plan.deals > MAX_DEALS:
        raise UserError(f"{plan.spec.format} has {plan.deals:,} deals; a match has at most {MAX_DEALS:,}. Play fewer.")
