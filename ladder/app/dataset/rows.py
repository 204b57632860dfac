"""The rows of a data set, from the ladder's database and records."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

from ladder.app.matches import read_recorded
from ladder.errors import UserError
from ladder.store import names
from ladder.store.queries import dataset as queries
from ladder.store.queries.standings import standings
from ladder.values.value import time_of
from pigpen.rules.cards import parse_cards
from referee.records.recorded import BadRecord, rows_of_seats, rows_of_steps
from referee.replay.deal_replay import DealReplay

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ladder.app.ladder import Ladder
    from ladder.values.matches import MatchRow
    from referee.records.lines import DealLine
    from referee.records.recorded import Recorded

    Row = dict[str, Any]


def match_row(match: MatchRow, season: str | None, has_record: bool) -> Row:
    """Give the row of a match."""
    return {
        "match": match.id, "variant": match.variant, "format": match.format, "finished": match.finished,
        "ordinal": match.ordinal, "season": season, "deals": match.deals, "seed": match.seed,
        "commitment": match.commitment, "has_record": has_record,
    }  # fmt: skip


def seat_rows(match: MatchRow) -> Iterator[Row]:
    """Give a row for each seat of a match."""
    for one in match.seats:
        yield {
            "match": match.id, "number": one.seat, "bot": one.bot, "version": one.version, "place": one.place,
            "points_per_deal": one.points_per_deal, "standard_error": one.standard_error, "faults": one.faults,
            "taken_over": one.taken_over, "median_ms": one.median_ms, "elo_before": one.rating_before,
            "elo_after": one.rating_after,
        }  # fmt: skip


def record_rows(ladder: Ladder, match: MatchRow, tell: Callable[[str], None]) -> tuple[list[Row], list[Row]] | None:
    """
    Give the rows of deals and of decisions of a match; None: its record was removed, or cannot be read.

    *tell* is called with a sentence about a record that cannot be read.
    """
    if not match.record_kept:
        return None
    try:
        return _rows(match.id, read_recorded(ladder.files.record(match.id, match.attempt)).recorded)
    except (UserError, BadRecord) as error:
        tell(f"The deals of match {match.id} are left out. {error}")
        return None


def _rows(match: int, recorded: Recorded) -> tuple[list[Row], list[Row]]:
    seats: list[Row] = []
    steps: list[Row] = []
    for line in recorded.deals:
        seats += (
            {**row, "match": match, "hand": parse_cards(str(row["hand"]).split())}
            for row in rows_of_seats(recorded.first, line)
        )
        steps += (
            {**{name: row[name] for name in row if name != "why"}, "match": match, **known}
            for row, known in zip(rows_of_steps(recorded.first, line), _known(recorded, line), strict=True)
        )
    return seats, steps


def _known(recorded: Recorded, line: DealLine) -> Iterator[Row]:
    """Yield what each seat knew before each step, as far as no other column has it; in the order of `rows_of_steps`."""
    players = recorded.rules.players
    for before, after in pairwise(DealReplay(recorded.rules, recorded.first, line).moments):
        deal = before.deal
        played = sum(1 << card for card in deal.plays)
        table = deal.plays[len(deal.plays) - len(deal.plays) % players :]
        for step, _, _ in after.done:
            hand = deal.hands[step.seat]
            legal = 0 if step.moon is not None else deal.legal_mask(step.seat)
            yield {"hand": hand, "legal": legal, "table": list(table), "played": played}


def version_rows(ladder: Ladder) -> Iterator[Row]:
    """Give a row for each version of a bot."""
    with ladder.database.read() as session:
        found = queries.all_versions(session)
    for bot, number, owner, identity, added in found:
        yield {"bot": bot, "version": number, "owner": owner, "identity": identity, "added": time_of(added)}


def rating_rows(ladder: Ladder) -> Iterator[Row]:
    """Give a row for each version in the standings of a variant, also of those that play no more."""
    with ladder.database.read() as session:
        found = [(each, standings(session, each, everyone=True)) for each in names.find_variants(session, None)]
    for variant, table in found:
        for row in table.standings:
            yield {
                "variant": variant.name, "season": variant.season_name, "bot": row.bot,
                "version": row.version, "state": row.state, "rank": row.rank, "elo": row.elo,
                "elo_error": row.error, "margin": row.margin, "margin_error": row.margin_error, "matches": row.matches,
            }  # fmt: skip
