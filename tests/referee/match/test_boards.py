"""
Matches of boards: every bot holds every hand, each rotation at a table of its own; boards take out luck.

The seed of the run against luck is fixed, so it cannot flake.
"""

from __future__ import annotations

import asyncio
import contextlib
import statistics
from typing import TYPE_CHECKING

import pytest

from benchmarks.boards import TABLES, errors
from pigpen import DealResult, MatchResult
from pigpen.rules import PRESETS, seed_from
from referee.match.formats import Format, MatchSpec, seats_of
from referee.match.match import CannotResume, Match, Unfinished
from referee.records.lines import DealLine, MatchLine, ResultLine, to_json, without_times
from tests.referee.recorded import SEED as RECORDED_SEED
from tests.referee.recorded import match_lines
from tests.referee.scripted_seats import AbsentSeat, ScriptedSeat, honest
from tests.referee.tables import play_match, play_tables

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from pigpen.rules import Action
    from pigpen.values.view import View
    from referee.records.lines import AnyLine
    from referee.seats.clock import Stopwatch
    from referee.seats.seat import Seat

SEED = bytes(range(32))
RULES = ["hearts", "gongzhu", "gongzhu-five", "gongzhu-partners"]


def spec_of(rules: str = "hearts", form: str = "boards:3") -> MatchSpec:
    variant = PRESETS[rules]
    return MatchSpec(variant, tuple("abcde"[: variant.players]), Format.parse(form), seed=SEED)


def tables_of(spec: MatchSpec) -> list[list[ScriptedSeat]]:
    return [[ScriptedSeat(honest) for _ in spec.bots] for _ in range(spec.format.tables(spec.rules))]


async def play(
    spec: MatchSpec, tables: Sequence[Sequence[Seat]] | None = None, concurrency: int = 1
) -> tuple[ResultLine, list[DealLine]]:
    lines: list[AnyLine] = []
    result = await play_tables(spec, tables or tables_of(spec), lines.append, concurrency)
    assert isinstance(lines[0], MatchLine)
    assert lines[-1] == result
    deals = [line for line in lines if isinstance(line, DealLine)]
    assert len(lines) == len(deals) + 2
    return result, deals


@pytest.mark.parametrize("rules", RULES)
async def test_each_board_is_played_once_in_every_rotation_with_the_same_cards(rules: str) -> None:
    spec = spec_of(rules)
    result, deals = await play(spec)
    players = spec.rules.players
    assert sorted((line.board, line.rotation) for line in deals) == [
        (board, rotation) for board in range(3) for rotation in range(players)
    ]
    assert result.deals == 3 * players
    for line in deals:
        assert line.board == line.deal
        assert line.rotation is not None
        assert line.seats == seats_of(spec.rules, SEED, line.deal, line.rotation)
    hands = {board: {line.hands for line in deals if line.board == board} for board in range(3)}
    assert [len(found) for found in hands.values()] == [1, 1, 1]
    assert len(set.union(*hands.values())) == 3


async def test_a_board_passes_in_its_own_direction_of_the_cycle() -> None:
    spec = spec_of(form="boards:5")
    tables = tables_of(spec)
    await play(spec, tables)
    for seat in (seat for table in tables for seat in table):
        assert {view.deal: view.pass_to == (view.seat + [1, 3, 2, 0, 1][view.deal]) % 4 for view in seat.asked} == (
            dict.fromkeys(range(5), True)
        )


async def test_GZ_2_every_board_is_a_first_deal() -> None:
    _, deals = await play(spec_of("gongzhu"))
    for line in deals:
        leader = next(step.seat for step in line.steps if step.play)
        assert "2S" in line.hands[leader].split()


@pytest.mark.parametrize("rules", RULES)
async def test_the_totals_of_a_table_follow_the_bots_from_seat_to_seat(rules: str) -> None:
    spec = spec_of(rules, "boards:4")
    tables = tables_of(spec)
    _, deals = await play(spec, tables)
    for number, table in enumerate(tables):
        totals = [0] * len(table)
        for line in (line for line in deals if line.rotation == number):
            assert line.seats is not None
            before = tuple(totals[bot] for bot in line.seats)
            for seat, bot in enumerate(line.seats):
                assert {view.totals for view in table[bot].asked if view.deal == line.deal} == {before}
                totals[bot] += line.scores[seat]
            assert line.totals == tuple(totals[bot] for bot in line.seats)


