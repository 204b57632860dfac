"""
Places that visitors share: connections, streams, turns that they wait for.

While places are free, a visitor takes as many as it likes. When all are taken they are shared fairly, as tables are
(`ladder.people.tables.table_opening`): those who have the most lose one before a visitor with fewer is refused.
"""

from __future__ import annotations

from asyncio import get_running_loop, shield
from collections import Counter
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from anyio import CapacityLimiter, to_thread

from ladder.entry.networks import neighbourhood_of, network_of
from ladder.errors import Busy

if TYPE_CHECKING:
    from asyncio import Future
    from collections.abc import Callable

T = TypeVar("T")


class Place:
    """A place that a visitor has taken."""

    __slots__ = ("_among", "give_up", "is_idle", "near", "network")

    def __init__(self, among: SharedPlaces, network: str, give_up: Callable[[], object], is_idle: bool) -> None:
        self._among: SharedPlaces | None = among
        self.network = network
        """The network to which the place belongs: an address, or a network of IPv6."""
        self.near = neighbourhood_of(network)
        """The addresses near it."""
        self.give_up = give_up
        self.is_idle = is_idle
        """True while nothing is done there; such a place is the first to be given up."""

    def leave(self) -> None:
        """Free the place; again: nothing happens."""
        if self._among is not None:
            among, self._among = self._among, None
            among._remove(self)

    def set_idle(self, is_idle: bool) -> None:
        """Note that something is done there, or nothing more."""
        if self._among is not None:
            self._among._remove(self)
            self.is_idle = is_idle
            self._among._add(self)


class _Owned:
    """The places of one network, the oldest first."""

    __slots__ = ("busy", "idle")

    def __init__(self) -> None:
        self.idle: dict[Place, None] = {}
        self.busy: dict[Place, None] = {}

    def __len__(self) -> int:
        return len(self.idle) + len(self.busy)


class SharedPlaces:
    """A limited number of places; only for one thread."""

    def __init__(self, count: int) -> None:
        """
        Begin without any that is taken.

        Args:
            count: Number of places.
        """
        self._count = count
        self._taken = 0
        self._near: dict[str, dict[str, _Owned]] = {}
        self._numbers: dict[str, int] = {}

    def __len__(self) -> int:
        return self._taken

    def take(
        self, address: str, give_up: Callable[[], object] = lambda: None, *, is_idle: bool = False
    ) -> Place | None:
        """
        Take a place for a visitor.

        If all are taken, a place is given up: of the addresses near each other with the most, and there of the address
        with the most; they must have more than this visitor. The idle one that is so for the longest time comes first,
        then the newest one. A visitor with the most itself loses an idle place of its own.

        Args:
            address: Where the visitor comes from.
            give_up: Called when the place is given up for another visitor; it is no longer taken then.
            is_idle: True if nothing is done there yet.

        Returns:
            The place; None: the visitor is refused.
        """
        place = Place(self, network_of(address), give_up, is_idle)
        self._add(place)
        if self._taken > self._count:
            given_up = self._given_up(place)
            if given_up is None:
                place.leave()
                return None
            given_up.leave()
            given_up.give_up()
        return place

    def _given_up(self, new: Place) -> Place | None:
        near = max(self._numbers, key=self._numbers.__getitem__)
        if self._numbers[near] <= self._numbers[new.near]:
            near = new.near
        networks = self._near[near]
        network = max(networks, key=lambda each: len(networks[each]))
        if near == new.near and len(networks[network]) <= len(networks[new.network]):
            return next((each for each in networks[new.network].idle if each is not new), None)
        owned = networks[network]
        return next(iter(owned.idle)) if owned.idle else next(reversed(owned.busy))

    def _add(self, place: Place) -> None:
        owned = self._near.setdefault(place.near, {}).setdefault(place.network, _Owned())
        (owned.idle if place.is_idle else owned.busy)[place] = None
        self._numbers[place.near] = self._numbers.get(place.near, 0) + 1
        self._taken += 1

    def _remove(self, place: Place) -> None:
        networks = self._near[place.near]
        owned = networks[place.network]
        del (owned.idle if place.is_idle else owned.busy)[place]
        if not owned:
            del networks[place.network]
        self._numbers[place.near] -= 1
        if not networks:
            del self._numbers[place.near], self._near[place.near]
        self._taken -= 1


