"""
Screen of a person at a terminal: its state, moment by moment, and the effect of its keys.

What is shown is what a browser would be sent: the `PersonState` values of a `PersonStateTracker`. The referee is ahead
of the screen: bots play within milliseconds. So the states wait in a line, and are shown at a pace that a person can
follow; Space or Enter shows all of it at once.

`CardChoice` is the answer that the person prepares: the cursor in the hand, cards chosen, faces, the moon.
`sheet_lines` shows what each deal brought everybody, and the totals.
"""

from __future__ import annotations

import enum
import time
from collections import deque
from typing import TYPE_CHECKING

from rich.cells import cell_len, set_cell_size
from rich.text import Text

from ladder.people.seat.illegal_cards import bar_text
from ladder.people.sessions.person_state_tracker import PersonStateTracker
from ladder.people.sessions.table_info import TableInfo
from ladder.terminal import card_text as words
from ladder.terminal.card_text import scored, spelled
from ladder.terminal.keys import END_OF_INPUT, ESCAPE
from ladder.terminal.options import PACE
from ladder.values.text import counted
from pigpen.rules import Card, Face, MoonChoice, Suit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from ladder.people.seat.seat_client import SeatActions
    from ladder.values.person_state import PersonNotice, PersonResult, PersonState, SheetRow
    from pigpen.rules import Action
    from referee.replay.table_view import TableDeal, TableMoment, TableSeat

SUIT_KEYS = {"c": Suit.CLUBS, "d": Suit.DIAMONDS, "h": Suit.HEARTS, "s": Suit.SPADES}


def in_order(hand: Iterable[Card]) -> list[Card]:
    """Sort a hand as it is held: spades first, aces first."""
    return sorted(hand, key=lambda card: (card.suit, card.rank), reverse=True)


def own_seat(state: PersonState) -> TableSeat:
    """Give the person's own seat; there is one once cards are dealt."""
    assert state.deal is not None
    assert state.deal.seat is not None
    assert state.moment is not None
    return state.moment.seats[state.deal.seat]


