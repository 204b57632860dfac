"""Many tables without the accelerated engine: the same numbers, slowly."""

from __future__ import annotations

from contextlib import contextmanager
from copy import copy, deepcopy
from typing import TYPE_CHECKING

import numpy as np

from pigpen.learn.single_table import OTHER_TABLES, Table
from pigpen.rules import CARDS
from pigpen.sim.sim_random import SimRandom

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from pigpen.learn.encoding import Encoding
    from pigpen.sim.playout import Policy


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
        self.observe()

    def chosen(self, numbers: NDArray[np.int64]) -> PythonTables:
        """Copy tables; they write nowhere until `write_to` is called."""
        twin = copy(self)
        twin.write_to(np.zeros(0, dtype=np.uint64), np.zeros(0, dtype=np.int64))
        twin.tables = [deepcopy(self.tables[number]) for number in numbers.tolist()]
        return twin

    def replace(self, numbers: NDArray[np.int64], others: object) -> None:
        """
        Put copies of *others* in the place of the tables *numbers*.

        Raises:
            ValueError: If they are those of the accelerated engine.
        """
        if not isinstance(others, PythonTables):
            raise ValueError(OTHER_TABLES)
        for number, table in zip(numbers.tolist(), others.tables, strict=True):
            self.tables[number] = deepcopy(table)
        self.observe()

    def write_to(self, observations: NDArray[np.uint64], seats: NDArray[np.int64]) -> None:
        """Write what seats know, and which seats they are, to these arrays from now on."""
        self._observations, self._seats = observations, seats

    def step(
        self,
        actions: NDArray[np.int64],
        where: NDArray[np.bool_] | None,
        rewards: NDArray[np.float32],
        over: NDArray[np.bool_],
    ) -> int | None:
        """Take an action at each table; the number of the first at which it is not legal, and nothing has changed."""
        chosen = [
            (number, table, action)
            for number, (table, action) in enumerate(zip(self.tables, actions.tolist(), strict=True))
            if where is None or where[number]
        ]
        for number, table, action in chosen:
            if action not in table.steps.legal():
                return number
        rewards[:], over[:] = 0, False
        for number, table, action in chosen:
            table.act(action)
            over[number] = table.deal.is_over
            if over[number]:
                rewards[number] = table.rewards()
                table.deal_anew()
        self.observe()
        return None

    def random_actions(self, state: NDArray[np.uint64], actions: NDArray[np.int64]) -> None:
        """Draw legal actions; *state*, two words of a `SimRandom`, is advanced."""
        with _advanced(state) as rng:
            for number, table in enumerate(self.tables):
                legal = table.steps.legal()
                actions[number] = legal[rng.below(len(legal))]

    def choose(
        self, state: NDArray[np.uint64], policy: Policy, where: NDArray[np.bool_] | None, actions: NDArray[np.int64]
    ) -> None:
        """Choose actions by a policy; *state*, two words of a `SimRandom`, is advanced."""
        with _advanced(state) as rng:
            for number, table in enumerate(self.tables):
                if where is None or where[number]:
                    actions[number] = table.action_by(policy, rng)

    def plays(self, out: NDArray[np.int16]) -> None:
        """Write the plays so far, as `Encoding.plays`."""
        for number, table in enumerate(self.tables):
            out[number] = self._encoding.plays(table.view)

    def hands(self, out: NDArray[np.uint8]) -> None:
        """Write the hands of all seats, that of the seat to decide first."""
        cards = np.arange(len(CARDS), dtype=np.uint64)
        for number, table in enumerate(self.tables):
            hands = np.array([*table.deal.hands[table.seat :], *table.deal.hands[: table.seat]], dtype=np.uint64)
            out[number] = (hands[:, None] >> cards & np.uint64(1)).ravel()

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

    def observe(self) -> None:
        """Write the observations and seats again."""
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
