"""Many tables at once: numpy arrays in and out."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, TypeVar

from pigpen.learn.encoding import Encoding
from pigpen.learn.packages import missing
from pigpen.learn.saved_tables import SavedTables, numbers_of
from pigpen.rules import CARDS, IllegalAction, seed_from
from pigpen.rules.shuffle import derived_number
from pigpen.sim import native
from pigpen.sim.sim_random import SimRandom

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from pigpen.learn.native_tables import NativeTables
    from pigpen.learn.python_tables import PythonTables
    from pigpen.rules import Rules
    from pigpen.sim.playout import Policy

Value = TypeVar("Value", bound="np.generic")


class Tables:
    """
    Many tables of one variant at once. In each step every table takes one action, of the seat that is to decide there.

    >>> from pigpen.learn import Tables
    >>> tables = Tables("hearts", games=1000, seed=7)
    >>> for _ in range(50):
    ...     tables.step(tables.random_actions())
    ...
    >>> tables.observations.shape, tables.unpack().shape, tables.mask().shape
    ((1000, 23), (1000, 1124), (1000, 54))
    >>> sorted(set(tables.seats.tolist()))
    [0, 1, 2, 3]

    A deal that ends gives its rewards in that step, and the observation is already the first one of the next deal.
    The arrays are written anew by each step: copy what is to stay. Table 0 of a seed is that of `aec` with this seed.
    """

    rewards: NDArray[np.float32]
    """
    Points by which each seat was better than the mean of its table,
    if the deal ended in the last step, else 0; shape (games, players).
    """
    over: NDArray[np.bool_]
    """True where the deal ended in the last step; shape (games,)."""
    observations: NDArray[np.uint64]
    """Observations of the seats to decide, packed; shape (games, words)."""
    seats: NDArray[np.int64]
    """The seats to decide; shape (games,)."""

    def __init__(self, rules: Rules | str, games: int, seed: int = 0) -> None:
        """
        Deal for the first time.

        Args:
            rules: A variant, or the name of a preset.
            games: Number of tables.
            seed: All deals follow from it, and `random_actions` and `playouts` too.

        Raises:
            ImportError: If numpy is missing; the message says how to install it.
            ValueError: If no preset has that name, there is no table, or no seat ever has a choice.
        """
        try:
            import numpy as np
        except ModuleNotFoundError as error:
            raise missing(error) from None
        if games < 1:
            raise ValueError(f"There is no table: games={games}. Choose 1 or more.")
        self.encoding: Encoding = Encoding(rules)
        """Of the observations; `encoding.rules` is the variant."""
        self._make_arrays(games)
        self._tables = self._make(seed)
        state = SimRandom(derived_number("learn-actions", seed_from(str(seed)))).state
        self._chance = np.array([state & (1 << 64) - 1, state >> 64], dtype=np.uint64)

    def _make_arrays(self, games: int) -> None:
        import numpy as np

        players = self.encoding.players
        self._observations = np.zeros((games, self.encoding.words), dtype=np.uint64)
        self._seats = np.zeros(games, dtype=np.int64)
        self.rewards = np.zeros((games, players), dtype=np.float32)
        self.over = np.zeros(games, dtype=np.bool_)
        self.observations, self.seats = _read_only(self._observations), _read_only(self._seats)

    def __copy__(self) -> Tables:
        return deepcopy(self)

    def __getstate__(self) -> dict[str, object]:
        return {name: value for name, value in vars(self).items() if name not in ("observations", "seats")}

    def __setstate__(self, state: dict[str, object]) -> None:
        vars(self).update(state)
        for name in ("_observations", "_seats", "rewards", "over", "_chance"):
            vars(self)[name] = vars(self)[name].copy()  # those of a pickle may be read-only
        self._tables.write_to(self._observations, self._seats)
        self.observations, self.seats = _read_only(self._observations), _read_only(self._seats)

    def step(self, actions: NDArray[np.integer], where: NDArray[np.bool_] | None = None) -> None:
        """
        Take an action at each table, and write the arrays anew.

        Args:
            actions: Shape (games,), integers.
            where: The tables that take their action, shape (games,); the others stay as they are, and their actions
                are not looked at. None: all of them.

        Raises:
            IllegalAction: If one of them is not legal; nothing has changed.
            ValueError: If they are not one integer for each table.
        """
        import numpy as np

        given = np.asarray(actions)
        if given.shape != self.over.shape or given.dtype.kind not in "iu":
            raise ValueError(
                f"A step takes {len(self.over)} integers, one for each table; "
                f"given: shape {given.shape}, dtype {given.dtype}."
            )
        taken = np.ascontiguousarray(given, dtype=np.int64)
        wrong = self._tables.step(taken, self._marked(where), self.rewards, self.over)
        if wrong is not None:
            legal = np.flatnonzero(self.encoding.mask(self._observations[wrong])).tolist()
            raise IllegalAction(f"table {wrong}: action {given[wrong]} is not legal now; legal: {legal}")

    def random_actions(self) -> NDArray[np.int64]:
        """Draw a legal action for each table; all are equally likely. Shape (games,)."""
        import numpy as np

        actions = np.empty(len(self.over), dtype=np.int64)
        self._tables.random_actions(self._chance, actions)
        return actions

    def actions_by(self, policy: Policy, where: NDArray[np.bool_] | None = None) -> NDArray[np.int64]:
        """
        Choose an action for each table by a simple policy: opponents that are as quick as the tables.

        Args:
            policy: It exposes no card; a shooter who has a choice takes the −26.
            where: The tables to choose for, shape (games,); the action of the others is −1. None: all of them.

        Returns:
            Legal actions, shape (games,).

        Raises:
            ValueError: If *where* is no mask of the tables.
        """
        import numpy as np

        actions = np.full(len(self.over), -1, dtype=np.int64)
        self._tables.choose(self._chance, policy, self._marked(where), actions)
        return actions

    def playouts(self, times: int = 1) -> NDArray[np.float32]:
        """
        Play each table to its end after each legal action, all seats by `Policy.CAREFUL`, and give the mean rewards.

        Nothing changes at the tables. Hidden cards are those that the other seats hold: a single value depends on what
        the seat does not know, but a net that sees observations alone learns the mean over all that it may be.

        Args:
            times: Playouts of each action, 1 or more. Each takes some 2 µs in the accelerated engine.

        Returns:
            Rewards of the seats to decide, shape (games, actions); 0 for an action that is not legal.

        Raises:
            ValueError: If *times* is below 1.
        """
        import numpy as np

        if times < 1:
            raise ValueError(f"There is no playout: times={times}. Choose 1 or more.")
        values = np.zeros((len(self.over), self.encoding.actions), dtype=np.float32)
        self._tables.playouts(self._chance, times, values)
        return values

    def save(self, numbers: ArrayLike | None = None) -> SavedTables:
        """
        Copy the states of tables.

        >>> from pigpen.learn import Tables
        >>> tables = Tables("hearts", games=4, seed=7)
        >>> start = tables.save()
        >>> actions = tables.random_actions()
        >>> tables.step(actions)
        >>> tables.restore(start)
        >>> tables.step(actions)  # the same step again

        Args:
            numbers: The tables, as numpy indexes: a number, a list, a slice or a mask. None: all.

        Raises:
            IndexError: If there is no such table.
        """
        chosen = numbers_of(numbers, len(self.over))
        return SavedTables(self.encoding.rules, self._tables.chosen(chosen), len(chosen))

    def restore(self, saved: SavedTables, numbers: ArrayLike | None = None) -> None:
        """
        Put saved states in the place of tables; no deal counts as ended there.

        What `random_actions`, `actions_by` and `playouts` draw is not part of a state: they draw on.

        Args:
            saved: As many states as tables are named, or one for all of them.
            numbers: The tables, as in `save`. None: all.

        Raises:
            ValueError: If there are more or fewer states, they are of another variant, or of another engine.
            IndexError: If there is no such table.
        """
        chosen = numbers_of(numbers, len(self.over))
        if saved.rules != self.encoding.rules:
            raise ValueError(f"These states are of {saved.rules.name}; the tables play {self.encoding.rules.name}.")
        if len(saved) == 1:
            saved = saved[[0] * len(chosen)]
        if len(saved) != len(chosen):
            raise ValueError(f"There are {len(saved)} states for {len(chosen)} tables: give as many, or one.")
        saved._put_into(self._tables, chosen)
        self.rewards[chosen], self.over[chosen] = 0, False

    def clone(self, numbers: ArrayLike | None = None) -> Tables:
        """
        Make tables of their own in the states of these; the clone draws what these would draw.

        Args:
            numbers: The tables, as in `save`; a number may come several times. None: all.

        Raises:
            IndexError: If there is no such table.
            ValueError: If no table is named.
        """
        chosen = numbers_of(numbers, len(self.over))
        if not len(chosen):
            raise ValueError("There is no table to clone: name one or more.")
        twin = object.__new__(type(self))
        twin.encoding, twin._chance, twin._tables = self.encoding, self._chance.copy(), self._tables.chosen(chosen)
        twin._make_arrays(len(chosen))
        twin.rewards[:], twin.over[:] = self.rewards[chosen], self.over[chosen]
        twin._tables.write_to(twin._observations, twin._seats)
        twin._tables.observe()
        return twin

    def plays(self, out: NDArray[np.int16] | None = None) -> NDArray[np.int16]:
        """
        Give the plays of each deal so far in their order, as `Encoding.plays`: earlier tricks, and that on the table.

        Args:
            out: Where to write them, shape (games, 52); None: a new array.

        Returns:
            52 times the seat, relative to the one that decides, plus the card; −1 for plays to come.

        Raises:
            ValueError: If *out* has another shape or type.
        """
        import numpy as np

        if out is None:
            out = np.empty((len(self.over), len(CARDS)), dtype=np.int16)
        _check(out, (len(self.over), len(CARDS)), "int16")
        self._tables.plays(out)
        return out

    def oracle(self, out: NDArray[np.uint8] | None = None) -> NDArray[np.uint8]:
        """
        Give the hands of all seats: what no seat knows, for a critic that only training uses.

        There is no such function of a view, and so none for a bot.

        Args:
            out: Where to write them, shape (games, 52 · players); None: a new array.

        Returns:
            52 zeros and ones by card for each seat, first the one that decides, then clockwise.

        Raises:
            ValueError: If *out* has another shape or type.
        """
        import numpy as np

        shape = (len(self.over), len(CARDS) * self.encoding.players)
        if out is None:
            out = np.empty(shape, dtype=np.uint8)
        _check(out, shape, "uint8")
        self._tables.hands(out)
        return out

    def unpack(self, out: NDArray[np.uint8] | None = None) -> NDArray[np.uint8]:
        """
        Unpack the observations, as `Encoding.unpack`: many times as fast.

        Args:
            out: Where to write them, shape (games, size); None: a new array.

        Raises:
            ValueError: If *out* has another shape or type.
        """
        import numpy as np

        if out is None:
            out = np.empty((len(self.over), self.encoding.size), dtype=np.uint8)
        _check(out, (len(self.over), self.encoding.size), "uint8")
        self._tables.unpack(self._observations, out)
        return out

    def mask(self, out: NDArray[np.int8] | None = None) -> NDArray[np.int8]:
        """
        Find the legal actions, as `Encoding.mask`.

        Args:
            out: Where to write them, shape (games, actions); None: a new array.

        Raises:
            ValueError: If *out* has another shape or type.
        """
        import numpy as np

        if out is None:
            out = np.empty((len(self.over), self.encoding.actions), dtype=np.int8)
        _check(out, (len(self.over), self.encoding.actions), "int8")
        self._tables.mask(self._observations, out)
        return out

    def _marked(self, where: NDArray[np.bool_] | None) -> NDArray[np.bool_] | None:
        import numpy as np

        if where is None:
            return None
        if where.shape != self.over.shape or where.dtype != np.bool_:
            raise ValueError(
                f"where is an array of bool with the shape {self.over.shape}; given: {where.dtype}, {where.shape}."
            )
        return np.ascontiguousarray(where)

    def _make(self, seed: int) -> NativeTables | PythonTables:
        engine = native.engine()
        if engine:
            from pigpen.learn.native_tables import NativeTables

            return NativeTables(engine, self.encoding, seed, self._observations, self._seats)
        from pigpen.learn.python_tables import PythonTables

        return PythonTables(self.encoding, seed, self._observations, self._seats)


def _read_only(array: NDArray[Value]) -> NDArray[Value]:
    view = array.view()
    view.flags.writeable = False
    return view


def _check(out: NDArray[np.generic], shape: tuple[int, int], kind: str) -> None:
    if out.shape != shape or out.dtype != kind or not out.flags.carray:
        given = "" if out.flags.writeable else ", read-only"
        raise ValueError(
            f"out is a contiguous array of {kind} with the shape {shape}, to be written to; given: {out.dtype}, "
            f"{out.shape}{given}."
        )