async def test_an_instance_hears_of_its_own_table_only() -> None:
    spec = spec_of()
    tables = tables_of(spec)
    _, deals = await play(spec, tables)
    for number, table in enumerate(tables):
        own = [line for line in deals if line.rotation == number]
        totals = [sum(line.scores[line.seats.index(bot)] for line in own if line.seats) for bot in range(4)]
        for bot, seat in enumerate(table):
            assert seat.welcomed is not None
            assert (seat.welcomed.seat, seat.welcomed.format) == (
                seats_of(spec.rules, SEED, 0, number).index(bot),
                "boards:3",
            )
            assert seat.notices == [
                *(DealResult(line.deal, line.seats.index(bot), line.scores, line.totals) for line in own if line.seats),
                MatchResult(1 + sum(other < totals[bot] for other in totals), totals[bot] / 3),
            ]
            assert seat.closed


async def test_the_same_seat_of_a_board_gives_other_random_numbers_at_each_table() -> None:
    spec = spec_of()
    tables = tables_of(spec)
    await play(spec, tables)
    seeds = {
        (view.deal, view.seat, number, view.seed)
        for number, table in enumerate(tables)
        for s in table
        for view in s.asked
    }
    assert len(seeds) == 3 * 4 * 4
    assert len({seed for *_, seed in seeds}) == 3 * 4 * 4


async def test_the_result_is_that_of_the_bots_wherever_they_sat() -> None:
    spec = spec_of("gongzhu")
    result, deals = await play(spec)
    for bot, row in enumerate(result.results):
        per_board = [
            statistics.mean(line.scores[line.seats.index(bot)] for line in deals if line.board == board and line.seats)
            for board in range(3)
        ]
        assert (row.bot, row.seat) == (spec.bots[bot], bot)
        assert row.points_per_deal == pytest.approx(statistics.mean(per_board))
        assert row.standard_error == pytest.approx(statistics.stdev(per_board) / 3**0.5)
        assert row.total == 12 * row.points_per_deal


@pytest.mark.parametrize("table", range(4))
async def test_a_bot_taken_over_at_any_table_comes_last(table: int) -> None:
    spec = spec_of("gongzhu")
    best = min((await play(spec))[0].results, key=lambda row: row.place).seat
    tables: list[list[Seat]] = [list(seats) for seats in tables_of(spec)]
    tables[table][best] = AbsentSeat()
    result, _ = await play(spec, tables)
    assert (result.results[best].place, result.results[best].taken_over) == (4, True)
    assert [row.taken_over for row in result.results].count(True) == 1


async def test_GP_1_partners_have_the_same_points_and_share_their_place() -> None:
    result, _ = await play(spec_of("gongzhu-partners"))
    points = [(row.points_per_deal, row.standard_error, row.place) for row in result.results]
    assert points[:2] == points[2:]


class Yielding(ScriptedSeat):
    """Lets the event loop go its rounds before it answers, as a bot at the end of a wire does."""

    async def ask(self, view: View, watch: Stopwatch) -> Action:
        for _ in range(view.seed % 5):
            await asyncio.sleep(0)
        return await super().ask(view, watch)


async def test_the_number_of_tables_at_once_changes_nothing_but_the_order_of_the_lines() -> None:
    spec = spec_of("gongzhu")
    found = []
    for concurrency in (1, 2, 4):
        result, deals = await play(spec, [[Yielding(honest) for _ in range(4)] for _ in range(4)], concurrency)
        lines = without_times(map(to_json, (result, *sorted(deals, key=lambda line: (line.rotation, line.deal)))))
        found.append(lines)
        order = [line.rotation for line in deals]
        assert (order == sorted(order, key=lambda rotation: rotation or 0)) == (concurrency == 1)
    assert found == [found[0]] * 3


@pytest.mark.parametrize("concurrency", [1, 2, 4])
async def test_so_many_tables_stand_at_once_and_no_more(concurrency: int) -> None:
    standing: set[int] = set()
    seen: list[int] = []

    @contextlib.asynccontextmanager
    async def open_table(number: int) -> AsyncIterator[list[Seat]]:
        standing.add(number)
        seen.append(len(standing))
        yield [Yielding(honest) for _ in range(4)]
        standing.remove(number)

    await Match(spec_of(), open_table, lambda line: None).play(concurrency)
    assert max(seen) == concurrency
    assert len(seen) == 4


async def test_where_one_table_fails_all_are_cleared_away() -> None:
    cleared: list[int] = []
    lines: list[AnyLine] = []

    @contextlib.asynccontextmanager
    async def open_table(number: int) -> AsyncIterator[list[Seat]]:
        try:
            yield [Yielding(honest) for _ in range(4)]
            if number == 2:
                raise OSError("the engine is gone")
        finally:
            cleared.append(number)

    with pytest.raises(OSError, match="the engine is gone"):
        await Match(spec_of(form="boards:50"), open_table, lines.append).play(3)
    assert {0, 1, 2} <= set(cleared)
    assert not any(isinstance(line, ResultLine) for line in lines)


