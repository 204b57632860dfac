"""Puzzles: decisions of recorded matches with one clear answer."""

from __future__ import annotations

import enum

from ladder.values.value import Value
from ladder.values.why import Why


class Level(enum.StrEnum):
    """Difficulty of a puzzle, by the share of bots and people that were wrong."""

    EASY = "easy"
    MEDIUM = "medium"
    HARD = "hard"


class PuzzleSeat(Value):
    """Public knowledge at the table of one seat. Seats count from the reader's own, in the order of play."""

    points: int
    """Of the cards that it has taken so far."""
    cards: int
    """Number of cards that it holds."""
    exposed: tuple[str, ...]
    """As a record says it; `down`: one face down."""
    played: str
    """Its card in the trick that is open; empty: none yet."""


class PuzzlePosition(Value):
    """All that is shown of a puzzle before it is answered: what the seat knew."""

    variant: str
    trick: int
    """Its number, from 1."""
    hand: tuple[str, ...]
    legal: tuple[str, ...]
    seats: tuple[PuzzleSeat, ...]
    """The reader's first."""
    leader: int
    """Leader of the trick, by its place in `seats`."""
    tricks: tuple[tuple[str, ...], ...]
    """The whole tricks; in each the card of each seat, as in `seats`."""
    leaders: tuple[int, ...]
    """Of the whole tricks."""
    winners: tuple[int, ...]
    """Seats that took them."""
    passed: tuple[str, ...]
    received: tuple[str, ...]


class FoundPuzzle(Value):
    """A puzzle, as it is found in a record."""

    position: PuzzlePosition
    right: tuple[str, ...]
    """The best card, and those that are as good."""
    why: Why


class FoundPuzzles(Value):
    """The answer to a `PuzzlesQuestion`."""

    puzzles: tuple[FoundPuzzle, ...]


class Tried(Value):
    """Numbers of bots and people that tried a puzzle, and of those that were right."""

    bots: int
    """The bot that sat there, and the house bots."""
    bots_right: int
    people: int
    people_right: int

    @property
    def level(self) -> Level:
        """
        Difficulty of the puzzle.

        >>> Tried(bots=6, bots_right=1, people=0, people_right=0).level
        <Level.HARD: 'hard'>
        """
        right = self.bots_right + self.people_right
        share = (right + 0.5) / (self.bots + self.people + 1)
        return Level.HARD if share < 1 / 3 else Level.MEDIUM if share < 2 / 3 else Level.EASY


class PuzzleRow(Value):
    """A puzzle in a list."""

    number: int
    variant: str
    trick: int
    tried: Tried
    is_right: bool | None
    """True if the visitor's answer was right; None: there is none."""


class PuzzleList(Value):
    """Some puzzles of a variant."""

    puzzles: tuple[PuzzleRow, ...]
    """The newest first."""
    next: int | None
    """From where on there are more; None: there are none."""
    unanswered: int | None
    """The newest one that the visitor has not answered; None: there is none."""


class PuzzleAnswer(Value):
    """The part of a puzzle that is shown once the visitor has answered it."""

    choice: str
    is_right: bool
    right: tuple[str, ...]
    why: Why
    match: int
    record_kept: bool


class PuzzlePage(Value):
    """A puzzle, and its answer if the visitor has given one."""

    number: int
    position: PuzzlePosition
    tried: Tried
    answer: PuzzleAnswer | None
    streak: int
    """Number of puzzles in a row that the visitor has answered rightly, up to now."""
    next: int | None
    """Another puzzle of the variant that the visitor has not answered; None: there is none."""


class PuzzleCount(Value):
    """The puzzles of a variant."""

    variant: str
    puzzles: int
    answered: int
    """By the visitor."""
    right: int
    next: int | None
    """See `PuzzlePage`."""


class PuzzleOverview(Value):
    """All variants that have puzzles, and how the visitor does."""

    variants: tuple[PuzzleCount, ...]
    streak: int
