"""
Records of Gongzhu Arena, a server where people and programs play Gong Zhu, as `load_steps` gives those of a ladder.

A file has one or more deals. Each of 13 lines is a trick: the seat that leads, from 0, and the four cards in the order
in which they were played, suit first (``S10``). A line with the four scores follows. No card is exposed there.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from ladder.errors import UserError
from pigpen.learn import Encoding
from pigpen.rules import PRESETS, Card, Deal
from pigpen_arena.learning import NO_NUMPY, LearnedDeal, learned_deal

if TYPE_CHECKING:
    from collections.abc import Iterator
    from os import PathLike

RULES = replace(PRESETS["gongzhu"], exposing=None)
RESULT = "result:"

Trick: TypeAlias = "tuple[int, list[Card]]"


def load_gongzhu_arena(source: str | PathLike[str]) -> Iterator[LearnedDeal]:
    """
    Read deals that were played on Gongzhu Arena, as `load_steps` reads those of a ladder.

    The rules are those of `gongzhu` without exposing. Each deal is played again and counted again.

    Args:
        source: A file of its folder ``Records``, or that folder.

    Yields:
        The deals, file by file; `LearnedDeal.match` is the number of the file, from 1. `by_bot` is always true.

    Raises:
        UserError: If a file cannot be read, or a deal in it breaks the rules or has other scores; or numpy is not
            installed.
    """
    try:
        import numpy  # noqa: F401
    except ModuleNotFoundError:
        raise UserError(NO_NUMPY) from None
    path, encoding = Path(source), Encoding(RULES)
    files = sorted(path.glob("*.txt")) if path.is_dir() else [path]
    if not files:
        raise UserError(f"{str(path)!r} has no files that end with .txt. Name a file, or the folder with the records.")
    for number, file in enumerate(files, 1):
        for line, tricks, scores in _deals(file):
            try:
                yield _played_again(encoding, number, tricks, scores)
            except ValueError as error:
                raise UserError(f"{str(file)!r}: the deal that ends in line {line} is not valid: {error}.") from None


def _seat(word: str) -> int:
    if word not in ("0", "1", "2", "3"):
        raise ValueError(f"{word!r} is no seat; seats are 0 to 3")
    return int(word)


def _deals(file: Path) -> Iterator[tuple[int, list[Trick], tuple[int, ...]]]:
    """Give each deal of a file: the number of its last line, its tricks, and its scores."""
    tricks: list[Trick] = []
    number = 0
    for number, line in enumerate(_lines(file), 1):
        try:
            if line.startswith(RESULT):
                yield number, tricks, tuple(map(int, _fields(line.removeprefix(RESULT))))
                tricks = []
            elif line:
                leader, *cards = _fields(line)
                tricks.append((_seat(leader), [_card(word) for word in cards]))
        except ValueError as error:
            raise UserError(
                f"{str(file)!r}, line {number}: no trick and no result of Gongzhu Arena: {error}."
            ) from None
    if tricks:
        raise UserError(f"{str(file)!r} ends in line {number} without the result of its last deal.")


def _lines(file: Path) -> list[str]:
    try:
        return [line.strip() for line in file.read_text("utf-8").splitlines()]
    except OSError as error:
        raise UserError(f"{str(file)!r} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise UserError(f"{str(file)!r} is not a text, so no record of Gongzhu Arena.") from None


def _fields(line: str) -> list[str]:
    return [word.strip() for word in line.rstrip(", ").split(",")]


def _card(word: str) -> Card:
    """Read a card whose suit comes first: ``S10`` is TS."""
    return Card.parse(word[1:].replace("10", "T") + word[:1])


def _played_again(encoding: Encoding, match: int, tricks: list[Trick], scores: tuple[int, ...]) -> LearnedDeal:
    """
    Play a deal again.

    Raises:
        ValueError: If it breaks the rules, or has other scores.
    """
    played = [((leader + place) % 4, card) for leader, cards in tricks for place, card in enumerate(cards)]
    hands = [sum({card.mask for who, card in played if who == seat}) for seat in range(4)]
    deal = Deal(RULES, hands, leader=tricks[0][0] if tricks else None)
    found = learned_deal(encoding, match, deal, [(seat, card, True) for seat, card in played])
    if deal.scores() != scores:
        raise ValueError(f"it counts {deal.scores()}, but says {scores}")
    return found
