"""The state of the screen: what is shown when, and what keys do; without a terminal, on a clock of its own."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from rich.console import Console

from ladder.people.commands.screen_state import Page, ScreenState
from ladder.people.commands.table_screen import table_screen
from ladder.people.seat.seat_client import Question
from ladder.terminal import card_text as words
from ladder.terminal.keys import END_OF_INPUT
from pigpen import View
from pigpen.rules import PRESETS, Card, Deal, Face, MoonChoice, Phase, deal_hands
from pigpen.values.notices import DealResult, FaultNotice, MatchResult
from pigpen.values.view import Seen
from tests.referee.scripted_seats import FakeTime
from tests.rules.table import dealt

if TYPE_CHECKING:
    from pigpen.rules import Action, Rules

NAMES = ("human", "b", "c", "d", "e")
HEARTS, GONGZHU, SALE = PRESETS["hearts"], PRESETS["gongzhu"], PRESETS["gongzhu-sale"]


class SentActions:
    """Notes what the referee would be sent."""

    def __init__(self) -> None:
        self.answers: list[tuple[int, Action]] = []
        self.actions: list[str] = []

    def answer(self, decision: int, action: Action) -> bool:
        self.answers.append((decision, action))
        return True

    def leave(self) -> None:
        self.actions.append("leave")

    def come_back(self) -> None:
        self.actions.append("come back")

    def go_on(self, deal: int) -> None:
        self.actions.append(f"go on after {deal}")

    def read_help(self, *, is_open: bool) -> None:
        self.actions.append(f"help is {'open' if is_open else 'closed'}")


class Table:
    """A deal, and the screen of the person in seat 0."""

    def __init__(self, deal: Deal, pace: float = 0.0) -> None:
        self.deal, self.time, self.sent = deal, FakeTime(), SentActions()
        self.state = ScreenState(pace, self.time)
        self.state.tracker.seat = self.sent
        self.state.tracker.connected(is_there=True)
        self.show()

    @property
    def view(self) -> View:
        return View(*self.deal.known_to(0), totals=(0,) * self.deal.rules.players, decision=1, limit=30.0)

    def show(self, *, away: bool = False) -> None:
        self.state.tracker.saw(Seen(self.view, NAMES[: self.deal.rules.players], away))
        self.state.advance()

    def ask(self) -> None:
        self.state.tracker.asked(Question(self.view, self.time() + 30.0))
        self.state.advance()

    def press(self, *keys: str) -> None:
        for key in keys:
            self.state.press(key)
            self.state.advance()

    @property
    def cards(self) -> int:
        """Number of cards in the trick that is shown."""
        assert self.state.state is not None
        assert self.state.state.moment is not None
        return len(self.state.state.moment.cards)

    @property
    def text(self) -> str:
        return drawn(self.state)


def drawn(state: ScreenState, width: int = 80, height: int = 24) -> str:
    lines = table_screen(state, width, height)
    assert len(lines) <= height
    assert all(line.cell_len <= width for line in lines)
    return "\n".join(line.plain for line in lines)


def hearts(number: int = 0) -> Table:
    return Table(Deal(HEARTS, deal_hands(HEARTS, bytes(32), number), number=number))


def play_until_asked(table: Table) -> None:
    """The others play their defaults until seat 0 has a choice."""
    deal = table.deal
    while not deal.is_over and (0 not in deal.to_act or deal.is_forced(0)):
        for seat in deal.to_act:
            deal.apply(seat, deal.default_action(seat))
        table.show()


def test_cards_to_pass_fill_slots_and_can_be_taken_back() -> None:
    table = hearts()
    table.ask()
    assert "[  ] [  ] [  ]" in table.text
    table.press(" ", "right", " ", "right", "\r")
    first, second, third = table.state.choice.cards  # type: ignore[union-attr]
    assert "Enter passes" in table.text
    table.press("right", " ")
    assert table.state.key_text.startswith("3 cards are chosen: ")
    table.press("left", " ")
    assert table.state.choice is not None
    assert table.state.choice.cards == [first, second]
    table.press("\r", "\r")
    assert table.sent.answers == [(1, (first, second, third))]
    assert table.state.choice is None


def test_cards_that_were_received_are_told_and_marked() -> None:
    table = hearts()
    for seat in table.deal.to_act:
        table.deal.apply(seat, table.deal.default_action(seat))
    table.show()
    received = table.view.received
    assert "You were passed" in table.text
    marked = {
        text.plain[span.start : span.end]
        for text in table_screen(table.state, 80, 24)
        for span in text.spans
        if "underline" in str(span.style)
    }
    assert marked == {str(card)[0] for card in received}


def test_a_card_that_may_not_be_played_says_why_and_is_not_played() -> None:
    table = hearts(3)
    play_until_asked(table)
    table.ask()
    view = table.view
    barred = next(card for card in view.hand if card not in view.legal)
    for _ in view.hand:
        table.press("right")
        if table.state.choice and table.state.choice.cursor == barred:
            break
    assert "follow suit" in table.state.key_text
    table.press("\r")
    assert not table.sent.answers
    table.press({0: "c", 1: "d", 2: "h", 3: "s"}[view.legal[0].suit], "\r")
    ((_, card),) = table.sent.answers
    assert card in view.legal


def test_exposing_none_is_said_explicitly() -> None:
    table = Table(dealt(GONGZHU, "AH QS", "JD", "TC", ""))
    table.ask()
    table.press("\r")
    assert table.state.key_text.startswith("Nothing is chosen: ")
    table.press("n")
    assert table.sent.answers == [(1, {})]


def test_a_card_to_expose_goes_through_its_faces() -> None:
    table = Table(dealt(SALE, "AH QS", "JD", "TC", ""))
    table.ask()
    table.press("s", " ", "h", " ", " ")
    assert "Q♠ face up ×4" in table.text
    assert "A♥ face down ×2" in table.text
    table.press("\r")
    assert table.sent.answers == [(1, {Card.parse("QS"): Face.UP, Card.parse("AH"): Face.DOWN})]


def test_the_moon_is_chosen_by_arrows() -> None:
    table = hearts(3)
    view = table.view
    view.phase, view.legal_mask, view.hand_mask = Phase.MOON, 0, 0
    table.state.tracker.asked(Question(view, 30.0))
    table.state.advance()
    assert "-26 for you" in table.text
    assert "26 for everybody else" in table.text
    table.press("right", "\r")
    assert table.sent.answers == [(1, MoonChoice.ADD)]


def test_cards_are_shown_one_by_one_and_enter_shows_all_that_has_come() -> None:
    deal = Deal(HEARTS, deal_hands(HEARTS, bytes(32), 3), number=3)
    table = Table(deal, pace=1.0)
    for _ in range(3):
        deal.apply(deal.turn, deal.default_action(deal.turn))
        table.show()
    assert table.cards == 0
    table.time.seconds = 1.0
    assert table.state.advance() == 1.0
    assert table.cards == 1
    table.press("\r")
    assert table.cards == 3
    assert not table.sent.answers


def test_the_clock_is_shown_while_a_question_is_open() -> None:
    table = hearts()
    table.ask()
    table.time.seconds = 5.0
    assert table.state.seconds_left == 25.0
    assert "25 s" in table.text
    wait = table.state.advance()
    assert wait is not None
    assert wait <= 1.01, "it is drawn again every second"


def test_a_fault_is_said_plainly_and_closes_the_question() -> None:
    table = hearts()
    table.ask()
    table.state.tracker.notified(FaultNotice("timeout", "no answer within 30.000 s", 1, takeover=False))
    table.state.advance()
    assert table.state.choice is None
    table.show()
    assert "✗ Your time was up" in table.text


def test_what_was_illegal_is_named() -> None:
    table = hearts()
    table.state.tracker.notified(FaultNotice("illegal", "QS may not be played now; legal: 2C", 1, takeover=False))
    table.show()
    assert "✗ Q♠ may not be" in table.text


def test_what_the_policy_played_is_named_until_the_next_answer() -> None:
    deal = Deal(GONGZHU, deal_hands(GONGZHU, bytes(32), 0))
    table = Table(deal)
    play_until_asked(table)
    while deal.phase is not Phase.PLAY:
        deal.apply(0, deal.default_action(0))
        play_until_asked(table)
    table.ask()
    table.state.tracker.notified(FaultNotice("timeout", "no answer within 30.000 s", 1, takeover=False))
    card = deal.default_action(0)
    deal.apply(0, card)
    table.show()
    named = f"policy played {words.card(card)} for you."  # type: ignore[arg-type]
    assert f"time was up: the {named}" in table.text
    play_until_asked(table)
    assert named in table.text, "what others do leaves it there"
    table.ask()
    table.press("right", "\r", "\r")
    assert named not in table.text


def test_what_the_policy_does_for_who_is_away_is_named() -> None:
    table = hearts()
    table.show(away=True)
    passed = table.deal.default_action(0)
    for seat in range(4):
        table.deal.apply(seat, table.deal.default_action(seat))
    table.show(away=True)
    assert f"policy passed {words.cards(sorted(passed))} for" in table.text  # type: ignore[arg-type]
    play_until_asked(table)
    card = table.deal.default_action(0)
    table.deal.apply(0, card)
    table.show(away=True)
    assert f"policy played {words.card(card)} for" in table.text  # type: ignore[arg-type]


def test_who_is_away_may_come_back() -> None:
    table = hearts()
    table.ask()
    table.press("a")
    assert table.sent.actions == ["leave"]
    table.show(away=True)
    assert table.state.choice is None
    assert "b: I'm back" in table.text
    table.press("b")
    assert table.sent.actions == ["leave", "come back"]


def test_the_end_of_a_deal_is_explained_and_waits_for_a_key() -> None:
    table = hearts(3)
    deal = table.deal
    while not deal.is_over:
        for seat in deal.to_act:
            deal.apply(seat, deal.default_action(seat))
        table.show()
    scores = deal.scores()
    table.state.tracker.notified(DealResult(3, 0, scores, scores))
    table.state.advance()
    assert "The end of deal 4" in table.text
    assert "Q♠ 13" in table.text
    table.press("t")
    assert table.text.startswith("Score sheet")
    table.press("x", "\r")
    assert table.sent.actions == ["go on after 3"]
    assert table.state.result is None
    table.state.tracker.notified(DealResult(3, 0, scores, scores))
    table.state.advance()
    assert table.state.result is None, "told again after a lost connection"
    table.state.tracker.notified(MatchResult(2, 4.0))
    table.state.advance()
    assert "you are 2nd of 4" in table.text
    table.press(" ")
    assert table.state.is_done
    assert not table.state.has_left


def test_leaving_is_asked_once() -> None:
    table = hearts()
    table.ask()
    table.press("q")
    assert table.state.page is Page.LEAVING
    assert "Leave the match?" in table.text
    table.press("n")
    assert not table.state.is_done
    table.press("q", "y")
    assert table.state.has_left
    assert table.state.is_done


def test_a_terminal_that_is_gone_leaves() -> None:
    table = hearts()
    table.press(END_OF_INPUT)
    assert table.state.has_left


def test_the_last_trick_is_shown_until_a_key() -> None:
    table = hearts(3)
    deal = table.deal
    for _ in range(5):
        deal.apply(deal.turn, deal.default_action(deal.turn))
        table.show()
    assert "trick 2 of 13" in table.text
    table.press("l")
    assert "trick 1 of 13" in table.text
    table.press("l")
    assert "trick 2 of 13" in table.text


def test_a_lost_connection_is_said() -> None:
    table = hearts()
    table.state.tracker.connected(is_there=False)
    assert "The connection is lost" in table.text
    table.state.tracker.connected(is_there=True)
    assert "The connection is lost" not in table.text


def test_the_only_card_that_may_be_played_is_played_and_that_is_said() -> None:
    table = hearts(3)
    deal, forced = table.deal, False
    while not deal.is_over and not forced:
        seat = deal.turn
        forced = seat == 0 and deal.is_forced(0)
        deal.apply(seat, deal.default_action(seat))
        table.show()
    assert "had no other card" in table.text
    assert table.state.choice is None


def test_a_small_terminal_still_shows_what_is_needed_to_play_on() -> None:
    table = hearts()
    table.ask()
    text = drawn(table.state, 80, 12)
    assert "needs 80 columns and 24 lines" in text
    assert "Choose 3 cards" in text
    assert "♠" in text


@pytest.mark.parametrize("players", [2, 3, 6, 7, 8])
def test_any_number_of_players_fits(players: int) -> None:
    removed = tuple(map(str, HEARTS.deck[1 : 1 + 52 % players]))
    rules = replace(HEARTS, players=players, removed=removed, passing=None)
    deal = Deal(rules, deal_hands(rules, bytes(32), 0))
    state = ScreenState(0.0)
    names = tuple(f"player {seat}" for seat in range(players))
    while not deal.is_over:
        view = View(*deal.known_to(1), totals=(0,) * players)
        state.tracker.saw(Seen(view, names))
        state.advance()
        text = drawn(state)
        assert all(f"{seat} player {seat}" in text for seat in range(players))
        deal.apply(deal.turn, deal.default_action(deal.turn))


@pytest.mark.parametrize("rules", PRESETS.values(), ids=lambda rules: rules.name)
@pytest.mark.parametrize("size", [(80, 24), (120, 40)], ids=["80×24", "120×40"])
def test_every_moment_of_a_deal_fits_the_screen(rules: Rules, size: tuple[int, int]) -> None:
    deal = Deal(rules, deal_hands(rules, bytes(32), 0))
    table = Table(deal)
    while not deal.is_over:
        if 0 in deal.to_act:
            table.ask()
            assert f"{rules.title.split(',')[0]}" in drawn(table.state, *size)
        for seat in deal.to_act:
            deal.apply(seat, deal.default_action(seat))
        table.show()
        drawn(table.state, *size)
    table.state.tracker.notified(DealResult(0, 0, deal.scores(), deal.scores()))
    table.state.advance()
    assert Console(width=80).render_lines(drawn(table.state, *size))
    for page in ("?", "t"):
        table.press(page)
        drawn(table.state, *size)
        table.press("x")
