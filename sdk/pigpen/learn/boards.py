"""One policy against others on boards: every deal is played from every seat."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pigpen.learn.opponents import chosen_by_seats, each_opponent
from pigpen.learn.packages import missing
from pigpen.learn.tables import Tables

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from pigpen.learn.opponents import BatchBot
    from pigpen.rules import Rules

SHOWN = 2.0
"""Number of standard errors above 0 beyond which a gain counts."""


@dataclass(frozen=True, eq=False)  # arrays are not compared at once
class BoardResult:
    """
    Results of one policy on boards; more is better in every variant.

    >>> import numpy as np
    >>> from pigpen.learn import BoardResult
    >>> result = BoardResult(np.array([2.0, 3.0, 4.0]))
    >>> print(result, result.gain)
    +3.00 ± 0.58 3.0
    """

    values: NDArray[np.float64]
    """
    Points a deal by which it was better than the mean of its table, board by board: each the mean over all seats; shape
    (boards,).
    """

    @property
    def mean(self) -> float:
        """Points a deal."""
        return float(self.values.mean())

    @property
    def error(self) -> float:
        """Standard error of the mean; a board is one observation."""
        return float(self.values.std(ddof=1) / len(self.values) ** 0.5)

    @property
    def gain(self) -> float | None:
        """
        The mean, if it is more than two standard errors above 0; else None.

        Against copies of one policy this is a lower bound of how far that policy can be exploited. None does not mean
        that it cannot be: no gain has been found.
        """
        return self.mean if self.mean > SHOWN * self.error else None

    def __str__(self) -> str:
        return f"{self.mean:+.2f} ± {self.error:.2f}"


def play_boards(
    bot: BatchBot, others: BatchBot | Sequence[BatchBot], rules: Rules | str, boards: int = 1000, seed: int = 0
) -> BoardResult:
    """
    Play boards: each deal once from every seat, with other policies in the other seats.

    >>> from pigpen import Policy
    >>> from pigpen.learn import play_boards
    >>> print(play_boards(Policy.CAREFUL, Policy.RANDOM, "hearts", boards=500))
    +4.08 ± 0.10
    >>> play_boards(Policy.RANDOM, Policy.CAREFUL, "hearts", boards=500).gain is None
    True

    If all others are copies of one policy, that policy would get 0 in the place of *bot*: a deal's rewards add up to 0.
    So the mean is what a player gains by playing otherwise than the policy does.

    Args:
        bot: A `Policy`, or a function of observations and masks that returns actions, as in `against_many`.
        others: One for all other seats, or one for each of them, clockwise.
        rules: A variant, or the name of a preset.
        boards: Number of deals, 2 or more; all are played at once, and take some 6 KB for each seat.
        seed: The deals follow from it: those with which the tables of `Tables` with this seed begin.

    Raises:
        ImportError: If numpy is missing; the message says how to install it.
        ValueError: If no preset has that name, there are too few boards, or the number of others is wrong.
    """
    try:
        import numpy as np
    except ModuleNotFoundError as error:
        raise missing(error) from None
    if boards < 2:
        raise ValueError(f"There is no standard error: boards={boards}. Choose 2 or more.")
    start = Tables(rules, boards, seed)
    players, bots = start.encoding.players, [bot, *each_opponent(others, start.encoding.rules)]
    tables, seats = start.clone(np.repeat(np.arange(boards), players)), np.tile(np.arange(players), boards)
    margins, playing = np.zeros(len(seats)), np.ones(len(seats), dtype=np.bool_)
    while playing.any():
        tables.step(chosen_by_seats(tables, bots, seats, playing), playing)
        margins[tables.over] = np.rint(players * tables.rewards[tables.over, seats[tables.over]])  # whole numbers
        playing &= ~tables.over
    return BoardResult(margins.reshape(boards, players).sum(1) / players**2)
