"""
A person's own games: what was played, how it went, the days of the daily boards, and forgetting all of it.

`own_rating` rates a person against the house bots, from the person's own games alone. It is the batch estimate of a
ladder's ratings (`ladder.ratings.batch`) of one person and the bots that it has met, set so that the house bot
`counting` has 1500. Games of people are in no rating of the ladder, and no match of the ladder is in this one.
"""

from __future__ import annotations

import datetime
import json
import math
from collections import Counter, defaultdict
from functools import lru_cache
from itertools import combinations, groupby
from statistics import fmean, stdev
from typing import TYPE_CHECKING, NamedTuple

from ladder.people.boards.daily_board import OPPONENT, day_of
from ladder.people.review.puzzles import puzzle_visitor
from ladder.people.tables.chairs import players_of
from ladder.people.tables.table_opening import guest_hash
from ladder.ratings.elo import START, score_of, steepness
from ladder.results.files import TableFiles
from ladder.store.commands.people_tables import remove_tables
from ladder.store.commands.puzzles import forget_answers
from ladder.store.queries.people_tables import days_played_by, played_by
from ladder.values.people import CalendarDay, ChairKind, DayGame, OwnDays, OwnGame, OwnRecord, TablePurpose
from ladder.values.value import time_of
from referee.match.formats import Format
from referee.records.rules_file import rules_from

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ladder.app.ladder import Ladder
    from ladder.store.table_models import PeopleChair, PeopleTable
    from ladder.values.people import TableVisitor
    from pigpen.rules import Rules

MIN_GAMES = 10
"""Before that the rating would say nothing."""
PERSON = ""
"""Stands for the person among the names of bots."""


class RatedGame(NamedTuple):
    """A game of one person against house bots."""

    deals: int
    places: tuple[tuple[str, int], ...]
    """Names and places of all at the table; the person's name is `PERSON`. 1 is best; equal places are ties."""


class OwnRating(NamedTuple):
    """The strength of a person, on the scale of Elo."""

    elo: float
    error: float
    """± at 95 %, of the difference to `counting`."""


def own_rating(games: Sequence[RatedGame]) -> OwnRating | None:
    """
    Rate a person.

    A game counts as a match of as many boards as it has deals, divided by the players: a board is dealt once for each
    of them. Without rotations there is more luck in it, so the ± is somewhat too small.

    Args:
        games: Of one variant.

    Returns:
        None: there are too few games, or none with `counting`.
    """
    from ladder.ratings.batch import WIDE, fit, pair_weight  # numpy takes long to load

    names = sorted({name for game in games for name, _ in game.places})
    if len(games) < MIN_GAMES or OPPONENT not in names:
        return None
    scores = defaultdict[tuple[int, int, float, int], float](float)
    met = Counter[tuple[int, int, float, int]]()
    for game in games:
        sides = len(game.places)
        for (one, place), (other, behind) in combinations(game.places, 2):
            if one != other:
                pair = names.index(one), names.index(other), steepness(game.deals / sides), sides
                scores[pair] += score_of(place, behind)
                met[pair] += 1
    import numpy as np

    pairs = list(met)
    weights = np.array([pair_weight(sides) for _, _, _, sides in pairs])
    estimate = fit(
        range(len(names)),
        np.array([pair[0] for pair in pairs]),
        np.array([pair[1] for pair in pairs]),
        weights * np.array([scores[pair] for pair in pairs]),
        weights * np.array([met[pair] for pair in pairs]),
        1.0,
        np.array([pair[2] for pair in pairs]),
    )
    person, bot = names.index(PERSON), names.index(OPPONENT)
    covariance = estimate.covariance
    variance = covariance.item(person, person) + covariance.item(bot, bot) - 2 * covariance.item(person, bot)
    ahead = float(estimate.ratings[person] - estimate.ratings[bot])
    return OwnRating(START + ahead, WIDE * math.sqrt(float(variance)))


MAX_GAMES = 100
"""Games that are listed: the newest ones."""
MAX_DAYS = 1000
"""Plays of daily boards that are read for a streak."""
WEEKS = 5
"""Of the calendar."""


def own_games(ladder: Ladder, who: TableVisitor) -> list[OwnGame]:
    """Read the games that a visitor has played to their end, the newest first; of a guest, at tables it has opened."""
    guest = guest_hash(who)
    if who.account is None and not guest:
        return []
    with ladder.database.read() as session:
        return [_game(*each) for each in played_by(session, who.account, guest, MAX_GAMES)]


def own_records(games: Sequence[OwnGame]) -> list[OwnRecord]:
    """Sum games up by variant, the one played most first."""
    ordered = sorted(games, key=lambda game: game.variant)
    found = [_record(variant, tuple(each)) for variant, each in groupby(ordered, lambda game: game.variant)]
    return sorted(found, key=lambda record: -record.games)