class CardChoice:
    """
    The answer to one question, while it is being chosen.

    Attributes:
        cursor: The card that the keys are on; None where there is nothing to choose from.
        cards: The cards chosen to pass, in the order in which they were chosen.
        faces: The cards chosen to expose.
        moon: What the shooter would take.
    """

    def __init__(self, state: PersonState) -> None:
        """Begin with the question of a state that asks one."""
        assert state.question is not None
        self.question = state.question
        self.cards: list[Card] = []
        self.faces: dict[Card, Face] = {}
        self.moon = MoonChoice.SUBTRACT
        self._order = in_order(own_seat(state).hand)
        self.cursor = next((card for card in self._order if card in self.question.legal), None)

    def press(self, key: str) -> str | Action | None:
        """Do what *key* means: the answer if that is it, a sentence if there is something to say, or else nothing."""
        if key in ("left", "right"):
            self._step(1 if key == "right" else -1)
        elif key in ("up", "down"):
            self._step_suit(1 if key == "up" else -1)
        elif key.lower() in SUIT_KEYS:
            self._jump(SUIT_KEYS[key.lower()])
        elif key == " " and self.question.kind != "play":
            return self._toggle()
        elif key in ("\r", "\n", " "):
            return self._enter()
        elif key.lower() == "n" and self.question.kind == "expose":
            return {}
        return None

    def why_not(self) -> str:
        """Say why the card under the cursor cannot be chosen; nothing if it can."""
        if self.cursor is None or self.cursor in self.question.legal:
            return ""
        if self.question.kind == "expose":
            return f"{words.card(self.cursor)} may not be exposed."
        return words.spelled(bar_text(self.cursor, self.question.why[str(self.cursor)]))

    def _enter(self) -> str | Action | None:
        kind = self.question.kind
        if kind == "moon":
            return self.moon
        if kind == "expose":
            return dict(self.faces) or "Nothing is chosen: Space chooses a card, n exposes none."
        if kind == "pass":
            return tuple(self.cards) if len(self.cards) == self.question.count else self._toggle()
        return self.why_not() or self.cursor

    def _toggle(self) -> str | None:
        """Choose the card under the cursor, or not any more; a card to expose goes through its faces."""
        card, count = self.cursor, self.question.count
        if card is None or self.why_not():
            return self.why_not() or None
        if self.question.kind == "expose":
            self._turn(card)
        elif card in self.cards:
            self.cards.remove(card)
        elif len(self.cards) < count:
            self.cards.append(card)
        else:
            return f"{counted(count, 'card is', 'cards are')} chosen: Enter passes them, Space takes one back."
        return None

    def _turn(self, card: Card) -> None:
        faces = [None, *(Face[face.upper()] for face in self.question.faces)]
        face = faces[(faces.index(self.faces.get(card)) + 1) % len(faces)]
        if face is None:
            del self.faces[card]
        else:
            self.faces[card] = face

    def _step(self, way: int) -> None:
        if self.question.kind == "moon":
            self.moon = MoonChoice.ADD if self.moon is MoonChoice.SUBTRACT else MoonChoice.SUBTRACT
            return
        cards = self._choosable()
        if self.cursor in cards:
            self.cursor = cards[(cards.index(self.cursor) + way) % len(cards)]

    def _step_suit(self, way: int) -> None:
        """Go to the suit above or below, to a card in about the same place."""
        suits = list(dict.fromkeys(card.suit for card in self._choosable()))
        if self.cursor is None or len(suits) < 2:
            self._step(-way)
            return
        there = self._of(suits[(suits.index(self.cursor.suit) - way) % len(suits)])
        self.cursor = there[min(self._of(self.cursor.suit).index(self.cursor), len(there) - 1)]

    def _jump(self, suit: Suit) -> None:
        """Go to the next card of *suit*; to one that may be chosen if there is any."""
        cards = self._of(suit)
        cards = [card for card in cards if card in self.question.legal] or cards
        if cards:
            place = cards.index(self.cursor) + 1 if self.cursor in cards else 0
            self.cursor = cards[place % len(cards)]

    def _choosable(self) -> Sequence[Card]:
        return [card for card in self._order if card in self.question.legal or self.question.kind != "expose"]

    def _of(self, suit: Suit) -> list[Card]:
        return [card for card in self._choosable() if card.suit is suit]


def faces_text(deal: TableDeal, legal: Sequence[Card], faces: Mapping[Card, Face]) -> list[str]:
    """Say of each card that may be exposed how it is going to be."""
    names = {None: "–", Face.UP: f"face up ×{deal.face_up}", Face.DOWN: f"face down ×{deal.face_down}"}
    return [f"{words.card(card)} {names[faces.get(card)]}" for card in reversed(legal)]


MIN_WIDTH = 14


