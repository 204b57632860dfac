"""Matches of real seats: their lines, the names of their bots, the faults, and how long starting and playing took."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from pigpen import DealResult, MatchResult
from pigpen.rules import PRESETS, Card, Phase
from referee.match.formats import DEFAULT_CLOCK, Format, MatchSpec
from referee.match.match import Match, MatchSeconds
from referee.records.lines import DealLine, MatchLine, ResultLine, from_json, to_json, without_times
from referee.seats.verdict import Exit, SeatBroken, SeatFailure, Verdict
from tests.referee.scripted_seats import AbsentSeat, FakeTime, ScriptedSeat, Slow, WorkingSeat, fails, honest, quick
from tests.referee.tables import play_match
from tests.waiting import PATIENCE

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from pigpen.rules import Action
    from pigpen.values.notices import Welcome
    from pigpen.values.view import View
    from referee.records.lines import AnyLine
    from referee.seats.clock import Stopwatch
    from referee.seats.seat import Seat

SEED = bytes(range(32))


def spec_of(rules: str = "hearts", form: str = "deals:2", seed: bytes = SEED) -> MatchSpec:
    variant = PRESETS[rules]
    names = tuple(f"bot{seat}" for seat in range(variant.players))
    return MatchSpec(variant, names, Format.parse(form), DEFAULT_CLOCK, seed)


async def play(spec: MatchSpec, seats: Sequence[Seat] | None = None) -> tuple[ResultLine, list[AnyLine]]:
    lines: list[AnyLine] = []
    seats = seats or [ScriptedSeat(honest) for _ in spec.bots]
    return await play_match(spec, seats, lines.append), lines


def deal_lines(lines: Sequence[AnyLine]) -> list[DealLine]:
    return [line for line in lines if isinstance(line, DealLine)]


@pytest.mark.parametrize("rules", PRESETS)
async def test_every_variant_plays_to_its_own_end(rules: str) -> None:
    spec = spec_of(rules, "game")
    result, lines = await play(spec)
    game = spec.format.start(spec.rules, spec.seed, 0)
    game.totals = tuple(row.total for row in result.results)
    game.deals = result.deals
    assert game.is_over
    assert len(deal_lines(lines)) == result.deals


async def test_a_record_is_one_line_for_the_match_one_for_each_deal_and_one_for_the_result() -> None:
    _, lines = await play(spec_of(form="deals:3"))
    assert [type(line) for line in lines] == [MatchLine, DealLine, DealLine, DealLine, ResultLine]


async def test_the_same_seed_and_bots_give_the_same_record_times_aside() -> None:
    first, second = [[to_json(line) for line in (await play(spec_of()))[1]] for _ in range(2)]
    assert without_times(first) == without_times(second)
    other = [to_json(line) for line in (await play(spec_of(seed=bytes(32))))[1]]
    assert without_times(first) != without_times(other)


async def test_the_seed_is_committed_to_before_and_shown_after() -> None:
    import hashlib

    _, lines = await play(spec_of())
    assert isinstance(lines[0], MatchLine)
    assert isinstance(lines[-1], ResultLine)
    assert lines[0].commitment == hashlib.sha256(bytes.fromhex(lines[-1].seed)).hexdigest()
    assert SEED.hex() not in "".join(to_json(line) for line in lines[:-1])


@pytest.mark.parametrize("rules", ["hearts", "gongzhu-sale"])
async def test_a_line_reads_back_as_it_was_written(rules: str) -> None:
    _, lines = await play(spec_of(rules))
    assert [from_json(to_json(line)) for line in lines] == lines


async def test_every_action_says_who_did_it_and_how_long_it_took() -> None:
    _, lines = await play(spec_of(form="deals:1"))
    (deal,) = deal_lines(lines)
    assert {step.by for step in deal.steps} == {"bot", "forced"}
    assert [step.passed is not None for step in deal.steps] == [True] * 4 + [False] * 52
    assert len(deal.took_ms) == len(deal.steps)


@pytest.mark.parametrize("rules", PRESETS)
async def test_a_bot_is_asked_where_it_has_a_choice_and_sees_what_was_forced(rules: str) -> None:
    seats = [ScriptedSeat(honest) for _ in range(PRESETS[rules].players)]
    _, lines = await play(spec_of(rules, "deals:1"), seats)
    (deal,) = deal_lines(lines)
    cards = [Card.parse(step.play) for step in deal.steps if step.play]
    for number, seat in enumerate(seats):
        own = [step for step in deal.steps if step.seat == number]
        assert [step.by for step in own].count("bot") == len(seat.asked)
        assert 0 < [step.by for step in own].count("forced") < len(own)
        assert [view.decision for view in seat.asked] == list(range(1, len(seat.asked) + 1))
        for view in seat.asked:
            if view.phase is Phase.PLAY:
                assert len(view.legal) > 1
                assert [*view.plays] == cards[: len(view.plays)]
                played = sum(play.seat == number for trick in (*view.tricks, view.trick) for play in trick)
                assert len(view.hand) == view.rules.hand_size - played


async def test_a_pass_of_the_whole_hand_is_not_asked() -> None:
    hearts = PRESETS["hearts"]
    assert hearts.passing
    rules = replace(hearts, name="swap", passing=replace(hearts.passing, cards=13))
    seats = [ScriptedSeat(honest) for _ in range(4)]
    _, lines = await play(replace(spec_of(form="deals:1"), rules=rules), seats)
    (deal,) = deal_lines(lines)
    assert [(step.passed, step.by) for step in deal.steps[:4]] == [(hand, "forced") for hand in deal.hands]
    for seat in seats:
        assert {view.phase for view in seat.asked} == {Phase.PLAY}
        assert [len(view.received) for view in seat.asked] == [13] * len(seat.asked)


async def test_a_default_action_says_why() -> None:
    seats = [ScriptedSeat(fails(Verdict.MALFORMED, "it cannot be read")), *(ScriptedSeat(honest) for _ in range(3))]
    _, lines = await play(spec_of(form="deals:1"), seats)
    (deal,) = deal_lines(lines)
    own = [step for step in deal.steps if step.seat == 0 and step.by != "forced"]
    assert [step.by for step in own] == ["default:malformed"] * 3 + ["takeover"] * (len(own) - 3)
    assert [step.why for step in own[:4]] == ["it cannot be read"] * 3 + [None]


async def test_C_6_nobody_is_waited_for_before_all_have_been_asked() -> None:
    """Each seat answers its sealed question only after the others have been asked theirs."""
    waiting = asyncio.Barrier(4)

    class Patient(ScriptedSeat):
        async def ask(self, view: View, watch: Stopwatch) -> Action:
            if view.phase is Phase.PASS:
                assert view.received == ()
                await waiting.wait()
            return await super().ask(view, watch)

    result, _ = await asyncio.wait_for(play(spec_of(form="deals:1"), [Patient(honest) for _ in range(4)]), PATIENCE)
    assert result.deals == 1


async def test_whoever_has_answered_a_sealed_question_is_held_while_others_think_long() -> None:
    """One has answered before it is found that the others take long, one answers after that."""
    held = [asyncio.Event(), asyncio.Event()]

    class Waiting(ScriptedSeat):
        async def ask(self, view: View, watch: Stopwatch) -> Action:
            for other in held[: seats.index(self)] if view.phase is Phase.PASS else ():
                await other.wait()
            return await super().ask(view, watch)

        def freeze(self) -> None:
            if self is not seats[3]:
                held[min(seats.index(self), 1)].set()

    seats = [Waiting(honest) for _ in range(4)]
    result, _ = await asyncio.wait_for(play(spec_of(form="deals:1"), seats), PATIENCE)
    assert [row.faults for row in result.results] == [0] * 4


async def test_what_a_bot_has_used_unasked_stands_in_the_record() -> None:
    seats = [WorkingSeat(honest), *(ScriptedSeat(honest) for _ in range(3))]
    _, lines = await play(spec_of(form="deals:1"), seats)
    (deal,) = deal_lines(lines)
    assert deal.unasked_ms == tuple(250.0 if step.seat == 0 and step.by == "bot" else None for step in deal.steps)
    _, lines = await play(spec_of(form="deals:1"))
    assert [line.unasked_ms for line in deal_lines(lines)] == [None]


async def test_the_deal_is_finished_even_if_nobody_is_there() -> None:
    result, lines = await play(spec_of(form="deals:2"), [AbsentSeat() for _ in range(4)])
    assert [row.taken_over for row in result.results] == [True] * 4
    assert [row.place for row in result.results] == [
        1 + sum(other.total < row.total for other in result.results) for row in result.results
    ]
    assert all(len(line.steps) >= 52 for line in deal_lines(lines))


@pytest.mark.parametrize("rules", ["hearts", "gongzhu"])
async def test_whoever_was_taken_over_comes_last_whatever_its_points(rules: str) -> None:
    spec = spec_of(rules, "deals:4")
    best = min((await play(spec))[0].results, key=lambda row: row.place).seat
    seats: list[Seat] = [ScriptedSeat(honest) for _ in range(4)]
    seats[best] = AbsentSeat()
    result, _ = await play(spec, seats)
    assert result.results[best].place == 4
    assert result.results[best].taken_over


async def test_GP_1_partners_share_a_place_and_an_offender_takes_its_partner_along() -> None:
    spec = spec_of("gongzhu-partners", "deals:3")
    result, _ = await play(spec, [AbsentSeat(), *(ScriptedSeat(honest) for _ in range(3))])
    assert [row.place for row in result.results] == [3, 1, 3, 1]
    assert result.results[0].total == result.results[2].total


async def test_C_7_equal_totals_share_a_place() -> None:
    for number in range(50):
        result, _ = await play(spec_of("hearts-short", "deals:1", seed=bytes([number] * 32)))
        totals = [row.total for row in result.results]
        if len(set(totals)) < 4:
            break
    assert len(set(totals)) < 4
    assert [row.place for row in result.results] == [1 + sum(other < total for other in totals) for total in totals]


async def test_players_hear_the_welcome_the_end_of_each_deal_and_the_end_of_the_match() -> None:
    spec = spec_of(form="deals:2")
    seats = [ScriptedSeat(honest) for _ in range(4)]
    result, lines = await play(spec, seats)
    for seat, (each, row) in enumerate(zip(seats, result.results, strict=True)):
        assert each.welcomed is not None
        assert (each.welcomed.seat, each.welcomed.format) == (seat, "deals:2")
        assert each.notices == [
            *(DealResult(line.deal, seat, line.scores, line.totals) for line in deal_lines(lines)),
            MatchResult(row.place, row.points_per_deal),
        ]
        assert each.closed


@pytest.mark.parametrize(("form", "directions"), [("deals:5", ["left", "right", "across", "none", "left"])])
async def test_HB_1_deal_k_of_a_match_passes_in_direction_k(form: str, directions: list[str]) -> None:
    seats = [ScriptedSeat(honest) for _ in range(4)]
    await play(spec_of(form=form), seats)
    targets = {"left": 1, "right": 3, "across": 2, "none": 0}
    passed_to = {view.deal: view.pass_to for view in seats[0].asked}
    assert [passed_to[deal] for deal in range(5)] == [targets[name] for name in directions]


async def test_GZ_2_every_deal_of_a_deals_match_is_a_first_deal() -> None:
    _, lines = await play(spec_of("gongzhu", "deals:6"))
    for line in deal_lines(lines):
        leader = next(step.seat for step in line.steps if step.play)
        assert "2S" in line.hands[leader].split()


async def test_GZ_2_in_a_game_the_taker_of_the_pig_leads_the_next_deal() -> None:
    _, lines = await play(spec_of("gongzhu", "game"))
    deals = deal_lines(lines)
    assert len(deals) > 1
    for before, after in itertools.pairwise(deals):
        assert next(step.seat for step in after.steps if step.play) == taker_of("QS", before)


def taker_of(card: str, line: DealLine) -> int:
    plays = [(step.seat, step.play) for step in line.steps if step.play]
    tricks = [plays[start : start + 4] for start in range(0, 52, 4)]
    trick = next(trick for trick in tricks if card in [play for _, play in trick])
    led = trick[0][1][1]
    return max((play for play in trick if play[1][1] == led), key=lambda play: "23456789TJQKA".index(play[1][0]))[0]


async def test_a_step_at_which_the_program_had_ended_says_how() -> None:
    end = Exit(137, oom=True)
    seats = [ScriptedSeat(lambda view: SeatFailure(Verdict.GONE, str(end), end)), *(ScriptedSeat(honest),) * 3]
    _, lines = await play(spec_of(form="deals:1"), seats)
    (deal,) = deal_lines(lines)
    (step,) = [step for step in deal.steps if step.why]
    assert (step.by, step.why, step.exit_code, step.oom) == ("default:gone", str(end), 137, True)
    assert [step.exit_code for step in deal.steps if not step.why] == [None] * (len(deal.steps) - 1)


async def test_a_seat_that_broke_voids_the_match_and_is_held_against_nobody() -> None:
    class Broken(ScriptedSeat):
        async def ask(self, view: View, watch: Stopwatch) -> Action:
            raise SeatBroken("its folder is gone")

    lines: list[AnyLine] = []
    with pytest.raises(SeatBroken, match="its folder is gone"):
        await play_match(spec_of(), [Broken(honest), *(ScriptedSeat(honest) for _ in range(3))], lines.append)
    assert [type(line) for line in lines] == [MatchLine]


START, CONNECT, CLEAR = 3.0, 0.25, 0.5
SPEC = MatchSpec(PRESETS["hearts"], tuple("abcd"), Format(boards=2), seed=bytes(32))


class Connecting(Slow):
    """Takes a while until it has taken its seat."""

    async def welcome(self, welcome: Welcome) -> None:
        self.time.seconds += CONNECT
        await super().welcome(welcome)


async def played() -> tuple[MatchSeconds, float]:
    """Measure the time of a match by its use, and all of its time."""
    time = FakeTime()

    @contextlib.asynccontextmanager
    async def open_table(number: int) -> AsyncIterator[Sequence[Seat]]:
        time.seconds += START
        yield [Connecting(time, quick) for _ in SPEC.bots]
        time.seconds += CLEAR

    match = Match(SPEC, open_table, lambda line: None, now=time)
    await match.play()
    return match.seconds, time.seconds


async def test_starting_is_all_until_the_seats_are_taken_and_after_the_last_deal() -> None:
    seconds, whole = await played()
    assert seconds.starting == pytest.approx(4 * (START + 4 * CONNECT + CLEAR))
    assert seconds.playing == pytest.approx(whole - seconds.starting)
    assert seconds.playing > 0


async def test_nothing_has_been_played_before_the_match() -> None:
    match = Match(SPEC, lambda number: contextlib.nullcontext([]), lambda line: None)
    assert match.seconds == MatchSeconds(0.0, 0.0)
