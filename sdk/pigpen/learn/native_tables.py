"""Many tables in the accelerated engine: values are packed as stepwise.h describes."""

from __future__ import annotations

import ctypes
import struct
from typing import TYPE_CHECKING, Any

import numpy as np

from pigpen.learn.action_numbers import has_faces
from pigpen.learn.single_table import OTHER_TABLES, no_choice, random_numbers
from pigpen.sim.native import same_engine
from pigpen.sim.native.binding import packed_rules

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pigpen.learn.encoding import Encoding
    from pigpen.rules import Rules
    from pigpen.sim.native.binding import Engine
    from pigpen.sim.playout import Policy

NO_DEAL = -2
_NUMBER, _ADDRESS, _BYTES = ctypes.c_int64, ctypes.c_void_p, ctypes.c_char_p


class NativeTables:
    """The tables of a `Tables`, which has the arrays that are written here."""

    def __init__(
        self, engine: Engine, encoding: Encoding, seed: int, observations: NDArray[np.uint64], seats: NDArray[np.int64]
    ) -> None:
        """
        Begin the first deals.

        Raises:
            ValueError: If no seat ever has a choice in this variant.
        """
        self.games: int = len(seats)
        self._bind(engine, encoding.rules, pack_setting(encoding))
        library = engine.library
        self.memory: NDArray[np.uint64] = np.zeros((self.games, library.pigpen_table_size() // 8), dtype=np.uint64)
        """A row for each table; the first two words are its random numbers."""
        for game in range(self.games):
            state = random_numbers(seed, game).state
            self.memory[game, 0], self.memory[game, 1] = state & (1 << 64) - 1, state >> 64
        self.write_to(observations, seats)
        begin = library.pigpen_tables_begin
        begin.argtypes, begin.restype = (_BYTES, _BYTES, _NUMBER, *[_ADDRESS] * 3), _NUMBER
        if not begin(self._game, self._setting, self.games, *self._addresses):
            raise no_choice(self._rules)

    def __getstate__(self) -> dict[str, object]:
        return {
            "rules": self._rules, "setting": self._setting, "games": self.games, "memory": self.memory,
            "engine": self._source,
        }  # fmt: skip

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.games, self.memory = state["games"], state["memory"].copy()  # that of a pickle may be read-only
        self._bind(same_engine(state["engine"]), state["rules"], state["setting"])

    def chosen(self, numbers: NDArray[np.int64]) -> NativeTables:
        """Copy tables; they write nowhere until `write_to` is called."""
        twin = object.__new__(NativeTables)
        vars(twin).update(vars(self))
        twin.games, twin.memory = len(numbers), self.memory[numbers]
        return twin

    def replace(self, numbers: NDArray[np.int64], others: object) -> None:
        """
        Put copies of *others* in the place of the tables *numbers*.

        Raises:
            ValueError: If they are those of Python code.
        """
        if not isinstance(others, NativeTables):
            raise ValueError(OTHER_TABLES)
        self.memory[numbers] = others.memory
        self.observe()

    def write_to(self, observations: NDArray[np.uint64], seats: NDArray[np.int64]) -> None:
        """Write what seats know, and which seats they are, to these arrays from now on."""
        self._addresses = self.memory.ctypes.data, observations.ctypes.data, seats.ctypes.data

    def _bind(self, engine: Engine, rules: Rules, setting: bytes) -> None:
        library, self._source = engine.library, engine.source
        self._step, self._random = library.pigpen_tables_step, library.pigpen_tables_random
        self._step.argtypes = (_BYTES, _BYTES, _NUMBER, *[_ADDRESS] * 7)
        self._step.restype = _NUMBER
        self._random.argtypes = (_BYTES, _NUMBER, _ADDRESS, _ADDRESS, _ADDRESS)
        self._unpack, self._mask = library.pigpen_tables_unpack, library.pigpen_tables_mask
        self._unpack.argtypes = (_BYTES, _NUMBER, _ADDRESS, _ADDRESS)
        self._mask.argtypes = (_BYTES, _BYTES, _NUMBER, _ADDRESS, _ADDRESS)
        self._observe = library.pigpen_tables_observe
        self._observe.argtypes = (_BYTES, _NUMBER, _ADDRESS, _ADDRESS, _ADDRESS)
        self._choose, self._plays = library.pigpen_tables_choose, library.pigpen_tables_plays
        self._choose.argtypes = (_BYTES, _NUMBER, _ADDRESS, _ADDRESS, _NUMBER, _ADDRESS, _ADDRESS)
        self._hands = library.pigpen_tables_hands
        self._plays.argtypes = self._hands.argtypes = (_BYTES, _NUMBER, _ADDRESS, _ADDRESS)
        self._playouts = library.pigpen_tables_playouts
        self._playouts.argtypes = (_BYTES, _BYTES, _NUMBER, _ADDRESS, _NUMBER, _NUMBER, _ADDRESS, _ADDRESS)
        for function in (
            self._random,
            self._unpack,
            self._mask,
            self._observe,
            self._playouts,
            self._choose,
            self._plays,
            self._hands,
        ):
            function.restype = None
        library.pigpen_table_size.restype = _NUMBER
        self._rules, self._setting, self._game = rules, setting, packed_rules(rules)

    def step(
        self,
        actions: NDArray[np.int64],
        where: NDArray[np.bool_] | None,
        rewards: NDArray[np.float32],
        over: NDArray[np.bool_],
    ) -> int | None:
        """Take an action at each table; the number of the first at which it is not legal, and nothing has changed."""
        memory, observations, seats = self._addresses
        wrong: int = self._step(
            self._game, self._setting, self.games, memory, actions.ctypes.data,
            None if where is None else where.ctypes.data, observations, seats, rewards.ctypes.data, over.ctypes.data,
        )  # fmt: skip
        if wrong == NO_DEAL:
            raise no_choice(self._rules)
        return None if wrong < 0 else wrong

    def random_actions(self, state: NDArray[np.uint64], actions: NDArray[np.int64]) -> None:
        """Draw legal actions; *state*, two words of a `SimRandom`, is advanced."""
        self._random(self._setting, self.games, self._addresses[0], state.ctypes.data, actions.ctypes.data)

    def choose(
        self, state: NDArray[np.uint64], policy: Policy, where: NDArray[np.bool_] | None, actions: NDArray[np.int64]
    ) -> None:
        """Choose actions by a policy; *state*, two words of a `SimRandom`, is advanced."""
        self._choose(
            self._game, self.games, self._addresses[0], None if where is None else where.ctypes.data, policy,
            state.ctypes.data, actions.ctypes.data,
        )  # fmt: skip

    def playouts(self, state: NDArray[np.uint64], times: int, values: NDArray[np.float32]) -> None:
        """Write the mean rewards after each legal action; *state*, two words of a `SimRandom`, is advanced."""
        self._playouts(
            self._game, self._setting, self.games, self._addresses[0], values.shape[1], times, state.ctypes.data,
            values.ctypes.data,
        )  # fmt: skip

    def unpack(self, observations: NDArray[np.uint64], out: NDArray[np.uint8]) -> None:
        """Unpack observations, as `Encoding.unpack`."""
        self._unpack(self._game, self.games, observations.ctypes.data, out.ctypes.data)

    def mask(self, observations: NDArray[np.uint64], out: NDArray[np.int8]) -> None:
        """Find the legal actions, as `Encoding.mask`."""
        self._mask(self._game, self._setting, self.games, observations.ctypes.data, out.ctypes.data)

    def plays(self, out: NDArray[np.int16]) -> None:
        """Write the plays so far, as `Encoding.plays`."""
        self._plays(self._game, self.games, self._addresses[0], out.ctypes.data)

    def hands(self, out: NDArray[np.uint8]) -> None:
        """Write the hands of all seats, that of the seat to decide first."""
        self._hands(self._game, self.games, self._addresses[0], out.ctypes.data)

    def observe(self) -> None:
        """Write the observations and seats again, from `memory`."""
        self._observe(self._game, self.games, *self._addresses)


def pack_setting(encoding: Encoding) -> bytes:
    """Pack what comes before the tricks as `Setting` of stepwise.h."""
    plan = encoding.rules.plan
    offsets = plan.pass_offsets
    return struct.pack(
        f"=4q3Q{len(offsets)}q", plan.hand_size, plan.pass_count, has_faces(encoding.rules), len(offsets),
        plan.deck_mask, plan.exposable, plan.opening, *offsets,
    )  # fmt: skip
