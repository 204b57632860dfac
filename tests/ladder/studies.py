"""Studies for tests: positions with one clear best card, and studies that have them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ladder.people.review import studies
from ladder.people.review.study_puzzles import mark_puzzle
from ladder.values.accounts import Viewer
from pigpen.rules import PRESETS
from referee.replay.position import Position
from tests.ladder.computing_here import computed

if TYPE_CHECKING:
    from ladder.app.ladder import Ladder

ADA = Viewer("ada")


class Clear(NamedTuple):
    """A position in which one card is clearly the best."""

    variant: str
    hands: str
    moves: str
    right: str
    wrong: str
    hidden: str
    """A card in the hand of another seat."""

    @property
    def query(self) -> str:
        """In an address of the analysis board."""
        return f"hands={self.hands}&moves={self.moves}&deal=3"

    @property
    def position(self) -> Position:
        """The position."""
        return Position.parse(PRESETS[self.variant], self.hands.split("_"), self.moves, 3)


GONGZHU = Clear(
    "gongzhu",
    "KJ6.AJ842.K.AT76_AQ975432.T7.987._.KQ653.AJT653.K8_T8.9.Q42.QJ95432",
    "-_-_-_7S_KH_8S_JS_JH_TH_5H_9H_7C_4S_8C_2C_3H_QD_8H_7H",
    "AH",
    "KD",
    "JD",
)
HEARTS = Clear(
    "hearts",
    "AT32.Q8.AQJ95.86_KQJ6.JT32.863.T5_74.A97654.T4.943_985.K.K72.AKQJ72",
    "2C_6C_TC_3C_6D_TD_7D_9D_7S_5S_AS_QS_3S_6S_4S_8S_QC_8C_5C_4C_KH_8H_TH_7H_7C",
    "QH",
    "AD",
    "AH",
)
CLEAR = (GONGZHU, HEARTS)


def new_study(ladder: Ladder, title: str = "Moons", public: bool = True, author: Viewer = ADA) -> str:
    """Make a study without positions; give its name."""
    return studies.create_study(ladder, author, title, public)


def add_to(ladder: Ladder, name: str, given: Clear, title: str = "", comment: str = "", author: Viewer = ADA) -> int:
    """Add a position to a study; give its number."""
    return studies.add_position(ladder, author, name, given.position, title, comment)


def as_puzzle(ladder: Ladder, name: str, number: int, author: Viewer = ADA) -> None:
    """Make a position a puzzle; what that takes is computed here."""
    computed(ladder, lambda: mark_puzzle(ladder, author, name, number, "account ada"))
