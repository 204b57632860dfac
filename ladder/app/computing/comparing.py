"""
The play of a ladder's bots in a variant: the style of one, and two beside each other.

A comparison has what the store knows at once, and what the process that computes reads in the records. The style is
read by that process from the records of the bot's newest matches.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ladder.app.computing.asking import deals_of, known_answer
from ladder.app.local.why import Source
from ladder.errors import LadderError
from ladder.ratings.means import Mean
from ladder.store import lookup
from ladder.store.models import State
from ladder.store.queries.matches import common_matches, common_variants, pair_sums, results
from ladder.store.queries.standings import standings_of
from ladder.store.queries.variant_field import field_of
from ladder.values.bot_comparison import (
    BotComparison,
    BotStyle,
    ComparedBoard,
    Favour,
    FoundInRecords,
    FoundStyle,
    MeanOfBoards,
)
from ladder.values.questions import ComparedMatch, CompareQuestion, StyledMatch, StyleQuestion

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ladder.app.ladder import Ladder
    from ladder.store.database import Session
    from ladder.store.lookup import NamedVersion
    from ladder.store.queries.matches import PairSums
    from ladder.values.matches import MatchRow
    from ladder.values.value import Computing

NEWEST = 40
"""Matches that are looked at more closely."""
DIFFERING = 12
"""Boards that are shown."""
NOTHING = FoundInRecords(sources=(), deals=0, phases=(), favours=())


class _Meeting(NamedTuple):
    """A match, and the numbers that the two have in it; of a side with partners, that of the first."""

    match: MatchRow
    one: int
    two: int


def compare_bots(ladder: Ladder, bot: str, other: str, variant: str | None = None, asker: str = "") -> BotComparison:
    """
    Compare two bots in a variant, as far as that is known; what is not known yet is put into the queue.

    Args:
        ladder: The ladder.
        bot: ``Trotter`` is its newest version, ``Trotter@2`` its version 2.
        other: Likewise.
        variant: Which one; None: where the two have met most often, or else one in which both are entered.
        asker: The account or address whose place in the queue it takes (`ladder.app.computing.asking`).

    Raises:
        LadderError: If there is no such bot, version or variant, both are the same, or they share no variant.
        TooOften: If too much waits, of this asker or of all.
    """
    with ladder.database.read() as session:
        variant = lookup.find_variant(session, variant).name if variant else _variant(session, bot, other)
        one, two = lookup.named_version(session, bot, variant), lookup.named_version(session, other, variant)
        if one.id == two.id:
            raise LadderError(f"{bot} and {other} are the same version. Choose two different bots or versions.")
        field = field_of(session, variant)
        sums = pair_sums(session, variant, one.id, two.id)
        matches = common_matches(session, variant, one.id, two.id, NEWEST)
    meetings = [_Meeting(match, _number(match, one), _number(match, two)) for match in matches]
    found, computing = _in_records(ladder, field.variant, (one.id, two.id), meetings, asker)
    playing = sum(each.state == State.ACTIVE and each.matches > 0 for each in field.entries.values())
    pairs = playing * (playing - 1)
    return BotComparison(
        variant=variant,
        title=field.title,
        bot=field.entries[one.id].bot,
        version=one.number,
        other=field.entries[two.id].bot,
        other_version=two.number,
        **_scored(sums),
        newest=len(meetings),
        differing=tuple(most_different(_boards(meetings))),
        sources=tuple(map(int, found.sources)),
        deals=found.deals,
        phases=found.phases,
        favours=tuple(
            Favour(by=each.by, points=each.points, p=each.p, adjusted_p=min(1.0, each.p * max(pairs, 1)))
            for each in found.favours
        ),
        pairs=pairs,
        computing=computing,
    )


def most_different(boards: Iterable[ComparedBoard]) -> list[ComparedBoard]:
    """Give the boards on which the two differ most, those on which they are level left out."""
    different = [board for board in boards if board.difference]
    return sorted(different, key=lambda board: (-abs(board.difference), -board.match, board.board))[:DIFFERING]


def _variant(session: Session, bot: str, other: str) -> str:
    """Find the variant in which the two have met most often; else the first one in which both are entered."""
    one, two = (lookup.named_version(session, word) for word in (bot, other))
    if met := common_variants(session, one.id, two.id):
        return met[0]
    for variant in lookup.variants(session):
        entries = field_of(session, variant).entries.values()
        if {word.partition("@")[0] for word in (bot, other)} <= {entry.bot for entry in entries}:
            return variant
    raise LadderError(f"There is no variant in which both {bot} and {other} are entered.")


def _number(match: MatchRow, version: NamedVersion) -> int:
    return next(seat.seat for seat in match.seats if seat.version_id == version.id)


def _scored(sums: PairSums) -> dict[str, Any]:
    """Give the fields that follow from the sums of all matches."""
    difference = None
    if sums.boards > 1:
        found = Mean.of_sums(sums.boards, sums.points, sums.squares)
        difference = MeanOfBoards(mean=round(found.value, 4), error=round(found.error, 4), boards=found.n)
    return {**{name: getattr(sums, name) for name in ("matches", "score", "boards", "board_score")},
            "difference": difference}  # fmt: skip


def _boards(meetings: Iterable[_Meeting]) -> Iterator[ComparedBoard]:
    for match, one, two in meetings:
        ours, theirs = match.seats[one].board_points or (), match.seats[two].board_points or ()
        for board, (own, opposite) in enumerate(zip(ours, theirs, strict=False), 1):
            yield ComparedBoard(match=match.id, board=board, bot=own, other=opposite)


def _in_records(
    ladder: Ladder, variant: str, versions: tuple[int, int], meetings: Sequence[_Meeting], asker: str
) -> tuple[FoundInRecords, Computing | None]:
    """Find what is known of the records of these matches."""
    looks = tuple(
        ComparedMatch(
            deals=deals_of(
                ladder,
                Source.of(ladder.files.record(match.id, match.attempt), str(match.id)),
                match.commitment,
            ),
            bot=one,
            other=two,
        )
        for match, one, two in meetings
        if match.record_kept
    )
    if not looks:
        return NOTHING, None
    one, two = versions
    known = known_answer(ladder, CompareQuestion(looks=looks), asker, f"comparison of {one} and {two}: {variant}")
    return FoundInRecords.model_validate_json(known.answer) if known.answer else NOTHING, known.computing


NO_STYLE = FoundStyle(sources=(), deals=0, bars=(), figures=(), seats=(), costs=())


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
            lookup.find_variant(session, variant)
        version = lookup.named_version(session, bot, variant)
        entered = {field.variant: row.matches for field, row in standings_of(session, version.id)}
        field = field_of(session, variant or max(entered, key=lambda name: entered[name]))
        matches = results(session, NEWEST, field.variant, [version.id])
    found = NO_STYLE
    computing = None
    if looks := looks_at(ladder, matches):
        question = StyleQuestion(looks=looks, bot=str(version.id))
        known = known_answer(ladder, question, asker, f"style of {version.id}: {field.variant}")
        found = FoundStyle.model_validate_json(known.answer) if known.answer else NO_STYLE
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


def looks_at(ladder: Ladder, matches: Sequence[MatchRow]) -> tuple[StyledMatch, ...]:
    """Name all deals of these matches, if their records are kept, with the ids of the versions that play."""
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