async def test_one_table_with_independent_deals_has_the_cards_of_the_boards() -> None:
    lines: list[AnyLine] = []
    await play_match(spec_of(form="deals:3"), [ScriptedSeat(honest) for _ in range(4)], lines.append)
    _, boards = await play(spec_of(form="boards:3"))
    assert [line.hands for line in lines if isinstance(line, DealLine)] == [
        line.hands for line in boards if line.rotation == 0
    ]


@pytest.mark.parametrize("variant", ["hearts", "gongzhu", "chinese-hearts"])
def test_for_as_many_deals_boards_tell_a_bot_from_its_clone_far_more_sharply(variant: str) -> None:
    """With more than twice the error, single deals would have to be more than four times as many."""
    boards, deals = errors(PRESETS[variant], TABLES[0], 30, seed_from("luck"))
    assert deals > 2 * boards


def the_deal(form: str, rules: str) -> DealLine:
    (line,) = [line for line in match_lines(rules, form) if isinstance(line, DealLine)]
    return line


@pytest.mark.parametrize("rules", ["hearts", "gongzhu-five", "gongzhu-partners"])
def test_a_board_played_alone_is_that_board_of_the_match(rules: str) -> None:
    """The same bots do the same: cards, seats, the pass, and the bots' random numbers are those of the board."""
    whole = [line for line in match_lines(rules, "boards:3") if isinstance(line, DealLine)]
    for line in whole:
        alone = the_deal(f"board:{line.board}:{line.rotation}", rules)
        for field in ("deal", "board", "rotation", "seats", "hands", "steps", "scores"):
            assert getattr(alone, field) == getattr(line, field)
        assert alone.totals == alone.scores


async def test_the_bots_have_the_random_numbers_of_that_table() -> None:
    numbers = {}
    for form in ("boards:2", "board:1:2"):
        rules = PRESETS["hearts"]
        spec = MatchSpec(rules, tuple("abcd"), Format.parse(form), seed=RECORDED_SEED)
        drawn: dict[tuple[int, int], set[int]] = {}
        tables = [[ScriptedSeat(honest) for _ in "abcd"] for _ in range(spec.format.tables(rules))]
        await play_tables(spec, tables, lambda line: None)
        for view in (view for seat in tables[-2 if form == "boards:2" else 0] for view in seat.asked):
            drawn.setdefault((view.deal, view.seat), set()).add(view.seed)
        numbers[form] = {place: found for place, found in drawn.items() if place[0] == 1}
    assert numbers["boards:2"] == numbers["board:1:2"]
    assert all(len(found) == 1 for found in numbers["board:1:2"].values())


async def test_a_bot_hears_its_seat_and_how_that_one_deal_went() -> None:
    rules = PRESETS["hearts"]
    spec = MatchSpec(rules, tuple("abcd"), Format.parse("board:5:3"), seed=RECORDED_SEED)
    seats = [ScriptedSeat(honest) for _ in "abcd"]
    lines: list[AnyLine] = []
    await play_match(spec, seats, lines.append)
    first, deal, last = lines
    assert isinstance(first, MatchLine)
    assert isinstance(deal, DealLine)
    assert isinstance(last, ResultLine)
    assert (first.format, deal.deal, deal.board, deal.rotation, last.deals) == ("board:5:3", 5, 5, 3, 1)
    for bot, seat in enumerate(seats):
        assert seat.welcomed is not None
        place = seats_of(rules, RECORDED_SEED, 5, 3).index(bot)
        assert (seat.welcomed.seat, seat.welcomed.format) == (place, "boards:1"), "no bot need know of the format"
        assert seat.notices[-1] == MatchResult(last.results[bot].place, float(deal.scores[place]))
        assert last.results[bot].standard_error is None


def test_an_interrupted_board_is_resumed() -> None:
    first, deal, _ = match_lines("hearts", "board:5:3")
    assert Unfinished.of([first, deal]).spec(RECORDED_SEED).format == Format.parse("board:5:3")


def test_a_rotation_that_the_variant_does_not_have_is_named() -> None:
    first, *_ = match_lines("hearts", "board:0:3")
    other = first.model_copy(update={"format": "board:0:4"})
    with pytest.raises(CannotResume, match=r"'board:0:4' is no .* 'hearts': .* 3"):
        Unfinished.of([other]).spec(RECORDED_SEED)
