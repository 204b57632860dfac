"""The answer that a person at a terminal prepares: the cursor in the hand, cards chosen, faces, the moon."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ladder.people.seat.illegal_cards import why_not
from ladder.terminal import card_text as words
from ladder.values.text import counted
from pigpen.rules import Card, Face, MoonChoice, Phase, Suit

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pigpen.rules import Action
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
