"""A match that is to be played on this machine: a new one, or an interrupted one that is resumed."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from ladder.app.local.local_request import LocalRequest
from ladder.app.local.record_output import recording, resumable, resumed_recording, seed_beside, unfinished
from ladder.errors import UserError
from ladder.sandbox.bots.bot_source import BotSource, FindBot, find_bot, seat_names
from pigpen.rules import seed_from
from referee.match.formats import PERSON_SECONDS, Format, MatchSpec, person_clock
from referee.records.framing import MAX_DEALS
from referee.records.rules_file import load_rules

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from pigpen.rules import Rules
    from referee.match.match import Unfinished
    from referee.records.lines import AnyLine

DEFAULT_BOARDS = 16
HUMAN = "human"
"""The word for a person, where bots are named."""


class MatchRequest(LocalRequest):
    """
    A new match. At most one of boards, deals and game is given.

    None of them means 16 boards, or with a person a game.
    """

    bots: tuple[str, ...]
    """
    For each seat a sample bot's name, a folder or an image; with partners one for each team is enough.

    One of them may be `human`.
    """
    boards: Annotated[int, Field(ge=1)] | None = None
    """Number of boards; each is played from every seat."""
    deals: Annotated[int, Field(ge=1)] | None = None
    """Number of independent deals."""
    game: bool = False
    """Deals until the variant's own end."""
    record: Path | None = None
    """File to which the match is written; None: none."""
    human_limit: float = PERSON_SECONDS
    """Most seconds of wall time for one decision of a person."""


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
    form = _format(asked, has_people=bool(people))
    spec = MatchSpec(rules, _names(words, sources), form, asked.clock_setting(), asked.seed_bytes(), people)
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
    return seated


def _sources(words: Sequence[str], find: FindBot = find_bot) -> tuple[BotSource, ...]:
    """Give the bots among those who sit at the table."""
    return tuple(find(word) for word in words if word != HUMAN)


def _names(words: Sequence[str], sources: Sequence[BotSource]) -> tuple[str, ...]:
    rest = iter(sources)
    return seat_names(HUMAN if word == HUMAN else next(rest).name for word in words)


def _format(asked: MatchRequest, *, has_people: bool) -> Format:
    given = {"--boards": asked.boards, "--deals": asked.deals, "--game": asked.game or None}
    chosen = [name for name, value in given.items() if value]
    if len(chosen) > 1:
        raise UserError(f"{' and '.join(chosen)} exclude each other: choose one.")
    if asked.game or asked.deals or (has_people and not asked.boards):
        return Format(deals=asked.deals)
    return Format(boards=asked.boards or DEFAULT_BOARDS)


def _check_room(plan: MatchPlan) -> None:
    """Refuse a match of which a record could not be read again."""
    if plan.deals and plan.deals > MAX_DEALS:
        raise UserError(f"{plan.spec.format} has {plan.deals:,} deals; a match has at most {MAX_DEALS:,}. Play fewer.")
