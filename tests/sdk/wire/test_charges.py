"""The rates at which wall time is charged, as a bot learns them from its questions."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pigpen import ClockSetting, View, Welcome
from pigpen.rules import PRESETS, Deal, deal_hands
from pigpen.search import Pace
from pigpen.wire import charges
from pigpen.wire.charges import Charges

HEARTS = PRESETS["hearts"]


def first_view(*, playing: bool) -> View:
    """The view of the seat that is asked first, in the deal without passing or in one with it."""
    number = 3 if playing else 0
    deal = Deal(HEARTS, deal_hands(HEARTS, bytes(32), number), number=number)
    return View(*deal.known_to(deal.to_act[0]), limit=1.0, bank=60.0)


class Conversation:
    """Questions and answers on a clock that stands still between them."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.charges, self.now, self.decision = Charges(), 0.0, 0
        self.last: tuple[float, float | None] = 0.0, None
        patch.setattr("time.monotonic", lambda: self.now)

    def put(self, wall: float, charged: float, cpu: float | None, *, playing: bool = True) -> View:
        """Put a question whose answer takes *wall* seconds, and give its view."""
        view = self.ask(playing=playing)
        self.answer(view, wall, charged, cpu)
        return view

    def ask(self, *, playing: bool = True) -> View:
        """Put a question, and give its view."""
        self.decision += 1
        took, used = self.last
        view = replace(first_view(playing=playing), decision=self.decision, last_took=took, last_cpu=used)
        view.asked_at = self.now
        self.charges.question(view)
        return view

    def answer(self, view: View, wall: float, charged: float, cpu: float | None) -> None:
        """Answer it after *wall* seconds."""
        self.now += wall
        self.charges.answer(view)
        self.last = charged, cpu


def test_on_a_quiet_machine_a_second_costs_a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    talk = Conversation(monkeypatch)
    views = [talk.put(0.05, 0.05, 0.05) for _ in range(20)]
    assert [view.charge_rate for view in views] == [view.cpu_rate for view in views] == pytest.approx([1.0] * 20)


def test_on_a_busy_machine_the_rates_go_to_what_is_charged(monkeypatch: pytest.MonkeyPatch) -> None:
    talk = Conversation(monkeypatch)
    views = [talk.put(0.3, 0.09, 0.03) for _ in range(40)]
    assert views[0].charge_rate == 1.0
    assert views[-1].charge_rate == pytest.approx(0.3, rel=0.01)
    assert views[-1].cpu_rate == pytest.approx(0.1, rel=0.01)
    again = [talk.put(0.05, 0.05, 0.05) for _ in range(40)]
    assert again[-1].cpu_rate == pytest.approx(1.0, rel=0.01)


@pytest.mark.parametrize("share", [0.27, 0.5, 1.0])
def test_a_search_has_most_of_its_work_from_the_second_answer_on(share: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the default clock, on a machine that gives the program *share* of a core; only the first answer has less."""
    clock = ClockSetting(bank=60.0, increment=0.1, limit=1.0, start_up=10.0)
    talk, pace, work = Conversation(monkeypatch), Pace(Welcome(HEARTS, 0, "deals:4", clock)), list[float]()
    for _ in range(12):
        view = talk.ask()
        wall = pace.seconds(view)
        work.append(share * wall)
        talk.answer(view, wall, max(share * wall, wall / 3), share * wall)
    assert work[0] == pytest.approx(0.05 * share)
    assert all(0.7 * 0.05 <= each <= 0.05 * 1.000001 for each in work[1:])
    assert sum(work) > 0.88 * 12 * 0.05


def test_a_short_first_answer_says_little(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a thousandth of a second much may be waiting by chance."""
    talk = Conversation(monkeypatch)
    talk.put(0.001, 0.0004, 0.0004)
    assert talk.put(0.001, 0.0004, 0.0004).cpu_rate > 0.9


def test_where_wall_time_is_charged_no_cpu_time_is_assumed(monkeypatch: pytest.MonkeyPatch) -> None:
    talk = Conversation(monkeypatch)
    views = [talk.put(0.125, 0.1, None) for _ in range(40)]
    assert views[-1].cpu_rate == 1.0
    assert views[-1].charge_rate == pytest.approx(0.8, rel=0.01)


def test_sealed_questions_have_rates_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    talk = Conversation(monkeypatch)
    for _ in range(30):
        sealed = talk.put(1.0, 0.25, 0.25, playing=False)
        played = talk.put(0.05, 0.05, 0.05)
    assert sealed.cpu_rate == pytest.approx(0.25, rel=0.01)
    assert played.cpu_rate == pytest.approx(1.0)


def test_a_rate_is_never_more_than_one_nor_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    talk = Conversation(monkeypatch)
    assert [talk.put(0.1, 5.0, 5.0) for _ in range(3)][-1].charge_rate == 1.0
    assert [talk.put(10.0, 0.0, 0.0) for _ in range(40)][-1].cpu_rate == charges.LEAST_RATE


def test_an_answer_whose_charge_is_not_known_counts_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    talk = Conversation(monkeypatch)
    talk.put(1.0, 0.1, 0.1)
    talk.decision += 1  # the stream broke, and a question was answered by the default action meanwhile
    assert talk.put(1.0, 0.1, 0.1).cpu_rate == 1.0
