"""A person's own games: listed, summed up, rated against house bots, and forgotten."""

from __future__ import annotations

import datetime
import math
from random import Random
from statistics import fmean
from typing import TYPE_CHECKING

import pytest

from ladder.app.ladder import Ladder
from ladder.people.boards.daily_board import open_today
from ladder.people.review.own_games import (
    MIN_GAMES,
    PERSON,
    OwnRating,
    RatedGame,
    forget,
    own_days,
    own_games,
    own_rating,
    own_records,
)
from ladder.people.review.table_replays import same_order
from ladder.people.tables.chairs import found_table, table_page
from ladder.people.tables.table_opening import open_table
from ladder.ratings.elo import SCALE, steepness
from ladder.results.files import TableFiles
from ladder.settings.settings import load_settings
from ladder.store.queries.people_tables import finished_before
from ladder.store.table_models import PeopleChair, PeopleTable
from ladder.values.opponents import NAMES
from ladder.values.people import ChairKind, ChairOrder, TableOrder, TableVisitor
from tests.ladder.ladders import NOW, new_ladder
from tests.ladder.people.boards.finished import finished

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

ADA = TableVisitor(guest="ada's cookie", shown="Ada")
BEN = TableVisitor(guest="ben's cookie", shown="Ben")
DAY = 24 * 3600.0
TODAY = datetime.datetime.fromtimestamp(NOW, datetime.UTC).date()
ONE_DEAL = TableOrder(
    variant="hearts",
    format="deals:2",
    chairs=(ChairOrder(), *[ChairOrder(kind=ChairKind.HOUSE, name=name) for name in ("counting", "random", "random")]),
)


@pytest.fixture
def ladder(tmp_path: Path) -> Iterator[Ladder]:
    made = new_ladder(load_settings(data_dir=tmp_path))
    yield made
    made.database.close()


def on(ladder: Ladder, days: int) -> Ladder:
    """The same ladder, some days later."""
    return Ladder(ladder.settings, ladder.database, lambda: NOW + days * DAY)


def test_a_guest_sees_its_own_games_alone_and_how_much_better_than_counting_it_did(
    ladder: Ladder,
) -> None:
    opened = open_table(ladder, ONE_DEAL, ADA)
    finished(ladder, opened)
    [game] = own_games(ladder, ADA)
    state = table_page(ladder, opened.name)
    ada, counting, *_ = state.chairs
    assert (game.table, game.variant, game.format, game.players) == (opened.name, "hearts", "deals:2", 4)
    assert (game.place, game.points) == (ada.place, ada.points)
    assert [player.bot for player in game.others] == ["counting", "random", "random"]
    assert [player.name for player in game.others] == [NAMES["counting"][0], *NAMES["random"][:2]]
    assert ada.points is not None
    assert counting.points is not None
    assert game.ahead == (counting.points - ada.points) / 2  # fewer points are better
    assert own_games(ladder, BEN) == []
    assert own_games(ladder, TableVisitor()) == []


def test_games_are_summed_up_by_variant_without_those_with_help(ladder: Ladder) -> None:
    for _ in range(3):
        finished(ladder, open_table(ladder, ONE_DEAL, ADA))
    games = own_games(ladder, ADA)
    helped = games[0].model_copy(update={"assisted": True})
    [record] = own_records([helped, *games[1:]])
    assert (record.variant, record.games, record.compared) == ("hearts", 3, 2)
    ahead = [game.ahead or 0.0 for game in games[1:]]
    assert record.ahead == pytest.approx(sum(ahead) / 2)
    assert record.ahead_error == pytest.approx(1.96 * abs(ahead[0] - ahead[1]) / 2)


def test_a_rating_counts_games_against_house_bots_without_help(ladder: Ladder) -> None:
    for _ in range(2):
        finished(ladder, open_table(ladder, ONE_DEAL, ADA))
    games = own_games(ladder, ADA)
    assert [(game.deals, [name for name, _ in game.places]) for game in games] == [
        (2, ["", "counting", "random", "random"])
    ] * 2
    assert {place for _, place in games[0].places} <= {1, 2, 3, 4}
    helped = games[0].model_copy(update={"places": ()})
    for count, is_rated in ((MIN_GAMES - 1, False), (MIN_GAMES, True)):
        [record] = own_records([helped, *[games[1]] * count])
        assert (record.rated, record.elo is not None, record.elo_error is not None) == (count, is_rated, is_rated)


def test_with_help_or_partners_or_other_people_a_game_is_not_rated(ladder: Ladder) -> None:
    partners = ONE_DEAL.model_copy(update={"variant": "gongzhu-partners"})
    number = finished(ladder, open_table(ladder, ONE_DEAL, ADA))
    with ladder.database.write() as session:
        session.get_one(PeopleTable, number).assisted = True
    finished(ladder, open_table(ladder, partners, ADA))
    assert [game.places for game in own_games(ladder, ADA)] == [(), ()]


def test_days_in_a_row_are_counted_and_marked_and_the_first_play_of_a_board_counts(ladder: Ladder) -> None:
    first = {}
    for day in (0, 1, 2):
        opened = open_today(on(ladder, day), "hearts-short", ADA)
        finished(on(ladder, day), opened)
        first[day] = opened.name
    finished(on(ladder, 2), open_today(on(ladder, 2), "hearts-short", ADA))
    days = own_days(on(ladder, 2), ADA)
    assert days.streak == 3
    for day, name in first.items():
        [game] = days.games_on(TODAY + datetime.timedelta(days=day))
        assert (game.table, game.variant) == (name, "hearts-short")
    assert (len(days.weeks), {len(week) for week in days.weeks}) == (5, {7})
    assert [week[0].day.weekday() for week in days.weeks] == [0] * 5
    assert own_days(on(ladder, 3), ADA).streak == 3
    assert own_days(on(ladder, 4), ADA).streak == 0
    assert own_days(on(ladder, 2), BEN).streak == 0


