"""
Screen of a person at a terminal: its state, moment by moment, and the effect of its keys.

The referee is ahead of the screen: bots play within milliseconds. So whatever comes waits in a line, and is shown at a
pace that a person can follow; Space or Enter shows all of it at once.

`CardChoice` is the answer that the person prepares: the cursor in the hand, cards chosen, faces, the moon. `ScoreSheet`
shows what each deal brought everybody, and the totals.
"""

from __future__ import annotations

import enum
import time
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.cells import cell_len, set_cell_size
from rich.text import Text

from ladder.people.seat.client import Question
from ladder.people.seat.illegal_cards import why_not
from ladder.people.sessions.person_state_parts import done_between
from ladder.terminal import card_text as words
from ladder.terminal.card_text import points, spelled
from ladder.terminal.keys import END_OF_INPUT, ESCAPE
from ladder.terminal.options import PACE
from ladder.terminal.sanitize import sanitize
from ladder.values.text import counted
from pigpen.rules import Card, Face, MoonChoice, Phase, Suit
from pigpen.values.notices import DealResult, FaultNotice, MatchResult
from pigpen.values.view import Seen

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from ladder.people.seat.client import SeatActions
    from pigpen.rules import Action
    from pigpen.values.notices import Notice, Welcome
    from pigpen.values.view import View

SUIT_KEYS = {"c": Suit.CLUBS, "d": Suit.DIAMONDS, "h": Suit.HEARTS, "s": Suit.SPADES}


def in_order(view: View) -> list[Card]:
    """Sort the hand as it is held: spades first, aces first."""
    return sorted(view.hand, key=lambda card: (card.suit, card.rank), reverse=True)


class CardChoice:
    """
    The answer to one question, while it is being chosen.

    Attributes:
        cursor: The card that the keys are on; None where there is nothing to choose from.
        cards: The cards chosen to pass, in the order in which they were chosen.
        faces: The cards chosen to expose.
        moon: What the shooter would take.
    """

    def __init__(self, view: View) -> None:
        self.view = view
        self.cards: list[Card] = []
        self.faces: dict[Card, Face] = {}
        self.moon = MoonChoice.SUBTRACT
        self._order = in_order(view)
        self.cursor = next((card for card in self._order if card in view.legal), None)

    def press(self, key: str) -> str | Action | None:
        """Do what *key* means: the answer if that is it, a sentence if there is something to say, or else nothing."""
        if key in ("left", "right"):
            self._step(1 if key == "right" else -1)
        elif key in ("up", "down"):
            self._step_suit(1 if key == "up" else -1)
        elif key.lower() in SUIT_KEYS:
            self._jump(SUIT_KEYS[key.lower()])
        elif key == " " and self.view.phase is not Phase.PLAY:
            return self._toggle()
        elif key in ("\r", "\n", " "):
            return self._enter()
        elif key.lower() == "n" and self.view.phase is Phase.EXPOSE:
            return {}
        return None

    def why_not(self) -> str:
        """Say why the card under the cursor cannot be chosen; nothing if it can."""
        if self.cursor is None or self.cursor in self.view.legal:
            return ""
        if self.view.phase is Phase.EXPOSE:
            return f"{words.card(self.cursor)} may not be exposed."
        return words.spelled(why_not(self.view, self.cursor))

    def _enter(self) -> str | Action | None:
        phase, view = self.view.phase, self.view
        if phase is Phase.MOON:
            return self.moon
        if phase is Phase.EXPOSE:
            return dict(self.faces) or "Nothing is chosen: Space chooses a card, n exposes none."
        if phase is Phase.PASS:
            return tuple(self.cards) if len(self.cards) == view.pass_count else self._toggle()
        return self.why_not() or self.cursor

    def _toggle(self) -> str | None:
        """Choose the card under the cursor, or not any more; a card to expose goes through its faces."""
        card, view = self.cursor, self.view
        if card is None or self.why_not():
            return self.why_not() or None
        if view.phase is Phase.EXPOSE:
            self._turn(card)
        elif card in self.cards:
            self.cards.remove(card)
        elif len(self.cards) < view.pass_count:
            self.cards.append(card)
        else:
            return (
                f"{counted(view.pass_count, 'card is', 'cards are')} chosen: Enter passes them, Space takes one back."
            )
        return None

    def _turn(self, card: Card) -> None:
        exposing = self.view.rules.exposing
        faces = [None, Face.UP, *([Face.DOWN] if exposing and exposing.face_down else [])]
        face = faces[(faces.index(self.faces.get(card)) + 1) % len(faces)]
        if face is None:
            del self.faces[card]
        else:
            self.faces[card] = face

    def _step(self, way: int) -> None:
        if self.view.phase is Phase.MOON:
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
        cards = [card for card in cards if card in self.view.legal] or cards
        if cards:
            place = cards.index(self.cursor) + 1 if self.cursor in cards else 0
            self.cursor = cards[place % len(cards)]

    def _choosable(self) -> Sequence[Card]:
        return [card for card in self._order if card in self.view.legal or self.view.phase is not Phase.EXPOSE]

    def _of(self, suit: Suit) -> list[Card]:
        return [card for card in self._choosable() if card.suit is suit]


