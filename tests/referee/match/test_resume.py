"""An interrupted match resumes from its record as if nothing had happened."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from pigpen.rules import PRESETS, Card, Face, MoonChoice
from referee.match.formats import DEFAULT_CLOCK, Format, MatchSpec
from referee.match.match import CannotResume, Unfinished
from referee.records.lines import DealLine, MatchLine, ResultLine, Step, from_json, to_json, without_times
from referee.records.steps import action_of
from referee.seats.verdict import Verdict
from tests.referee.scripted_seats import ScriptedSeat, WorkingSeat, fails, honest
from tests.referee.tables import play_tables

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pigpen.rules import Action
    from pigpen.values.view import View
    from referee.records.lines import AnyLine
    from referee.seats.seat import Seat
    from referee.seats.verdict import SeatFailure

LATER = pytest.mark.long
SEED = bytes(range(32))
PATIENT = replace(DEFAULT_CLOCK, limit=60.0)
"""On a machine that is busy, whatever it does, nobody is too late for a decision."""


def by_lot(view: View) -> Action:
    """A decision that depends on the seed, and on nothing that an instance could remember."""
    if not view.legal or len(view.legal) != len(view.hand):
        return honest(view)
    return view.legal[view.seed % len(view.legal)] if view.plays else honest(view)


def spec_of(rules: str, form: str) -> MatchSpec:
    variant = PRESETS[rules]
    return MatchSpec(variant, tuple("abcde"[: variant.players]), Format.parse(form), PATIENT, SEED)


def seats_of(spec: MatchSpec, make: Callable[[], Seat] = lambda: ScriptedSeat(by_lot)) -> list[list[Seat]]:
    return [[make() for _ in spec.bots] for _ in range(spec.format.tables(spec.rules))]


async def play(
    spec: MatchSpec,
    tables: Sequence[Sequence[Seat]] | None = None,
    recorded: Sequence[DealLine] | None = None,
) -> list[AnyLine]:
    lines: list[AnyLine] = []
    await play_tables(spec, tables or seats_of(spec), lines.append, recorded=recorded)
    return lines


async def resumed(
    spec: MatchSpec, lines: Sequence[AnyLine], tables: Sequence[Sequence[Seat]] | None = None
) -> list[AnyLine]:
    """The whole record, when only *lines* had been written and other instances go on."""
    begun = Unfinished.of([from_json(to_json(line)) for line in lines])
    return [*lines, *await play(begun.spec(SEED), tables, begun.deals)]


def timeless(lines: Sequence[AnyLine]) -> list[str]:
    """The record without its times, the deals in order."""
    return sorted(without_times(map(to_json, lines)))


@pytest.mark.parametrize(
    ("rules", "form"),
    [
        ("hearts", "boards:3"),
        ("gongzhu-partners", "boards:2"),
        pytest.param("gongzhu-five", "boards:2", marks=LATER),
        ("gongzhu-sale", "deals:5"),
        ("gongzhu", "game"),
        pytest.param("hearts-short", "game", marks=LATER),
    ],
)
@pytest.mark.parametrize("step", [3, pytest.param(1, marks=LATER)])
async def test_wherever_it_was_interrupted_the_record_becomes_the_same(rules: str, form: str, step: int) -> None:
    spec = spec_of(rules, form)
    whole = await play(spec)
    assert len(whole) > 4
    for size in range(1, len(whole), step):
        assert timeless(await resumed(spec, whole[:size])) == timeless(whole)


async def test_deals_that_ended_in_another_order_make_no_difference() -> None:
    spec = spec_of("hearts", "boards:3")
    whole = await play(spec)
    deals = {(line.rotation, line.deal): line for line in whole if isinstance(line, DealLine)}
    some = [deals[3, 0], deals[0, 0], deals[3, 1], deals[3, 2], deals[1, 0], deals[0, 1]]
    assert timeless(await resumed(spec, [whole[0], *some])) == timeless(whole)


async def test_nothing_is_asked_again_and_a_finished_table_is_not_laid() -> None:
    spec = spec_of("hearts", "boards:2")
    whole = await play(spec)
    deals = [line for line in whole if isinstance(line, DealLine)]
    kept = [line for line in deals if line.rotation == 1 or (line.rotation == 2 and line.deal == 0)]
    tables = seats_of(spec)
    await resumed(spec, [whole[0], *kept], tables)
    asked = [{view.deal for seat in table if isinstance(seat, ScriptedSeat) for view in seat.asked} for table in tables]
    assert asked == [{0, 1}, set(), {1}, {0, 1}]
    assert all(isinstance(seat, ScriptedSeat) and seat.welcomed is None for seat in tables[1])


async def test_totals_and_numbers_of_decisions_go_on() -> None:
    spec = spec_of("gongzhu", "deals:3")
    first, second = seats_of(spec), seats_of(spec)
    whole = await play(spec, first)
    await resumed(spec, whole[:3], second)
    for before, after in zip(first[0], second[0], strict=True):
        assert isinstance(before, ScriptedSeat)
        assert isinstance(after, ScriptedSeat)
        late = [view for view in before.asked if view.deal == 2]
        assert [(view.decision, view.totals) for view in after.asked] == [(view.decision, view.totals) for view in late]


def failing_at(*decisions: int, verdict: Verdict = Verdict.MALFORMED) -> Callable[[View], Action | SeatFailure]:
    def script(view: View) -> Action | SeatFailure:
        return fails(verdict)(view) if view.decision in decisions else by_lot(view)

    return script


@pytest.mark.parametrize(
    "verdict", [Verdict.MALFORMED, *(pytest.param(each, marks=LATER) for each in (Verdict.TIMEOUT, Verdict.GONE))]
)
async def test_faults_before_the_interruption_count_and_a_takeover_stays(verdict: Verdict) -> None:
    """Two faults in the first deal and the third in the second: the default policy plays from there on."""
    spec = spec_of("hearts", "deals:4")

    def seats() -> list[list[Seat]]:
        return [[ScriptedSeat(failing_at(2, 3, 20, verdict=verdict)), *(ScriptedSeat(by_lot) for _ in range(3))]]

    whole = await play(spec, seats())
    result = whole[-1]
    assert isinstance(result, ResultLine)
    assert result.results[0].taken_over
    for size in range(1, len(whole)):
        assert timeless(await resumed(spec, whole[:size], seats())) == timeless(whole)


async def test_the_bank_goes_on_from_where_the_recorded_times_leave_it() -> None:
    spec = spec_of("hearts", "deals:2")
    before, after = seats_of(spec), seats_of(spec)
    whole = await play(spec, before)
    line = whole[1]
    assert isinstance(line, DealLine)
    slow = line.model_copy(update={"took_ms": tuple(1025.0 if step.seat == 2 else 0.0 for step in line.steps)})
    await resumed(spec, [whole[0], slow], after)
    banks = [seat.asked[0].bank for seat in after[0] if isinstance(seat, ScriptedSeat)]
    decisions = [sum(step.seat == seat and step.by == "bot" for step in line.steps) for seat in range(4)]
    assert min(decisions) < 14, "some cards are forced, and cost nothing"
    assert banks == pytest.approx([60 + made * (0.1 - (seat == 2)) for seat, made in enumerate(decisions)])


async def test_C_9_a_recorded_sleep_over_a_sealed_question_costs_the_share_of_all_seats() -> None:
    spec = spec_of("gongzhu", "deals:2")
    after = seats_of(spec)
    whole = await play(spec)
    line = whole[1]
    assert isinstance(line, DealLine)
    await resumed(spec, [whole[0], slept_over_exposing(line)], after)
    exposed = [sum(step.seat == seat and step.expose is not None for step in line.steps) for seat in range(4)]
    assert 0 < sum(exposed) < 4, "some seats were not asked"
    made = [sum(step.seat == seat and step.by == "bot" for step in line.steps) for seat in range(4)]
    banks = [seat.asked[0].bank for seat in after[0] if isinstance(seat, ScriptedSeat)]
    assert banks == pytest.approx([60 + 0.1 * made[seat] - 0.5 * exposed[seat] for seat in range(4)])


def slept_over_exposing(line: DealLine) -> DealLine:
    """The deal, if all that exposed had slept for four times half a second beyond what is free."""
    sealed = [step.expose is not None for step in line.steps]
    took = tuple(2500.0 if each else 0.0 for each in sealed)
    return line.model_copy(update={"took_ms": took, "cpu_ms": tuple(0.0 if each else None for each in sealed)})


async def test_what_was_used_unasked_before_is_charged_again() -> None:
    spec = spec_of("hearts", "deals:2")
    before, after = seats_of(spec, lambda: WorkingSeat(by_lot)), seats_of(spec, lambda: WorkingSeat(by_lot))
    whole = await play(spec, before)
    await resumed(spec, whole[:2], after)
    then = [view.bank for seat in before[0] if isinstance(seat, ScriptedSeat) for view in seat.asked if view.deal == 1]
    now = [view.bank for seat in after[0] if isinstance(seat, ScriptedSeat) for view in seat.asked]
    assert now == pytest.approx(then)
    assert max(then) < 60


async def test_a_record_with_too_few_times_is_refused() -> None:
    spec = spec_of("hearts", "deals:2")
    whole = await play(spec, seats_of(spec, lambda: WorkingSeat(by_lot)))
    line = whole[1]
    assert isinstance(line, DealLine)
    with pytest.raises(CannotResume):
        await resumed(spec, [whole[0], line.model_copy(update={"unasked_ms": (1.0,)})])


async def records() -> tuple[MatchSpec, list[AnyLine]]:
    spec = spec_of("hearts", "boards:2")
    return spec, await play(spec)


async def test_a_record_of_the_first_version_is_not_resumed() -> None:
    """Its bots were asked for forced cards, too."""
    _, lines = await records()
    first = lines[0].model_copy(update={"version": 1})
    with pytest.raises(CannotResume, match="version 1 of the format"):
        Unfinished.of([first, *lines[1:2]])


async def test_a_finished_match_is_not_resumed() -> None:
    _, lines = await records()
    with pytest.raises(CannotResume, match="the match is finished"):
        Unfinished.of(lines)


@pytest.mark.parametrize("keep", [slice(0), slice(1, 3)])
async def test_a_record_without_its_first_line_is_not_resumed(keep: slice) -> None:
    _, lines = await records()
    with pytest.raises(CannotResume, match="the first line of"):
        Unfinished.of(lines[keep])


async def test_two_matches_in_one_file_are_not_resumed() -> None:
    _, lines = await records()
    with pytest.raises(CannotResume, match="more than one match"):
        Unfinished.of([lines[0], lines[1], lines[0]])


async def test_another_seed_than_the_one_committed_to_is_refused() -> None:
    spec, lines = await records()
    begun = Unfinished.of(lines[:3])
    assert begun.spec(SEED) == spec
    with pytest.raises(CannotResume, match="the seed is not"):
        begun.spec(bytes(32))


@pytest.mark.parametrize(
    ("field", "value", "text"),
    [("format", "boards:0", "is not a match format"), ("rules", {"name": "x"}, "this field is missing")],
)
async def test_a_first_line_that_makes_no_sense_is_refused(field: str, value: object, text: str) -> None:
    _, lines = await records()
    assert isinstance(lines[0], MatchLine)
    begun = Unfinished.of([lines[0].model_copy(update={field: value})])
    with pytest.raises(CannotResume, match=text):
        begun.spec(SEED)


def changed(line: AnyLine, **changes: object) -> DealLine:
    assert isinstance(line, DealLine)
    return line.model_copy(update=changes)


def other_card(line: AnyLine) -> DealLine:
    """A card that was played is another one."""
    assert isinstance(line, DealLine)
    plain = json.loads(to_json(line))
    step = next(step for step in plain["steps"] if step.get("play"))
    step["play"] = "AS" if step["play"] != "AS" else "KS"
    found = from_json(json.dumps(plain))
    assert isinstance(found, DealLine)
    return found


TAMPERED: dict[str, tuple[Callable[[AnyLine], DealLine], str]] = {
    "another deal": (lambda line: changed(line, deal=1, board=1), "board 2, rotation 1 is not the one that comes next"),
    "a rotation there is not": (lambda line: changed(line, rotation=4), "the match has no rotation 5"),
    "another rotation": (lambda line: changed(line, rotation=1), "the seats of board 1, rotation 2 do not"),
    "another board": (lambda line: changed(line, board=1), "the board of board 1, rotation 1 do not"),
    "other seats": (lambda line: changed(line, seats=(3, 2, 1, 0)), "the seats of board 1, rotation 1 do not"),
    "other scores": (lambda line: changed(line, scores=(26, 0, 0, 0)), "the scores of board 1, rotation 1 do not"),
    "other totals": (lambda line: changed(line, totals=(0, 0, 0, 27)), "the totals of board 1, rotation 1 do not"),
    "another card": (other_card, "."),
    "a missing step": (lambda line: changed(line, steps=line.steps[:-1]), "not over"),  # type: ignore[union-attr]
    "a missing time": (lambda line: changed(line, took_ms=()), "shorter"),
    "an unknown verdict": (
        lambda line: changed(line, steps=(line.steps[0].model_copy(update={"by": "default:x"}), *line.steps[1:])),  # type: ignore[union-attr]
        "not a valid Verdict",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("tamper", "text"), TAMPERED.values(), ids=TAMPERED)
async def test_a_deal_that_does_not_follow_from_the_match_is_refused(
    tamper: Callable[[AnyLine], DealLine], text: str
) -> None:
    spec, lines = await records()
    with pytest.raises(CannotResume, match=text):
        await resumed(spec, [lines[0], tamper(lines[1])])


@pytest.mark.parametrize(
    ("words", "action"),
    [
        ({"play": "QS"}, Card.parse("QS")),
        ({"pass": "2C AD KH"}, tuple(map(Card.parse, ("2C", "AD", "KH")))),
        ({"expose": ""}, {}),
        ({"expose": "QS* JD"}, {Card.parse("QS"): Face.DOWN, Card.parse("JD"): Face.UP}),
        ({"moon": "add"}, MoonChoice.ADD),
    ],
)
def test_an_action_reads_back(words: dict[str, str], action: Action) -> None:
    assert action_of(Step.model_validate({"seat": 0, "by": "bot", **words})) == action


@pytest.mark.parametrize("words", [{}, {"play": "1S"}, {"moon": "both"}, {"expose": "**"}])
def test_an_action_that_cannot_be_read_is_an_error(words: dict[str, str]) -> None:
    with pytest.raises(ValueError, match=r"no action|not a card"):
        action_of(Step.model_validate({"seat": 0, "by": "bot", **words}))
