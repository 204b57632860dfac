"""An observer of a match receives everything, and can harm nothing."""

from __future__ import annotations

import asyncio
from random import Random
from typing import TYPE_CHECKING

import pytest

from pigpen.rules import PRESETS
from referee.match.formats import Format, MatchSpec
from referee.records.lines import DealLine, MatchLine, ResultLine, to_json, without_times
from referee.records.steps import kind_and_words, words_of
from referee.seats.verdict import Verdict
from tests.referee.other_worlds import any_answer
from tests.referee.scripted_seats import ScriptedSeat, fails
from tests.referee.tables import play_tables

if TYPE_CHECKING:
    from pigpen.rules import Deal, Rules
    from referee.match.observer import Steps
    from referee.records.lines import AnyLine

RULES = PRESETS["hearts"]


class Listener:
    """Writes down what it receives; raises at the call of that name."""

    def __init__(self, fails_at: str = "") -> None:
        self.received: list[str] = []
        self.lines: list[AnyLine] = []
        self.steps: dict[tuple[int, int], list[tuple[int, str, str, str]]] = {}
        self.errors: list[str] = []
        self._fails_at = fails_at

    def match_begins(self, first: MatchLine) -> None:
        self._note("match_begins")
        self.lines.append(first)

    def deal_begins(self, table: int, deal: Deal, seats: tuple[int, ...], totals: tuple[int, ...]) -> None:
        self._note("deal_begins")
        assert not deal.plays
        assert sorted(seats) == [0, 1, 2, 3]
        self.steps[table, deal.number] = []

    def decided(self, table: int, deal: Deal, steps: Steps) -> None:
        self._note("decided")
        self.steps[table, deal.number] += [(seat, *words_of(decision.action), decision.by) for seat, decision in steps]

    def deal_over(self, table: int, line: DealLine) -> None:
        self._note("deal_over")
        self.lines.append(line)

    def match_over(self, result: ResultLine) -> None:
        self._note("match_over")
        self.lines.append(result)

    def failed(self, error: Exception) -> None:
        self.errors.append(str(error))
        raise RuntimeError("and it fails again")

    def _note(self, name: str) -> None:
        self.received.append(name)
        if name == self._fails_at:
            raise ZeroDivisionError(name)


def play(listener: Listener | None, form: str, concurrency: int = 1, rules: Rules = RULES) -> list[AnyLine]:
    """A match of bots that play anything; the last one has a fault now and then."""
    format_ = Format.parse(form)
    spec = MatchSpec(rules, ("a", "b", "c", "d"), format_, seed=bytes(32))

    def seat(table: int, bot: int) -> ScriptedSeat:
        rng, failure = Random(f"{table} {bot}"), fails(Verdict.TIMEOUT, "late")
        late = Random(f"late {table}")
        return ScriptedSeat(lambda view: failure(view) if bot == 3 and late.random() < 0.02 else any_answer(view, rng))

    tables = [[seat(table, bot) for bot in range(4)] for table in range(format_.tables(rules))]
    lines: list[AnyLine] = []
    asyncio.run(play_tables(spec, tables, lines.append, concurrency, observer=listener))
    return lines


@pytest.mark.parametrize(("form", "concurrency"), [("deals:4", 1), ("boards:2", 1), ("boards:2", 4)])
def test_it_hears_what_is_recorded(form: str, concurrency: int) -> None:
    listener = Listener()
    lines = play(listener, form, concurrency)
    assert listener.lines == lines
    for line in lines:
        if isinstance(line, DealLine):
            recorded = [(step.seat, *kind_and_words(step), step.by) for step in line.steps]
            assert listener.steps[line.rotation or 0, line.deal] == recorded


def test_the_answers_to_a_sealed_question_come_together() -> None:
    listener = Listener()
    play(listener, "deals:1")
    assert listener.received == ["match_begins", "deal_begins", *["decided"] * 53, "deal_over", "match_over"]


@pytest.mark.parametrize("call", ["match_begins", "deal_begins", "decided", "deal_over", "match_over"])
def test_one_that_fails_changes_nothing_and_hears_no_more(call: str) -> None:
    listener = Listener(fails_at=call)
    lines = play(listener, "deals:2")
    assert listener.errors == [call]
    assert listener.received[-1] == call
    assert listener.received.count(call) == 1
    assert without_times(map(to_json, lines)) == without_times(map(to_json, play(None, "deals:2")))


class Cancelling(Listener):
    """Cancels the match where its first question, a sealed one, is about to be put."""

    def deal_begins(self, table: int, deal: Deal, seats: tuple[int, ...], totals: tuple[int, ...]) -> None:
        super().deal_begins(table, deal, seats, totals)
        for task in asyncio.all_tasks():
            task.cancel()


def test_a_match_that_is_cancelled_before_a_sealed_question_leaves_nobody_half_asked() -> None:
    """Otherwise Python would warn of questions that nobody awaits, and the suite takes that for an error."""
    listener = Cancelling()
    with pytest.raises(asyncio.CancelledError):
        play(listener, "deals:1")
    assert listener.received == ["match_begins", "deal_begins"]