def faces_text(view: View, faces: Mapping[Card, Face]) -> list[str]:
    """Say of each card that may be exposed how it is going to be."""
    exposing = view.rules.exposing
    assert exposing is not None
    names = {None: "–", Face.UP: f"face up ×{exposing.face_up}", Face.DOWN: f"face down ×{exposing.face_down}"}
    return [f"{words.card(card)} {names[faces.get(card)]}" for card in reversed(view.legal)]


MIN_WIDTH = 14


@dataclass(frozen=True)
class SheetRow:
    """One deal."""

    deal: int
    scores: Mapping[str, int]
    """By the names of those at the table."""
    totals: Mapping[str, int]


class ScoreSheet:
    """All deals of a match so far, in columns that keep to the names even where the seats change."""

    def __init__(self) -> None:
        self.names: tuple[str, ...] = ()
        self.rows: list[SheetRow] = []

    def add(self, result: DealResult, names: Sequence[str]) -> None:
        """Write a deal down; *names* are by seat."""
        self.names = self.names or tuple(names)
        scores, totals = dict(zip(names, result.scores, strict=True)), dict(zip(names, result.totals, strict=True))
        self.rows.append(SheetRow(result.deal, scores, totals))

    def lines(self, width: int, height: int) -> Iterator[Text]:
        """Draw it in at most *height* lines; if they are too few, show the last deals."""
        if not self.rows:
            yield Text("No deal is over yet.")
            return
        column = min(max(MIN_WIDTH, *(cell_len(name) + 2 for name in self.names)), (width - 6) // len(self.names))
        heads = (_right(name, column) for name in self.names)
        yield Text(f"{'deal':<6}{''.join(heads)}", style="bold")
        room = max(1, height - 3)
        shown = self.rows[-room:]
        if len(shown) < len(self.rows):
            shown = shown[1:]
            yield Text(f"…     {counted(len(self.rows) - len(shown), 'earlier deal')}", style="dim")
        for row in shown:
            cells = (f"{points(row.scores[name]):>{column}}" for name in self.names)
            yield Text(f"{row.deal + 1:<6}{''.join(cells)}")
        totals = (f"{points(self.rows[-1].totals[name]):>{column}}" for name in self.names)
        yield Text(f"{'total':<6}{''.join(totals)}", style="bold")


def _right(name: str, column: int) -> str:
    cut = set_cell_size(name, min(cell_len(name), column - 2))
    return " " * (column - cell_len(cut)) + cut


TRICK_PACES = 2.4
"""Factor by which a full trick is shown longer, and so is what was passed or exposed."""
_DONE = {Phase.PASS: "passed", Phase.EXPOSE: "exposed", Phase.PLAY: "played"}
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
    The table as one person sees it: the listener of its client.

    Attributes:
        seat: Is told what the person does.
        wake: Called when something has come.
        seen: What is shown.
        before: What was shown before that.
        result: How the deal ended, while that is shown.
        end: How the match ended at this table.
        choice: What the person is about to answer; None while nothing is asked.
        page: What covers the table.
        sheet: The results so far.
        key_text: A sentence about the last key.
        fault_text: What was played for the person, and why.
        is_connected: Whether the referee is there.
        has_tables: Whether the match is played at several tables.
        has_left: Whether the person has left the match.
        is_done: Whether there is nothing more to look at.
    """

    def __init__(self, pace: float = PACE, now: Callable[[], float] = time.monotonic) -> None:
        self.seat: SeatActions | None = None
        self.wake: Callable[[], None] = lambda: None
        self.seen: Seen | None = None
        self.before: Seen | None = None
        self.result: DealResult | None = None
        self.end: MatchResult | None = None
        self.choice: CardChoice | None = None
        self.page: Page | None = None
        self.sheet = ScoreSheet()
        self.key_text = self.fault_text = ""
        self.is_connected = True
        self.has_tables = False
        self.has_left = self.is_done = False
        self._pace = pace
        self._now = now
        self._coming: deque[Seen | Question | Notice] = deque()
        self._due = 0.0
        self._question: Question | None = None
        self._last_result = -1
        self._fault: FaultNotice | None = None
        """The person's fault, until the action that the policy played instead is shown."""

    # Called by the client.

    def welcomed(self, welcome: Welcome) -> None:
        """See `SeatListener`."""
        self.has_tables = welcome.format.startswith("boards")

    def saw(self, seen: Seen) -> None:
        """See `SeatListener`."""
        self._comes(seen)

    def asked(self, question: Question) -> None:
        """See `SeatListener`."""
        self._comes(question)

    def notified(self, notice: Notice) -> None:
        """See `SeatListener`; a result that is told again after a lost connection is known."""
        if isinstance(notice, DealResult):
            if notice.deal <= self._last_result:
                return
            self._last_result = notice.deal
        self._comes(notice)

    def connected(self, *, is_there: bool) -> None:
        """See `SeatListener`."""
        self.is_connected = is_there
        self.wake()

    # Called by the screen.

    @property
    def seconds_left(self) -> float | None:
        """Seconds that are left for the decision; None: nothing is asked."""
        return None if self._question is None else max(0.0, self._question.until - self._now())

    def advance(self) -> float | None:
        """Show what is due, and say after how many seconds to look again; None: when something has come."""
        while self._coming and not (self.result or self.end):
            if isinstance(self._coming[0], Seen | DealResult) and self._due > self._now():
                return self._due - self._now()
            self._show(self._coming.popleft())
        if self._question is not None:
            return (self.seconds_left or 0.0) % 1.0 + 0.01
        return None

    def press(self, key: str) -> None:
        """Do what a key means."""
        if key == END_OF_INPUT:
            self.has_left = self.is_done = True
        elif self.page is not None:
            self._press_on_page(self.page, key)
        elif self.result or self.end:
            self._press_at_end(key)
        elif key.lower() in PAGES:
            self.page = PAGES[key.lower()]
        elif key in ONWARD and self._coming:
            self._hurry()
        elif key == "b" and self.seen and self.seen.away:
            self._tell().come_back()
        elif key == "a" and self.seen and not self.seen.away:
            self._tell().leave()
        elif self.choice is not None:
            self._choose(self.choice, key)

    def _comes(self, what: Seen | Question | Notice) -> None:
        self._coming.append(what)
        self.wake()

    def _show(self, what: Seen | Question | Notice) -> None:
        if isinstance(what, Seen):
            self._show_seen(what)
        elif isinstance(what, Question):
            if self._question is None or self._question.view.decision != what.view.decision:
                self._question, self.choice, self.key_text = what, CardChoice(what.view), ""
        elif isinstance(what, FaultNotice):
            self._question = self.choice = None
            self._fault, self.fault_text = what, f"✗ {_why(what)}: the policy played for you."
        elif isinstance(what, DealResult):
            self._question = self.choice = None
            self.result = what
            if self.seen is not None:
                self.sheet.add(what, self.seen.names)
        else:
            self._question = self.choice = None
            self.end = what

    def _show_seen(self, seen: Seen) -> None:
        is_new = self.seen is None or seen.view != self.seen.view
        if is_new:
            self._tell_of_policy(seen)
            self._due = self._now() + self._pause(seen)
            self.before, self.seen = self.seen, seen
        else:
            self.seen = seen
        if seen.away or (is_new and self._question is not None and self._question.view != seen.view):
            self._question = self.choice = None

    def _tell_of_policy(self, seen: Seen) -> None:
        """Say what the policy has played for the person, if it has."""
        if (seen.away or self._fault) and self.seen is not None and self.seen.view.deal == seen.view.deal:
            done, before = (done_between(self.seen.view, each.view) for each in (seen, self.seen))
            if done and done != before:
                why = f"✗ {_why(self._fault)}: the" if self._fault else "The"
                self.fault_text = f"{why} policy {_DONE[self.seen.view.phase]} {spelled(done)} for you."
                self._fault = None

    def _pause(self, seen: Seen) -> float:
        """Say how long this is shown."""
        plays = len(seen.view.plays)
        is_whole = not plays % seen.view.rules.players
        if self.seen is None or self.seen.view.deal != seen.view.deal:
            return self._pace
        return self._pace * (TRICK_PACES if is_whole else 1.0)

    def _hurry(self) -> None:
        """Show all that has come, up to a question or an end."""
        while self._coming and isinstance(self._coming[0], Seen):
            self._show(self._coming.popleft())
        self._due = 0.0

    def _press_on_page(self, page: Page, key: str) -> None:
        self.page = None
        if page is Page.LEAVING and key.lower() == "y":
            self.has_left = self.is_done = True

    def _press_at_end(self, key: str) -> None:
        if key.lower() in PAGES and not (self.end and key.lower() in ("q", ESCAPE)):
            self.page = PAGES[key.lower()]
        elif self.result:
            self._tell().go_on(self.result.deal)
            self.result, self.fault_text, self._due = None, "", 0.0
        else:
            self.is_done = True

    def _choose(self, choice: CardChoice, key: str) -> None:
        answer = choice.press(key)
        if answer is None:
            self.key_text = choice.why_not()
        elif isinstance(answer, str):
            self.key_text = answer
        elif self._tell().answer(choice.view.decision, answer):
            self._question = self.choice = None
            self.key_text, self.fault_text, self._fault = "", "", None

    def _tell(self) -> SeatActions:
        assert self.seat is not None
        return self.seat


def _why(fault: FaultNotice) -> str:
    """Tell the person what was wrong."""
    if fault.verdict == "timeout":
        return "Your time was up"
    text = spelled(sanitize(fault.message))
    return f"{text[:1].upper()}{text[1:]}"
