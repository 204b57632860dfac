"""One seat at a match: its questions, its clock, its faults, and the bots that are idle."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest

from pigpen import ClockSetting, FaultNotice, Welcome
from pigpen.rules import PRESETS, Card, Deal, Face, MoonChoice, Phase, deal_hands
from referee.match import player as idle_bots
from referee.match.player import LOOK_SECONDS, LOOKS, NO_TIME_LEFT, IdleBots, Player
from referee.seats.clock import MARGIN, MAX_UNASKED_CPU, UNASKED_EACH
from referee.seats.verdict import Exit, SeatFailure, Verdict
from tests.referee.scripted_seats import AbsentSeat, FakeTime, ScriptedSeat, fails, honest

if TYPE_CHECKING:
    from collections.abc import Callable

    from referee.match.player import Decision
    from tests.referee.scripted_seats import Script

SETTING = ClockSetting(bank=10.0, increment=0.0, limit=1.0, start_up=10.0)
TOTALS = (0, 0, 0, 0)


def first_play(rules: str = "hearts", number: int = 3) -> Deal:
    """A deal at its first card that is a choice."""
    deal = Deal(PRESETS[rules], deal_hands(PRESETS[rules], bytes(32), number), number=number)
    while deal.phase is not Phase.PLAY or deal.is_forced(deal.turn):
        for seat in deal.to_act:
            deal.apply(seat, deal.default_action(seat))
    return deal


async def one_decision(script: Script, deal: Deal | None = None) -> tuple[Player, ScriptedSeat, Decision]:
    deal = deal or first_play()
    seat = ScriptedSeat(script)
    player = Player(seat, SETTING)
    player.begin_deal()
    return player, seat, await player.act(deal.copy(), deal.to_act[0], TOTALS, seed=5)


async def test_a_legal_answer_is_the_bots_own() -> None:
    deal = first_play()
    player, seat, decision = await one_decision(honest, deal)
    assert (decision.action, decision.by, decision.fault) == (deal.legal(deal.turn)[0], "bot", None)
    assert player.faults == []
    assert seat.asked[0] == deal.view(deal.turn)


@pytest.mark.parametrize(
    ("script", "by"),
    [
        (lambda view: next(card for card in view.hand if card not in view.legal), "default:illegal"),
        (lambda view: next(card for card in view.unseen), "default:illegal"),
        (lambda view: MoonChoice.ADD, "default:illegal"),
        (lambda view: (view.legal[0],), "default:illegal"),
        (fails(Verdict.TIMEOUT), "default:timeout"),
        (fails(Verdict.MALFORMED), "default:malformed"),
        (fails(Verdict.GONE), "default:gone"),
    ],
)
async def test_the_first_legal_card_is_played_for_a_bot_at_fault(script: Script, by: str) -> None:
    deal = first_play()
    player, _, decision = await one_decision(script, deal)
    assert (decision.action, decision.by) == (deal.legal(deal.turn)[0], by)
    assert [fault.verdict for fault in player.faults] == [by.removeprefix("default:")]


def forced_play() -> Deal:
    """A deal of hearts before its first card: the holder of 2C must lead it (HB-2)."""
    deal = Deal(PRESETS["hearts"], deal_hands(PRESETS["hearts"], bytes(32), 3), number=3)
    assert deal.legal(deal.turn) == (Card.parse("2C"),)
    return deal


async def test_a_forced_card_is_played_without_asking_and_is_no_decision() -> None:
    time, clock = FakeTime(), ClockSetting(bank=10.0, increment=0.5, limit=1.0, start_up=10.0)
    seat, player = await seated(time, clock)
    deal = forced_play()
    time.cpu = 8.0
    decision = await player.act(deal, deal.turn, TOTALS, seed=5)
    assert (decision.action, decision.by, decision.fault) == (Card.parse("2C"), "forced", None)
    assert (decision.took, decision.cpu, decision.unasked) == (0.0, None, None)
    assert [*deal.plays] == [Card.parse("2C")]
    assert seat.asked == []
    decision = await player.act(deal, deal.turn, TOTALS, seed=5)
    assert (decision.by, decision.unasked) == ("bot", 3.0)
    assert [view.decision for view in seat.asked] == [1]
    assert seat.asked[0].bank == pytest.approx(10 - 3 + MAX_UNASKED_CPU + UNASKED_EACH), (
        "no increment but for decisions"
    )


@pytest.mark.parametrize("seat", [ScriptedSeat(fails(Verdict.GONE)), AbsentSeat()], ids=["gone", "absent"])
async def test_a_forced_card_is_no_fault_though_nobody_is_there(seat: ScriptedSeat, welcome: Welcome) -> None:
    deal, player = forced_play(), Player(seat, SETTING)
    await player.take_seat(welcome)
    assert (await player.act(deal, deal.turn, TOTALS, seed=5)).by == "forced"
    assert (player.faults, player.taken_over) == ([], False)
    assert (await player.act(deal, deal.turn, TOTALS, seed=5)).by.startswith("default:")


async def test_a_forced_card_is_forced_though_the_seat_was_taken_over() -> None:
    player, _, _ = await one_decision(fails(Verdict.GONE))
    assert player.taken_over
    deal = forced_play()
    assert (await player.act(deal, deal.turn, TOTALS, seed=5)).by == "forced"
    assert (await player.act(deal, deal.turn, TOTALS, seed=5)).by == "takeover"


async def test_a_forced_card_is_played_for_a_bot_that_has_worked_its_time_away() -> None:
    time, deal = FakeTime(), forced_play()
    _, player = await seated(time)
    time.cpu = 50.0
    assert (await player.act(deal, deal.turn, TOTALS, seed=5)).by == "forced"
    assert (await player.act(deal, deal.turn, TOTALS, seed=5)).by == "default:timeout"


async def test_the_default_pass_is_the_first_cards_in_canonical_order() -> None:
    deal = Deal(PRESETS["hearts"], deal_hands(PRESETS["hearts"], bytes(32), 0))
    _, _, decision = await one_decision(fails(Verdict.TIMEOUT), deal)
    assert decision.action == deal.legal(0)[:3]


async def test_the_default_exposure_is_none() -> None:
    deal = Deal(PRESETS["gongzhu"], deal_hands(PRESETS["gongzhu"], bytes(32), 0))
    assert deal.phase is Phase.EXPOSE
    _, _, decision = await one_decision(fails(Verdict.TIMEOUT), deal)
    assert decision.action == {}


async def test_a_card_that_cannot_be_put_face_down_is_illegal() -> None:
    deal = Deal(PRESETS["gongzhu"], deal_hands(PRESETS["gongzhu"], bytes(32), 0))
    _, _, decision = await one_decision(lambda view: {view.legal[0]: Face.DOWN}, deal)
    assert decision.by == "default:illegal"


async def test_HB_7_no_answer_about_the_moon_means_minus_26() -> None:
    deal = moon_shot()
    _, _, decision = await one_decision(fails(Verdict.TIMEOUT), deal)
    assert decision.action is MoonChoice.SUBTRACT
    deal.apply(deal.turn, decision.action)
    assert sorted(deal.scores()) == [-26, 0, 0, 0]


def moon_shot() -> Deal:
    """Seat 0 takes the first trick with AC and then leads nothing but hearts."""
    rules = PRESETS["hearts"]
    hands = [sum(1 << 13 * suit + rank for rank in range(13)) for suit in (2, 0, 1, 3)]
    swap = Card.parse("AC").mask | Card.parse("2H").mask
    hands[0] ^= swap
    hands[1] ^= swap
    deal = Deal(rules, hands, number=3)
    while deal.phase is Phase.PLAY:
        deal.play(deal.legal(deal.turn)[-1])
    return deal


async def test_the_third_fault_hands_the_seat_to_the_default_policy() -> None:
    deal = first_play()
    seat = ScriptedSeat(fails(Verdict.ILLEGAL))
    player = Player(seat, SETTING)
    player.begin_deal()
    by = [(await player.act(deal, deal.turn, TOTALS, seed=5)).by for _ in range(5)]
    assert by == ["default:illegal"] * 3 + ["takeover"] * 2
    assert player.taken_over
    assert len(seat.asked) == 3


async def test_each_fault_is_told_to_the_bot() -> None:
    deal = first_play()
    seat = ScriptedSeat(fails(Verdict.MALFORMED, "it cannot be read"))
    player = Player(seat, SETTING)
    player.begin_deal()
    for _ in range(3):
        await player.act(deal, deal.turn, TOTALS, seed=5)
    assert seat.notices == [
        FaultNotice("malformed", "it cannot be read", count, takeover=count == 3) for count in (1, 2, 3)
    ]


async def test_a_bot_that_is_gone_is_taken_over_at_once_and_told_nothing() -> None:
    player, seat, decision = await one_decision(fails(Verdict.GONE, str(Exit(1))))
    assert (decision.by, player.taken_over, seat.notices) == ("default:gone", True, [])
    assert player.faults[0].message == str(Exit(1))


async def test_a_bot_that_never_comes_is_taken_over_at_its_first_decision(welcome: Welcome) -> None:
    deal = first_play()
    player = Player(AbsentSeat(), SETTING)
    await player.take_seat(welcome)
    decision = await player.act(deal, deal.turn, TOTALS, seed=5)
    assert (decision.by, player.taken_over) == ("default:absent", True)


async def test_an_answer_after_the_limit_counts_as_late_even_if_the_seat_delivers_it() -> None:
    time = FakeTime()
    deal = first_play()
    player = Player(ScriptedSeat(honest, time=time, thinks=1.0 + MARGIN + 0.001), SETTING, now=time)
    player.begin_deal()
    decision = await player.act(deal, deal.turn, TOTALS, seed=5)
    assert decision.by == "default:timeout"
    assert player.faults[0].message == "no answer within 1.000 s"


async def test_an_answer_within_the_margin_is_in_time() -> None:
    time = FakeTime()
    deal = first_play()
    player = Player(ScriptedSeat(honest, time=time, thinks=1.0 + MARGIN), SETTING, now=time)
    player.begin_deal()
    assert (await player.act(deal, deal.turn, TOTALS, seed=5)).by == "bot"


async def test_the_view_shows_the_bank_and_how_long_the_last_answer_took() -> None:
    time = FakeTime()
    deal = first_play()
    seat = ScriptedSeat(honest, time=time, thinks=0.5 + MARGIN)
    player = Player(seat, SETTING, now=time)
    player.begin_deal()
    for _ in range(2):
        await player.act(deal, deal.turn, TOTALS, seed=5)
    assert [view.bank for view in seat.asked] == pytest.approx([10.0, 9.5])
    assert seat.took == pytest.approx([0.0, 0.5])
    assert [view.decision for view in seat.asked] == [1, 2]
    assert [watch.rated for watch in seat.watches] == pytest.approx([0.5, 0.5])


async def test_the_view_has_the_cpu_time_of_the_last_answer_where_the_clock_counts_it() -> None:
    time = FakeTime()
    deal = first_play()
    seat = ScriptedSeat(honest, time=time, thinks=0.5 + MARGIN, works=0.25)
    player = Player(seat, SETTING, now=time)
    player.begin_deal()
    for _ in range(2):
        await player.act(deal, deal.turn, TOTALS, seed=5)
    time.cpu = 0.0
    for _ in range(2):
        await player.act(deal, deal.turn, TOTALS, seed=5)
    assert [view.last_cpu for view in seat.asked] == [None, None, None, 0.25]
    assert seat.took[-1] == pytest.approx(0.25)


async def test_an_empty_bank_shortens_the_limit() -> None:
    time = FakeTime()
    deal = first_play()
    seat = ScriptedSeat(honest, time=time, thinks=0.75 + MARGIN)
    player = Player(seat, ClockSetting(bank=1.0, increment=0.0, limit=1.0, start_up=10.0), now=time)
    player.begin_deal()
    by = [(await player.act(deal, deal.turn, TOTALS, seed=5)).by for _ in range(2)]
    assert by == ["bot", "default:timeout"]
    assert [view.limit for view in seat.asked] == pytest.approx([1.0, 0.25])


async def test_cpu_time_is_what_the_bank_is_charged_where_it_can_be_read() -> None:
    time = FakeTime()
    time.cpu = 5.0
    deal = first_play()
    seat = ScriptedSeat(honest, time=time, thinks=0.6, works=0.5)
    player = Player(seat, SETTING, now=time)
    player.begin_deal()
    decisions = [await player.act(deal, deal.turn, TOTALS, seed=5) for _ in range(2)]
    assert [view.bank for view in seat.asked] == pytest.approx([10.0, 9.5])
    assert [decision.cpu for decision in decisions] == pytest.approx([0.5, 0.5])
    assert [decision.took for decision in decisions] == pytest.approx([0.6, 0.6])


async def test_too_much_cpu_time_is_too_late_however_quick_the_answer_came() -> None:
    time = FakeTime()
    time.cpu = 0.0
    deal = first_play()
    player = Player(ScriptedSeat(honest, time=time, thinks=0.9, works=1.1), SETTING, now=time)
    player.begin_deal()
    decision = await player.act(deal, deal.turn, TOTALS, seed=5)
    assert decision.by == "default:timeout"
    assert "1.000 s of CPU time" in player.faults[0].message


async def seated(time: FakeTime, clock: ClockSetting = SETTING) -> tuple[ScriptedSeat, Player]:
    """A bot that has taken its seat, and whose clock reads 5 s of CPU time."""
    time.cpu = 5.0
    seat = ScriptedSeat(honest, time=time, works=0.25)
    player = Player(seat, clock, now=time)
    await player.take_seat(Welcome(PRESETS["hearts"], 0, "deals:1", clock))
    player.begin_deal()
    return seat, player


async def test_work_before_the_first_question_and_between_two_is_told_and_drawn_on_the_bank() -> None:
    time, deal = FakeTime(), first_play()
    seat, player = await seated(time)
    unasked = []
    for work in (1.0, 0.0, 2.0):
        assert time.cpu is not None
        time.cpu += work
        unasked.append((await player.act(deal, deal.turn, TOTALS, seed=5)).unasked)
    assert unasked == [1.0, 0.0, 2.0]
    free = MAX_UNASKED_CPU + UNASKED_EACH, UNASKED_EACH + UNASKED_EACH
    banks = 10 - 1 + free[0], 10 - 1 + free[0] - 0.25, 10 - 3 + free[0] + free[1] - 0.5
    assert [view.bank for view in seat.asked] == pytest.approx(banks)


async def test_whoever_has_worked_its_time_away_unasked_is_not_asked() -> None:
    time, deal = FakeTime(), first_play()
    seat, player = await seated(time)
    assert time.cpu is not None
    time.cpu += 11.0
    decision = await player.act(deal, deal.turn, TOTALS, seed=5)
    assert (decision.by, decision.fault and decision.fault.message) == ("default:timeout", NO_TIME_LEFT)
    assert seat.asked == []


async def test_a_bot_whose_bank_is_exactly_used_up_is_not_asked_until_the_bank_is_filled() -> None:
    """It could not even be sent the question in no time, which would look as if it did not read."""
    time, deal = FakeTime(), first_play()
    time.cpu = 0.0
    seat = ScriptedSeat(honest, time=time, thinks=2.0)
    player = Player(seat, ClockSetting(1.0, 0.0, 1.0, start_up=10.0, deals_per_bank=1), now=time)
    player.begin_deal()
    decisions = [await player.act(deal, deal.turn, TOTALS, seed=5) for _ in range(2)]
    assert [decision.by for decision in decisions] == ["bot", "default:timeout"]
    assert decisions[1].fault
    assert decisions[1].fault.message == NO_TIME_LEFT
    assert (len(seat.asked), player.taken_over) == (1, False)
    player.begin_deal()
    assert (await player.act(deal, deal.turn, TOTALS, seed=5)).by == "bot"


async def test_where_no_cpu_time_can_be_read_nothing_is_charged_unasked() -> None:
    time, deal = FakeTime(), first_play()
    player = Player(ScriptedSeat(honest, time=time), SETTING, now=time)
    player.begin_deal()
    assert [(await player.act(deal, deal.turn, TOTALS, seed=5)).unasked for _ in range(2)] == [None, None]


async def test_the_programs_clock_is_read_twice_for_a_decision() -> None:
    reads = []

    class Read(ScriptedSeat):
        def cpu_time(self) -> float:
            reads.append(self)
            return 1.0

    deal = first_play()
    player = Player(Read(honest), SETTING)
    player.begin_deal()
    await player.act(deal, deal.turn, TOTALS, seed=5)
    assert len(reads) == 2


async def test_a_seat_that_was_taken_over_is_idle() -> None:
    deal = first_play()
    seat = ScriptedSeat(fails(Verdict.ILLEGAL))
    player = Player(seat, SETTING)
    player.begin_deal()
    rests = []
    for _ in range(3):
        await player.act(deal, deal.turn, TOTALS, seed=5)
        rests.append(seat.freezes)
    assert rests == [0, 0, 1]


def test_only_leaving_and_never_coming_are_final() -> None:
    assert {verdict for verdict in Verdict if verdict.is_final} == {Verdict.GONE, Verdict.ABSENT}


def test_a_failure_carries_its_code_and_its_sentence() -> None:
    failure = SeatFailure(Verdict.TIMEOUT, "no answer within 1 s")
    assert (failure.verdict, str(failure)) == ("timeout", "no answer within 1 s")


@pytest.mark.parametrize("script", [honest, fails(Verdict.GONE)])
async def test_what_is_decided_is_done_in_the_deal(script: Script) -> None:
    deal, player = first_play(), Player(ScriptedSeat(script), SETTING)
    player.begin_deal()
    before = len(deal.plays)
    decision = await player.act(deal, deal.turn, TOTALS, seed=5)
    assert [*deal.plays[before:]] == [decision.action]


class FakeTimer:
    """Fires when it is told to."""

    def __init__(self, callback: Callable[[], None]) -> None:
        self._callback = callback
        self.due: float | None = None

    def set(self, seconds: float) -> None:
        self.due = seconds

    def stop(self) -> None:
        self.due = None

    close = stop

    def fire(self) -> None:
        assert self.due == LOOK_SECONDS
        self.due = None
        self._callback()


@dataclass
class FakePlayer:
    """Notes what is done to it."""

    done: list[str] = field(default_factory=list)

    def freeze(self) -> None:
        self.done.append("frozen")

    def freeze_if_working(self) -> None:
        self.done.append("looked at")


class FourPlayers:
    """Four bots at a table."""

    def __init__(self) -> None:
        self.players = [FakePlayer() for _ in range(4)]
        self.idle_bots = IdleBots()
        assert isinstance(self.idle_bots._timer, FakeTimer)
        self.timer = self.idle_bots._timer

    def ask(self, *seats: int) -> None:
        players: list[Player] = self.players  # type: ignore[assignment]
        self.idle_bots.question(players, seats)

    @property
    def done(self) -> list[list[str]]:
        return [player.done for player in self.players]


@pytest.fixture
def table(monkeypatch: pytest.MonkeyPatch) -> FourPlayers:
    monkeypatch.setattr(idle_bots, "LazyTimer", FakeTimer)
    return FourPlayers()


def test_the_bots_that_are_not_asked_are_looked_at_and_all_frozen_in_the_end(table: FourPlayers) -> None:
    table.ask(2)
    for _ in range(LOOKS):
        table.timer.fire()
    expected = ["looked at"] * (LOOKS - 1) + ["frozen"]
    assert table.done == [expected, expected, [], expected]
    assert table.timer.due is None


def test_nobody_is_looked_at_when_the_answer_is_there(table: FourPlayers) -> None:
    table.ask(2)
    table.idle_bots.stop()
    assert table.timer.due is None


def test_each_question_begins_with_a_look(table: FourPlayers) -> None:
    table.ask(0)
    for _ in range(LOOKS):
        table.timer.fire()
    table.ask(1)
    table.timer.fire()
    assert [done[-1:] for done in table.done] == [["looked at"], ["frozen"], ["looked at"], ["looked at"]]


def test_whoever_has_answered_a_sealed_question_is_looked_at_too(table: FourPlayers) -> None:
    table.ask(0, 1, 2, 3)
    table.idle_bots.answered(3)
    table.timer.fire()
    assert table.done == [[], [], [], ["looked at"]]


def test_whoever_answers_a_sealed_question_very_late_is_frozen_but_not_the_last(table: FourPlayers) -> None:
    table.ask(0, 1)
    for _ in range(LOOKS):
        table.timer.fire()
    table.idle_bots.answered(0)
    table.idle_bots.answered(1)
    assert [done[-1:] for done in table.done] == [["frozen"], [], ["frozen"], ["frozen"]]
