"""Your board beside all others who played it from your chair; sealed until you have played it to its end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ladder.app.matches import place_of
from ladder.app.overview import rules_of
from ladder.errors import LadderError
from ladder.people.boards.daily_board import todays_board
from ladder.people.boards.played_boards import board_of, board_of_day, differences, marks, percentile, ranked
from ladder.values.people import DayResults, PlayBeside, SameBoard
from ladder.values.text import sanitize
from pigpen.rules import cards_in, deal_hands
from referee.records.recorded import BadRecord

if TYPE_CHECKING:
    from ladder.app.ladder import Ladder

LISTED = 100
"""Plays of a board that are listed; yours always is."""


def compare(ladder: Ladder, name: str, secret: str, asker: str = "") -> SameBoard:
    """
    Give everybody's points for the board of a table, as far as they are known.

    Args:
        ladder: The ladder.
        name: The table's.
        secret: Your chair's.
        asker: Whose turn in the queue the plays of house bots take (`ladder.app.computing.asking`).

    Raises:
        Conflict: If the table is not over.
        Forbidden: If the secret is for no chair there.
        LadderError: If there is no such table, or no other table has that board.
        UserError: If the record of the board's match is gone.
    """
    board = board_of(ladder, name, secret, asker)
    scores = board.scores()
    listed = ranked(board.rules, scores.found)
    yours = next(each for each in scores.found if each.you)
    others = [each.points for each in scores.found if each.counts and each.key not in board.own]
    found = board.mine
    return SameBoard(
        variant=board.rules.name,
        title=board.rules.title,
        low_is_better=board.rules.low_is_better,
        day=board.day,
        match=board.chair.match if board.chair else None,
        **dict(place_of(found.line)),
        chair=found.chair,
        hand=found.line.hands[found.chair],
        points=yours.points,
        marks=marks(found),
        percentile=percentile(board.rules, yours.points, others),
        plays=tuple(each for place, each in enumerate(listed) if place < LISTED or each.you),
        computing=scores.computing,
        absent=scores.absent,
    )


def results_of_yesterday(ladder: Ladder, variant: str, asker: str = "") -> DayResults:
    """
    Give everybody's points for yesterday's board, as far as they are known; everybody may see it now.

    Args:
        ladder: The ladder.
        variant: A variant of the ladder's, or a preset.
        asker: Whose turn in the queue the plays of house bots take (`ladder.app.computing.asking`).

    Raises:
        LadderError: If there is no such variant.
    """
    found, rules = todays_board(ladder, variant, days_ago=1), rules_of(ladder, variant)
    seed = bytes.fromhex(found.seed or "")
    scores = board_of_day(ladder, rules, found.day, seed, asker).scores()
    return DayResults(
        board=found,
        low_is_better=rules.low_is_better,
        hand=" ".join(map(str, cards_in(deal_hands(rules, seed, 0)[0]))),
        plays=ranked(rules, scores.found)[:LISTED],
        computing=scores.computing,
        absent=scores.absent,
    )


def beside(ladder: Ladder, name: str, secret: str, key: str, asker: str = "") -> PlayBeside:
    """
    Compare your decisions with those of one of the others.

    Args:
        ladder: The ladder.
        name: The table's.
        secret: Your chair's.
        key: The other's, as `compare` gives it.
        asker: As for `compare`.

    Raises:
        BeingComputed: If the other is a house bot, and its play is not done yet.
        LadderError: As `compare`, or if there is no such other.
    """
    board = board_of(ladder, name, secret, asker)
    mine, other = board.mine, board.deal_of(key)
    play = next((each for each in ranked(board.rules, board.scores().found) if each.key == key), None)
    if play is None:
        raise LadderError(f"No one called {sanitize(key)[:40]!r} has played this board; look at the comparison again.")
    try:
        found = differences(mine, other)
    except BadRecord as error:
        raise LadderError(f"This play of the board cannot be shown: {error}.") from None
    return PlayBeside(play=play, yours=place_of(mine.line), other=place_of(other.line), differences=found)
