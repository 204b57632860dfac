"""The environments, made by functions: what they are made of is imported only then."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pigpen.learn.packages import missing

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import gymnasium
    import pettingzoo

    from pigpen.bot import Bot
    from pigpen.learn.opponents import BatchBot
    from pigpen.rules import Rules
    from pigpen.sim.playout import Policy


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
        render_mode: ``ansi``: `render` returns a text. ``human``: each step prints it.

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
    bots: Sequence[Callable[[], Bot] | Bot | Policy],
    rules: Rules | str,
    seat: int | None = None,
    render_mode: str | None = None,
    mask_in_observation: bool = False,
) -> gymnasium.Env[Any, int]:
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
            plays all deals. A `Policy` plays without being asked as a bot.
        rules: A variant, or the name of a preset.
        seat: The seat to learn; None: any, anew for each deal.
        render_mode: ``ansi``: `render` returns a text. ``human``: each step prints it.
        mask_in_observation: True: an observation is a dictionary, ``observation`` and ``action_mask``.

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
    return SeatEnv(bots, rules, seat, render_mode, mask_in_observation)


def against_many(
    bots: BatchBot | Sequence[BatchBot],
    rules: Rules | str,
    num_envs: int,
    seat: int | None = None,
    mask_in_observation: bool = False,
) -> gymnasium.vector.VectorEnv[Any, Any, Any]:
    """
    Make a vectorised environment of Gymnasium: one seat to learn at each of many tables, opponents in batches.

    >>> from pigpen import Policy
    >>> from pigpen.learn import against_many
    >>> env = against_many(Policy.CAREFUL, "hearts", num_envs=64)
    >>> observations, infos = env.reset(seed=7)
    >>> observations, rewards, over, _, infos = env.step(infos["action_mask"].argmax(1))
    >>> observations.shape, rewards.shape, infos["seat"].shape
    ((64, 1124), (64,), (64,))

    Args:
        bots: The opponents: one for all other seats, or one for each of them, clockwise. An opponent is a `Policy`, or
            a function of a net: it gets observations, shape (n, size), and masks, shape (n, actions), and returns n
            actions.
        rules: A variant, or the name of a preset.
        num_envs: Number of tables.
        seat: The seat to learn; None: any, anew for each deal.
        mask_in_observation: True: observations are a dictionary, ``observation`` and ``action_mask``.

    Returns:
        A `gymnasium.vector.VectorEnv`, which begins the next deal in the step in which one ends.

    Raises:
        ImportError: If a package is missing; the message says how to install it.
        ValueError: If there is no such seat, preset or table, or the number of opponents is wrong.
    """
    try:
        from pigpen.learn._seat_vector_env import SeatVectorEnv
    except ModuleNotFoundError as error:
        raise missing(error) from None
    return SeatVectorEnv(num_envs, bots, rules, seat, mask_in_observation)
