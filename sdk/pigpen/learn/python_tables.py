"""Many tables without the accelerated engine: the same numbers, slowly."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np

from pigpen.learn.single_table import Table
from pigpen.sim.sim_random import SimRandom

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from pigpen.learn.encoding import Encoding


class PythonTables:
    """The tables of a `Tables`, which has the arrays that are written here."""

    def __init__(
        self, encoding: Encoding, seed: int, observations: NDArray[np.uint64], seats: NDArray[np.int64]
    ) -> None:
        """
        Begin the first deals.

        Raises:
            ValueError: If no seat ever has a choice in this variant.
        """
        self._encoding = encoding
        self.write_to(observations, seats)
        self.tables: list[Table] = [Table(encoding.rules, seed, game) for game in range(len(seats))]
        self._show()

    def write_to(self, observations: NDArray[np.uint64], seats: NDArray[np.int64]) -> None:
        """Write what seats know, and which seats they are, to these arrays from now on."""
        self._observations, self._seats = observations, seats

    def step(self, actions: NDArray[np.int64], rewards: NDArray[np.float32], over: NDArray[np.bool_]) -> int | None:
        """Take an action at each table; the number of the first at which it is not legal, and nothing has changed."""
        chosen = actions.tolist()
        for number, (table, action) in enumerate(zip(self.tables, chosen, strict=True)):
            if action not in table.steps.legal():
                return number
        rewards[:] = 0
        for number, (table, action) in enumerate(zip(self.tables, chosen, strict=True)):
            table.act(action)
            over[number] = table.deal.is_over
            if over[number]:
                rewards[number] = table.rewards()
                table.deal_anew()
        self._show()
        return None

    def random_actions(self, state: NDArray[np.uint64], actions: NDArray[np.int64]) -> None:
        """Draw legal actions; *state*, two words of a `SimRandom`, is advanced."""
        with _advanced(state) as rng:
            for number, table in enumerate(self.tables):
                legal = table.steps.legal()
                actions[number] = legal[rng.below(len(legal))]

    def playouts(self, state: NDArray[np.uint64], times: int, values: NDArray[np.float32]) -> None:
        """Write the mean rewards after each legal action; *state*, two words of a `SimRandom`, is advanced."""
        with _advanced(state) as rng:
            for number, table in enumerate(self.tables):
                for action in table.steps.legal():
                    values[number, action] = sum(table.playout(action, rng) for _ in range(times)) / times

    def unpack(self, observations: NDArray[np.uint64], out: NDArray[np.uint8]) -> None:
        """Unpack observations, as `Encoding.unpack`."""
        out[:] = self._encoding.unpack(observations)

    def mask(self, observations: NDArray[np.uint64], out: NDArray[np.int8]) -> None:
        """Find the legal actions, as `Encoding.mask`."""
        out[:] = self._encoding.mask(observations)

    def _show(self) -> None:
        for number, table in enumerate(self.tables):
            self._observations[number] = self._encoding.observe(table.view, table.steps)
            self._seats[number] = table.seat


@contextmanager
def _advanced(state: NDArray[np.uint64]) -> Iterator[SimRandom]:
    """Give the random numbers that two words of state stand for; then write where they are."""
    rng = SimRandom(0)
    rng.state = int(state[0]) | int(state[1]) << 64
    yield rng
    state[0], state[1] = rng.state & (1 << 64) - 1, rng.state >> 64