def own_days(ladder: Ladder, who: TableVisitor) -> OwnDays:
    """Read on which days a visitor has played the boards of the days."""
    today = day_of(datetime.datetime.fromtimestamp(ladder.clock(), datetime.UTC))
    by_day: dict[datetime.date, dict[str, DayGame]] = {}
    for board, variant, table in reversed(_days(ladder, who)):
        first = by_day.setdefault(datetime.date.fromisoformat(board), {})
        first.setdefault(variant, DayGame(table=table, variant=variant))
    monday = today - datetime.timedelta(days=today.weekday() + 7 * (WEEKS - 1))
    days = [monday + datetime.timedelta(days=number) for number in range(7 * WEEKS)]
    shown = [
        CalendarDay(day=day, games=tuple(by_day.get(day, {}).values()), is_future=day > today) for day in days
    ]  # fmt: skip
    weeks = tuple(tuple(shown[7 * week : 7 * week + 7]) for week in range(WEEKS))
    return OwnDays(streak=streak(set(by_day), today), weeks=weeks)


def streak(played: set[datetime.date], today: datetime.date) -> int:
    """
    Count the days in a row that were played, up to today, or up to yesterday as long as today is not over.

    >>> days = {datetime.date(2027, 1, day) for day in (10, 12, 13, 14)}
    >>> [streak(days, datetime.date(2027, 1, day)) for day in (14, 15, 16)]
    [3, 3, 0]
    """
    day = today if today in played else today - datetime.timedelta(days=1)
    count = 0
    while day in played:
        count, day = count + 1, day - datetime.timedelta(days=1)
    return count


def forget(ladder: Ladder, who: TableVisitor) -> int:
    """
    Remove the games of a visitor that no one else has played in, with their records; give how many those were.

    Answers to puzzles are removed, too. Where other people played, the table stays, but no longer names this visitor.
    Today's board stays until the day is over: who has seen its cards cannot play it for the first time.
    """
    today = day_of(datetime.datetime.fromtimestamp(ladder.clock(), datetime.UTC)).isoformat()
    removed: list[int] = []
    with ladder.database.write() as session:
        for table, mine, chairs in played_by(session, who.account, guest_hash(who), 10**6, with_absent=True):
            if table.purpose == TablePurpose.TODAY and table.board == today:
                continue
            if sum(each.kind == ChairKind.PERSON for each in chairs) == 1:
                removed.append(table.id)
                continue
            chair = next(each for each in chairs if each.chair == mine)
            chair.account, chair.name, chair.secret_hash = None, "–", None
            if who.account is None or table.owner == who.account:
                table.guest, table.owner = "", None
        remove_tables(session, removed)
        forget_answers(session, puzzle_visitor(who))
    TableFiles(ladder.settings.data_dir).remove(removed)
    return len(removed)


def _days(ladder: Ladder, who: TableVisitor) -> list[tuple[str, str, str]]:
    guest = guest_hash(who)
    if who.account is None and not guest:
        return []
    with ladder.database.read() as session:
        return days_played_by(session, who.account, guest, MAX_DAYS)


def _game(table: PeopleTable, mine: int, chairs: Sequence[PeopleChair]) -> OwnGame:
    own = next(each for each in chairs if each.chair == mine)
    rules = _rules(json.dumps(table.rules))
    deals = Format.parse(table.format).count(rules) or 0
    others = [each for each in chairs if each is not own]
    is_rated = (
        deals and not table.assisted and not rules.partners and {each.kind for each in others} == {ChairKind.HOUSE}
    )
    return OwnGame(
        table=table.name,
        purpose=TablePurpose(table.purpose),
        day=datetime.date.fromisoformat(table.board) if table.purpose == TablePurpose.TODAY else None,
        variant=table.variant,
        format=table.format,
        finished=time_of(table.finished or table.touched),
        place=own.place or len(chairs),
        players=len(chairs),
        points=own.points or 0,
        others=tuple(player for player, each in zip(players_of(chairs), chairs, strict=True) if each is not own),
        assisted=table.assisted,
        ahead=_ahead(rules, deals, own, chairs),
        deals=deals,
        places=tuple((_known_as(each, own), each.place or len(chairs)) for each in chairs) if is_rated else (),
        cost=own.cost,
    )


def _known_as(chair: PeopleChair, own: PeopleChair) -> str:
    return PERSON if chair is own else chair.name


def _ahead(rules: Rules, deals: int, own: PeopleChair, chairs: Sequence[PeopleChair]) -> float | None:
    counting = [each.points for each in chairs if (each.kind, each.name) == (ChairKind.HOUSE, OPPONENT)]
    others = [points for points in counting if points is not None]
    if not deals or not others:
        return None
    return (-1 if rules.low_is_better else 1) * ((own.points or 0) - fmean(others)) / deals


@lru_cache(maxsize=64)
def _rules(text: str) -> Rules:
    return rules_from(json.loads(text))


def _record(variant: str, games: Sequence[OwnGame]) -> OwnRecord:
    ahead = [game.ahead for game in games if game.ahead is not None and not game.assisted]
    rated = [RatedGame(game.deals, game.places) for game in games if game.places]
    rating = own_rating(rated)
    return OwnRecord(
        variant=variant,
        games=len(games),
        place=fmean(game.place for game in games),
        compared=len(ahead),
        ahead=fmean(ahead) if ahead else None,
        ahead_error=1.96 * stdev(ahead) / math.sqrt(len(ahead)) if len(ahead) > 1 else None,
        elo=rating.elo if rating else None,
        elo_error=rating.error if rating else None,
        rated=len(rated),
    )