def test_of_two_plays_of_a_day_the_one_that_was_opened_first_is_marked(ladder: Ladder) -> None:
    first = open_today(ladder, "hearts-short", ADA)
    finished(Ladder(ladder.settings, ladder.database, lambda: NOW + 60), first)
    finished(ladder, open_today(ladder, "hearts-short", ADA))
    [game] = own_days(ladder, ADA).games_on(TODAY)
    assert game.table == first.name


def test_games_are_forgotten_with_their_records_and_those_of_others_stay(ladder: Ladder) -> None:
    number = finished(ladder, open_table(ladder, ONE_DEAL, ADA))
    finished(ladder, open_table(ladder, ONE_DEAL, BEN))
    folder = TableFiles(ladder.settings.data_dir).folder(number)
    assert folder.exists()
    assert forget(ladder, ADA) == 1
    assert not folder.exists()
    assert (own_games(ladder, ADA), len(own_games(ladder, BEN))) == ([], 1)


def test_todays_board_is_forgotten_only_when_its_day_is_over(ladder: Ladder) -> None:
    finished(ladder, open_today(ladder, "hearts-short", ADA))
    assert forget(ladder, ADA) == 0
    assert len(own_games(ladder, ADA)) == 1
    assert forget(on(ladder, 1), ADA) == 1


def test_a_table_with_other_people_stays_without_the_name(ladder: Ladder) -> None:
    both = ONE_DEAL.model_copy(update={"chairs": (ChairOrder(), ChairOrder(), *ONE_DEAL.chairs[2:])})
    opened = open_table(ladder, both, ADA)
    finished(ladder, opened)
    assert forget(ladder, ADA) == 0
    assert own_games(ladder, ADA) == []
    assert "Ada" not in table_page(ladder, opened.name).model_dump_json()


def test_a_table_of_a_guest_is_old_after_a_while_and_not_if_somebody_with_an_account_played_there(
    ladder: Ladder,
) -> None:
    both = ONE_DEAL.model_copy(update={"chairs": (ChairOrder(), ChairOrder(), *ONE_DEAL.chairs[2:])})
    alone, shared = (open_table(ladder, order, ADA) for order in (ONE_DEAL, both))
    for opened in (alone, shared):
        finished(ladder, opened)
    with ladder.database.write() as session:
        numbers = {each.name: found_table(session, each.name).id for each in (alone, shared)}
        session.get_one(PeopleChair, (numbers[shared.name], 1)).account = "ben"
    with ladder.database.read() as session:
        assert finished_before(session, NOW + 31 * DAY) == [numbers[alone.name]]


def test_the_same_table_again_has_the_same_chairs_rules_and_clock_and_new_cards(ladder: Ladder) -> None:
    opened = open_table(ladder, ONE_DEAL.model_copy(update={"seconds": 60.0, "practice": True}), ADA)
    finished(ladder, opened)
    state = table_page(ladder, opened.name)
    order = same_order(ladder, state)
    assert (order.variant, order.rules, order.chairs) == ("hearts", None, ONE_DEAL.chairs)
    assert (order.format, order.seconds, order.practice) == ("deals:2", 60.0, True)
    again = table_page(ladder, open_table(ladder, order, ADA).name)
    assert again.rules == state.rules
    assert again.commitment != state.commitment


STRENGTHS = {PERSON: 150.0, "counting": 0.0, "cautious": -200.0, "random": -500.0}


def game(rng: Random, names: tuple[str, ...], deals: int) -> RatedGame:
    """One whose places are the order of noisy performances, with which Elo's formula holds exactly."""
    scale = SCALE / math.log(10) / steepness(deals / len(names))
    played = [STRENGTHS[name] - scale * math.log(-math.log(rng.random())) for name in names]
    return RatedGame(
        deals, tuple((name, 1 + sum(other > own for other in played)) for name, own in zip(names, played, strict=True))
    )


def rating_of(count: int, names: tuple[str, ...], deals: int = 16, seed: int = 1) -> OwnRating | None:
    rng = Random(seed)
    return own_rating([game(rng, names, deals) for _ in range(count)])


@pytest.mark.parametrize("others", [("counting",) * 3, ("counting", "cautious", "random")])
@pytest.mark.parametrize("deals", [1, 16])
def test_a_known_strength_is_found_within_its_error(others: tuple[str, ...], deals: int) -> None:
    found = [rating_of(400, (PERSON, *others), deals, seed) for seed in range(5)]
    ratings = [each for each in found if each]
    assert len(ratings) == 5
    error = ratings[0].error / 1.96
    shrunk = 1 / (1 + error**2 / 200.0**2)  # towards the mean by the prior
    assert fmean(each.elo for each in ratings) == pytest.approx(1500 + 150 * shrunk, abs=3 * error / math.sqrt(5) + 10)
    assert all(0 < each.error < 150 for each in ratings)


def test_more_games_are_surer() -> None:
    few, many = (
        rating_of(20, (PERSON, "counting", "counting", "random")),
        rating_of(320, (PERSON, "counting", "counting", "random")),
    )
    assert few
    assert many
    assert many.error < 0.5 * few.error


def test_few_games_or_none_with_counting_have_no_rating() -> None:
    names = (PERSON, "counting", "random", "random")
    assert rating_of(MIN_GAMES - 1, names) is None
    assert rating_of(MIN_GAMES, names) is not None
    assert rating_of(50, (PERSON, "cautious", "random", "random")) is None
    assert own_rating([]) is None
