"""The environments, made by functions: what they are made of is imported only then."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import gymnasium
    import numpy as np
    import pettingzoo
    from numpy.typing import NDArray

    from pigpen.bot import Bot
    from pigpen.rules import Rules

NOT_INSTALLED = (
    "Environments for learning need gymnasium, numpy and pettingzoo. Install them: "
    "pip install gymnasium numpy pettingzoo"
)


def aec(rules: Rules | str, render_mode: str | None = None) -> pettingzoo.AECEnv:
    """
    Make an environment of PettingZoo: one agent for each seat, one step after the other (AEC).

    >>> from pigpen.learn import aec
    >>> env = aec("hearts")
    >>> env.reset(seed=7)
    >>> for agent in env.agent_iter():
    ...     observation, reward, termination, truncation, info = env.last()
    ...     over = termination or truncation
    ...     env.step(None if over else observation["action_mask"].argmax())
    ...     if over:
    ...         print(agent, reward, info["points"])
    ...
    seat_2 3.5 3
    seat_0 3.5 3
    seat_1 4.5 2
    seat_3 -11.5 18

    Args:
        rules: A variant, or the name of a preset.
        render_mode: ``ansi``: `render` returns a text.

    Returns:
        A `pettingzoo.AECEnv` with the agents ``seat_0``, ``seat_1``, …

    Raises:
        ImportError: If a package is missing; the message says how to install it.
        ValueError: If no preset has that name.
    """
    try:
        from pigpen.learn._table_env import TableEnv
    except ModuleNotFoundError as error:
        raise missing(error) from None
    return TableEnv(rules, render_mode)


def against(
    bots: Sequence[Callable[[], Bot] | Bot],
    rules: Rules | str,
    seat: int | None = None,
    render_mode: str | None = None,
) -> gymnasium.Env[NDArray[np.uint8], int]:
    """
    Make an environment of Gymnasium: one seat to learn, bots in the others.

    >>> import pigpen
    >>> from pigpen.learn import against
    >>> class Lowest(pigpen.Bot):
    ...     def play(self, view):
    ...         return min(view.legal, key=lambda card: card.rank)
    ...
    >>> env = against([Lowest, Lowest, Lowest], "hearts")
    >>> observation, info = env.reset(seed=7)
    >>> over = False
    >>> while not over:
    ...     observation, reward, over, _, info = env.step(info["action_mask"].argmax())
    ...
    >>> reward, info["points"]
    (2.5, 4)

    Args:
        bots: A class of `pigpen.Bot` for each other seat, clockwise; each deal makes new ones. A bot that has been made
            plays all deals.
        rules: A variant, or the name of a preset.
        seat: The seat to learn; None: any, anew for each deal.
        render_mode: ``ansi``: `render` returns a text.

    Returns:
        A `gymnasium.Env`.

    Raises:
        ImportError: If a package is missing; the message says how to install it.
        ValueError: If the number of bots is not that of the other seats, or there is no such seat or preset.
    """
    try:
        from pigpen.learn._seat_env import SeatEnv
    except ModuleNotFoundError as error:
        raise missing(error) from None
    return SeatEnv(bots, rules, seat, render_mode)


def missing(error: ModuleNotFoundError) -> ImportError:
    """Make the error for a package that is missing; another error stays what it is."""
    name = (error.name or "").partition(".")[0]
    return ImportError(NOT_INSTALLED) if name in ("gymnasium", "numpy", "pettingzoo") else error