class _Turn:
    """A visitor's turn, which has begun or is waited for."""

    __slots__ = ("begun", "near", "network")

    def __init__(self, address: str) -> None:
        self.network = network_of(address)
        self.near = neighbourhood_of(self.network)
        self.begun: Future[bool] = get_running_loop().create_future()
        """True: it has begun; False: its place among those who wait was given up for another visitor."""


class Turns:
    """
    Slow work that visitors ask for: some at once, in threads of its own; the others wait.

    Addresses near each other begin something only while more threads are free than they have. So one sender has half
    of the threads at most, two have three quarters, and the first work of another one begins at once. Of those who
    wait, those with the fewest threads are next, and those with equally many take turns. All of it is for the thread of
    one event loop.
    """

    def __init__(self, at_once: int, max_waiting: int, sentence: str, seconds: float = 60.0) -> None:
        """
        Prepare.

        Args:
            at_once: Number of threads.
            max_waiting: Number of places for those who wait.
            sentence: Said to a visitor for whom there is no place.
            seconds: Seconds after which such a visitor may try again.
        """
        self._free = at_once
        self._near: Counter[str] = Counter()
        self._networks: Counter[str] = Counter()
        self._places = SharedPlaces(max_waiting)
        self._waiting: dict[str, dict[str, dict[_Turn, None]]] = {}
        self._refusal = partial(Busy, sentence, seconds)

    async def do(self, address: str, work: Callable[[], T]) -> T:
        """
        Do some work in a thread, when it is its turn.

        Args:
            address: Where the visitor comes from.
            work: What is to be done; once begun, it comes to its end.

        Raises:
            Busy: If too many wait, and no other visitors have more of those places.
        """
        turn = _Turn(address)
        if self._is_free_for(turn.near):
            self._begin(turn)
        else:
            await self._wait(turn)
        try:
            return await to_thread.run_sync(work, limiter=CapacityLimiter(1))
        finally:
            self._end(turn)

    def _is_free_for(self, near: str) -> bool:
        return self._free > self._near[near]

    def _begin(self, turn: _Turn) -> None:
        self._free -= 1
        self._near[turn.near] += 1
        self._networks[turn.network] += 1
        turn.begun.set_result(True)

    def _end(self, turn: _Turn) -> None:
        self._free += 1
        for number, key in ((self._near, turn.near), (self._networks, turn.network)):
            number[key] -= 1
            if not number[key]:
                del number[key]
        self._begin_waiting()

    async def _wait(self, turn: _Turn) -> None:
        place = self._places.take(turn.network, partial(self._give_up, turn))
        if place is None:
            raise self._refusal()
        self._waiting.setdefault(turn.near, {}).setdefault(turn.network, {})[turn] = None
        try:
            has_begun = await shield(turn.begun)
        except BaseException:  # the visitor has gone
            if not turn.begun.done():
                self._forget(turn)
            elif turn.begun.result():
                self._end(turn)
            raise
        finally:
            place.leave()
        if not has_begun:
            raise self._refusal()

    def _give_up(self, turn: _Turn) -> None:
        if not turn.begun.done():
            self._forget(turn)
            turn.begun.set_result(False)

    def _forget(self, turn: _Turn) -> None:
        networks = self._waiting[turn.near]
        del networks[turn.network][turn]
        if not networks[turn.network]:
            del networks[turn.network]
        if not networks:
            del self._waiting[turn.near]

    def _begin_waiting(self) -> None:
        while ready := [near for near in self._waiting if self._is_free_for(near)]:
            near = min(ready, key=self._near.__getitem__)
            networks = self._waiting.pop(near)
            network = min(networks, key=self._networks.__getitem__)
            turns = networks.pop(network)
            networks[network] = turns  # last now, as its neighbourhood: the others come first
            self._waiting[near] = networks
            turn = next(iter(turns))
            self._forget(turn)
            self._begin(turn)
