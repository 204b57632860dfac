from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest

from referee.match import player as idle_bots
from referee.match.player import LOOK_SECONDS, LOOKS, IdleBots

if TYPE_CHECKING:
    from collections.abc import Callable

    from referee.match.player import Player


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
