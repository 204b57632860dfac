"""One board at one table: what it has in common with the match of boards that it is taken from."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pigpen import MatchResult
from pigpen.rules import PRESETS
from referee.match.formats import Format, MatchSpec, seats_of
from referee.match.match import CannotResume, Unfinished
from referee.records.lines import DealLine, MatchLine, ResultLine
from tests.referee.recorded import SEED, match_lines
from tests.referee.scripted_seats import ScriptedSeat, honest
from tests.referee.tables import play_match, play_tables

if TYPE_CHECKING:
    from referee.records.lines import AnyLine


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
        spec = MatchSpec(rules, tuple("abcd"), Format.parse(form), seed=SEED)
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
    spec = MatchSpec(rules, tuple("abcd"), Format.parse("board:5:3"), seed=SEED)
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
        place = seats_of(rules, SEED, 5, 3).index(bot)
        assert (seat.welcomed.seat, seat.welcomed.format) == (place, "boards:1"), "no bot need know of the format"
        assert seat.notices[-1] == MatchResult(last.results[bot].place, float(deal.scores[place]))
        assert last.results[bot].standard_error is None


def test_an_interrupted_board_is_resumed() -> None:
    first, deal, _ = match_lines("hearts", "board:5:3")
    assert Unfinished.of([first, deal]).spec(SEED).format == Format.parse("board:5:3")


def test_a_rotation_that_the_variant_does_not_have_is_named() -> None:
    first, *_ = match_lines("hearts", "board:0:3")
    other = first.model_copy(update={"format": "board:0:4"})
    with pytest.raises(CannotResume, match="'board:0:4' is no format of 'hearts': its last number is at most 3"):
        Unfinished.of([other]).spec(SEED)