def sheet_lines(deal: TableDeal, rows: Sequence[SheetRow], width: int, height: int) -> Iterator[Text]:
    """Draw the score sheet in at most *height* lines; if they are too few, show the last deals."""
    if not rows:
        yield Text("No deal is over yet.")
        return
    column = min(max(MIN_WIDTH, *(cell_len(name) + 2 for name in deal.bots)), (width - 6) // len(deal.bots))
    heads = (_right(name, column) for name in deal.bots)
    yield Text(f"{'deal':<6}{''.join(heads)}", style="bold")
    room = max(1, height - 3)
    shown = rows[-room:]
    if len(shown) < len(rows):
        shown = shown[1:]
        yield Text(f"…     {counted(len(rows) - len(shown), 'earlier deal')}", style="dim")
    for row in shown:
        yield Text(f"{row.deal + 1:<6}{''.join(f'{scored(score, deal):>{column}}' for score in row.scores)}")
    totals = (f"{scored(total, deal):>{column}}" for total in rows[-1].totals)
    yield Text(f"{'total':<6}{''.join(totals)}", style="bold")


def _right(name: str, column: int) -> str:
    cut = set_cell_size(name, min(cell_len(name), column - 2))
    return " " * (column - cell_len(cut)) + cut


TRICK_PACES = 2.4
"""Factor by which a full trick is shown longer, and so is what was passed or exposed."""
_DONE = {"pass": "passed", "expose": "exposed", "play": "played"}
ONWARD = ("\r", "\n", " ")


class Page(enum.Enum):
    """A page that covers the table."""

    HELP = enum.auto()
    SHEET = enum.auto()
    LAST_TRICK = enum.auto()
    LEAVING = enum.auto()
    """The person is asked whether it really wants to leave."""


PAGES = {"?": Page.HELP, "t": Page.SHEET, "l": Page.LAST_TRICK, "q": Page.LEAVING, ESCAPE: Page.LEAVING}


class ScreenState:
    """
    The table as one person sees it.

    Attributes:
        tracker: The listener of the person's client, which makes the states.
        wake: Called when something has come.
        state: What is shown; None: nothing has come.
        before: What was shown before that.
        choice: What the person is about to answer; None while nothing is asked.
        page: What covers the table.
        key_text: A sentence about the last key.
        fault_text: What was played for the person, and why.
        has_tables: True if the match is played at several tables.
        has_left: True if the person has left the match.
        is_done: True if there is nothing more to look at.
    """

    def __init__(
        self, pace: float = PACE, now: Callable[[], float] = time.monotonic, *, has_tables: bool = False
    ) -> None:
        self.tracker = PersonStateTracker(self._comes, TableInfo({}), now)
        self.wake: Callable[[], None] = lambda: None
        self.state: PersonState | None = None
        self.before: PersonState | None = None
        self.choice: CardChoice | None = None
        self.page: Page | None = None
        self.key_text = self.fault_text = ""
        self.has_tables = has_tables
        self.has_left = self.is_done = False
        self._pace = pace
        self._now = now
        self._coming: deque[PersonState] = deque()
        self._due = 0.0
        self._until: dict[int, float] = {}
        """Time at which the newest question ends, by its number."""
        self._answered = -1, 0
        """The decision that was answered last, and the number of the newest state then."""
        self._looked_at = -1
        self._noticed = 0

    @property
    def seat(self) -> SeatActions:
        """The seat, which is told what the person does."""
        assert self.tracker.seat is not None
        return self.tracker.seat

    @property
    def result(self) -> PersonResult | None:
        """The end of a deal, until the person has looked at it."""
        found = self.state.result if self.state else None
        return found if found and found.deal > self._looked_at else None

    @property
    def is_over(self) -> bool:
        """True if the end of the match is shown."""
        return self.state is not None and self.state.over is not None and self.result is None

    @property
    def seconds_left(self) -> float | None:
        """Seconds that are left for the decision; None: nothing is asked, or there is no clock."""
        until = self._until.get(self.choice.question.decision) if self.choice else None
        return None if until is None else max(0.0, until - self._now())

    def advance(self) -> float | None:
        """Show what is due, and say after how many seconds to look again; None: when something has come."""
        while self._coming and not (self.result or self.is_over):
            state = self._coming[0]
            if self._due > self._now() and (self._is_new(state) or state.result):
                return self._due - self._now()
            self._show(self._coming.popleft())
        left = self.seconds_left
        return None if left is None else left % 1.0 + 0.01

    def press(self, key: str) -> None:
        """Do what a key means."""
        if key == END_OF_INPUT:
            self.has_left = self.is_done = True
        elif self.page is not None:
            self._press_on_page(self.page, key)
        elif self.result or self.is_over:
            self._press_at_end(key)
        elif key.lower() in PAGES:
            self.page = PAGES[key.lower()]
        elif key in ONWARD and self._is_behind:
            self._hurry()
        elif key == "b" and self.state and self.state.away:
            self.seat.come_back()
        elif key == "a" and self.state and self.state.moment and not self.state.away:
            self.seat.leave()
        elif self.choice is not None:
            self._choose(self.choice, key)

    def _comes(self, state: PersonState) -> None:
        if state.question is not None and state.question.left is not None:
            self._until = {state.question.decision: self._now() + state.question.left}
        self._coming.append(state)
        self.wake()

    @property
    def _is_behind(self) -> bool:
        """True if there is more to be seen than what is shown."""
        return any(map(self._is_new, self._coming))

    def _is_new(self, state: PersonState) -> bool:
        """Tell whether a state shows another table than what is shown."""
        return state.moment is not None and _table_of(state) != _table_of(self.state)

    def _show(self, state: PersonState) -> None:
        is_new = self._is_new(state)
        self._tell_of_policy(state, is_new=is_new)
        if is_new:
            self._due = self._now() + self._pause(state)
            self.before = self.state
        self.state = state
        decision = state.question.decision if state.question else -1
        if state.question is None or (decision == self._answered[0] and state.number <= self._answered[1]):
            self.choice = None
        elif self.choice is None or self.choice.question.decision != decision:
            self.choice, self.key_text = CardChoice(state), ""

    def _tell_of_policy(self, state: PersonState, *, is_new: bool) -> None:
        """Say what the policy has played for the person, if it has."""
        before = self.state.moment if self.state and self.state.moment else None
        step = state.moment.steps[0] if state.moment and state.moment.steps else None
        for notice in state.notices:
            if notice.number > self._noticed and notice.kind == "default":
                does = _DONE.get(before.phase, "played") if before else "played"
                done = f"{does} {spelled(notice.action)}" if notice.action else "played"
                self.fault_text = f"✗ {_why(notice)}: the policy {done} for you."
                self._noticed = notice.number
                return
        if is_new and state.away and step and step.by and (before is None or step not in before.steps):
            done = "passed" if step.kind == "pass" else "played"
            self.fault_text = f"The policy {done} {spelled(step.action)} for you."

    def _pause(self, state: PersonState) -> float:
        """Say how long this is shown."""
        moment, before = state.moment, self.state
        assert moment is not None
        if before is None or before.deal is None or state.deal is None or before.deal.number != state.deal.number:
            return self._pace
        return self._pace * (TRICK_PACES if moment.complete or not moment.trick else 1.0)

    def _hurry(self) -> None:
        """Show all that has come, up to a question or an end."""
        while self._coming and not (self._coming[0].question or self._coming[0].result or self._coming[0].over):
            self._show(self._coming.popleft())
        self._due = 0.0

    def _press_on_page(self, page: Page, key: str) -> None:
        self.page = None
        if page is Page.LEAVING and key.lower() == "y":
            self.has_left = self.is_done = True

    def _press_at_end(self, key: str) -> None:
        if key.lower() in PAGES and not (self.is_over and key.lower() in ("q", ESCAPE)):
            self.page = PAGES[key.lower()]
        elif self.result:
            self._looked_at, self.fault_text, self._due = self.result.deal, "", 0.0
            self.tracker.go_on(self._looked_at)
        else:
            self.is_done = True

    def _choose(self, choice: CardChoice, key: str) -> None:
        answer, newest = choice.press(key), self._coming[-1] if self._coming else self.state
        if answer is None:
            self.key_text = choice.why_not()
        elif isinstance(answer, str):
            self.key_text = answer
        elif newest is not None and self.tracker.answer(choice.question.decision, answer):
            self._answered = choice.question.decision, newest.number
            self.choice = None
            self.key_text = self.fault_text = ""


def _table_of(state: PersonState | None) -> tuple[int, TableMoment] | None:
    """Give what makes two states look alike at the table."""
    if state is None or state.moment is None or state.deal is None:
        return None
    return state.deal.number, state.moment.model_copy(update={"scores": None, "totals": (), "steps": ()})


def _why(notice: PersonNotice) -> str:
    """Tell the person what was wrong."""
    if notice.verdict == "timeout":
        return "Your time was up"
    text = spelled(notice.text)
    return f"{text[:1].upper()}{text[1:]}"
