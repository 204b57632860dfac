"""The vectorised environment of Gymnasium: one seat to learn at each of many tables, opponents in batches."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from pigpen.learn._seat_env import ILLEGAL
from pigpen.learn._spaces import observation_space
from pigpen.learn.action_numbers import DONE
from pigpen.learn.opponents import BatchBot, chosen_by_seats, each_opponent
from pigpen.learn.tables import Tables

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from pigpen.rules import Rules


class SeatVectorEnv(VectorEnv[Any, Any, Any]):
    """One seat at each of many tables. An episode is a deal; opponents decide within a step, all tables at once."""

    metadata: ClassVar[dict[str, Any]] = {"autoreset_mode": AutoresetMode.SAME_STEP}  # type: ignore[misc]

    def __init__(
        self,
        num_envs: int,
        bots: BatchBot | Sequence[BatchBot] | None,
        rules: Rules | str,
        seat: int | None = None,
        mask_in_observation: bool = False,
        render_mode: str | None = None,
    ) -> None:
        """
        Make the environment. See `pigpen.learn.against_many`.

        Raises:
            ValueError: If there is no such seat, preset or table, the number of opponents is wrong, or a render mode is
                given.
        """
        self._tables = Tables(rules, num_envs)
        self._encoding = encoding = self._tables.encoding
        given = each_opponent(bots, encoding.rules)
        if seat is not None and not 0 <= seat < encoding.players:
            raise ValueError(f"There is no seat {seat}. Choose one from 0 to {len(given)}, or None for any.")
        if render_mode is not None:
            raise ValueError(
                "Many tables at once have no render mode. Choose None, or one table: pigpen.learn.against."
            )
        self._bots = [given[0], *given]
        """By place, clockwise; the first is the learner's and is never asked."""
        self._wanted, self._with_mask, self._has_warned = seat, mask_in_observation, False
        self.num_envs = num_envs
        self.render_mode = None
        self.single_observation_space = observation_space(encoding, mask_in_observation)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.single_action_space = spaces.Discrete(encoding.actions)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._rows = np.arange(num_envs)
        self._mine: NDArray[np.int64] = np.zeros(num_envs, dtype=np.int64)
        self._is_begun = False

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin a deal at each table: the first ones of *seed*; without it any."""
        super().reset(seed=seed)
        first = int(self.np_random.integers(1 << 62)) if seed is None else seed
        self._tables = Tables(self._encoding.rules, self.num_envs, first)
        self._draw_seats(self._rows)
        self._let_bots_decide()
        self._is_begun = True
        return self._observed()

    def step(
        self, actions: NDArray[np.integer]
    ) -> tuple[Any, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """
        Take an action at each table; then the opponents decide, until it is the learner's turn at all of them.

        An illegal action is replaced by the default one, as the referee does; ``infos["illegal"]`` is then true. Where
        a deal ends, the observation is the first one of the next deal; ``infos["final_obs"]`` has zeros there, because
        a deal that is over has nothing to decide.

        Raises:
            ValueError: If they are not one integer for each table, or the environment was not reset.
        """
        if not self._is_begun:
            raise ValueError("Call reset() first.")
        taken, illegal = self._replaced(np.asarray(actions))
        mine = self._mine.copy()
        self._tables.step(taken)
        rewards, over = self._tables.rewards[self._rows, mine].astype(np.float64), self._tables.over.copy()
        self._draw_seats(np.flatnonzero(over))
        acted = ~over  # whose deal is still the one in which the learner has acted
        for ended, points in self._let_bots_decide():
            first = ended & acted
            rewards[first] = points[first, mine[first]]
            over |= first
            acted &= ~ended
        observed, infos = self._observed()
        infos |= {"illegal": illegal, "_illegal": np.ones(self.num_envs, dtype=np.bool_)}
        if over.any():
            infos |= self._final(over)
        return observed, rewards, over, np.zeros(self.num_envs, dtype=np.bool_), infos

    def _replaced(self, actions: NDArray[np.integer]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Replace illegal actions by default ones; also return where that was."""
        if actions.shape != (self.num_envs,) or actions.dtype.kind not in "iu":
            raise ValueError(
                f"A step takes {self.num_envs} integers, one for each table; given: shape {actions.shape}, "
                f"dtype {actions.dtype}."
            )
        mask = self._tables.mask()
        taken = actions.astype(np.int64)
        outside = (taken < 0) | (taken >= mask.shape[1])
        taken[outside] = 0
        illegal = outside | (mask[self._rows, taken] == 0)
        if illegal.any():
            if not self._has_warned:
                self._has_warned = True
                warnings.warn(ILLEGAL, UserWarning, stacklevel=3)
            taken[illegal] = np.where(mask[illegal, DONE], DONE, mask[illegal].argmax(1))
        return taken, illegal

    def _let_bots_decide(self) -> Sequence[tuple[NDArray[np.bool_], NDArray[np.float32]]]:
        """Let opponents decide until the learner is to decide everywhere; return the deals that have ended."""
        tables, found = self._tables, []
        while (waiting := tables.seats != self._mine).any():
            tables.step(chosen_by_seats(tables, self._bots, self._mine, waiting), waiting)
            if tables.over.any():
                found.append((tables.over.copy(), tables.rewards.copy()))
                self._draw_seats(np.flatnonzero(tables.over))
        return found

    def _draw_seats(self, rows: NDArray[np.intp]) -> None:
        players = self._encoding.players
        self._mine[rows] = self.np_random.integers(players, size=len(rows)) if self._wanted is None else self._wanted

    def _observed(self) -> tuple[Any, dict[str, Any]]:
        unpacked, mask = self._tables.unpack(), self._tables.mask()
        infos = {"seat": self._mine.copy(), "action_mask": mask}
        infos |= {f"_{name}": np.ones(self.num_envs, dtype=np.bool_) for name in list(infos)}
        return {"observation": unpacked, "action_mask": mask.copy()} if self._with_mask else unpacked, infos

    def _final(self, over: NDArray[np.bool_]) -> dict[str, Any]:
        nothing = np.zeros(self._encoding.size, dtype=np.uint8)
        last: Any = nothing
        if self._with_mask:
            last = {"observation": nothing, "action_mask": np.zeros(self._encoding.actions, dtype=np.int8)}
        final = np.full(self.num_envs, None, dtype=object)
        for row in np.flatnonzero(over):
            final[row] = last
        return {"final_obs": final, "_final_obs": over.copy()}
