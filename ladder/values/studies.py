"""Studies: positions in an order, with titles and comments; some of them are puzzles."""

from __future__ import annotations

from ladder.values.value import Time, Value
from ladder.values.why import PuzzlePosition, Tried

MAX_TITLE = 100
"""Characters of the title of a study, or of a position."""
MAX_COMMENT = 2000
"""Characters of the comment of a position."""


class StudyRow(Value):
    """A study in a list."""

    name: str
    """In its address: `/studies/NAME`."""
    title: str
    owner: str
    public: bool
    """True if it is listed; else only those who know its address find it."""
    positions: int
    """Number of its positions."""
    changed: Time


class StudyList(Value):
    """Some public studies."""

    studies: tuple[StudyRow, ...]
    """The newest first."""
    next: int | None
    """From where on there are more; None: there are none."""


class StudiedPosition(Value):
    """A position as the address of the analysis board has it."""

    hands: str
    """The cards dealt, by seats, with `_` between: `AQ5.KT2.J83.9742_…`."""
    moves: str
    """The actions done, in the order in which seats act, with `_` between; empty: none."""
    deal: int
    """Number of the deal, from 0: the direction of the pass depends on it."""
    leader: int | None
    """Seat that leads to the first trick with any card; None: as the rules say of the first deal."""


class StudyPuzzle(Value):
    """A position that is a puzzle: what the seat to play knows."""

    position: PuzzlePosition
    tried: Tried
    is_right: bool | None
    """True if the visitor's answer was right; None: there is none."""


class StudyEntry(Value):
    """One position of a study."""

    number: int
    """In its address: `/studies/NAME/7`."""
    title: str
    variant: str
    hidden: bool
    """
    True if the visitor must first answer a puzzle: this one, or another one of the same deal.

    Then `comment` is empty, and `position` is None.
    """
    comment: str
    position: StudiedPosition | None
    puzzle: StudyPuzzle | None
    """None: it is no puzzle."""


class StudyPage(StudyRow):
    """A study with its positions."""

    entries: tuple[StudyEntry, ...]
    """In the order that its owner has given them."""
