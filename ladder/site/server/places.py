"""
Places that visitors share: connections, streams, turns that they wait for.

While places are free, a visitor takes as many as it likes. When all are taken they are shared fairly, as tables are
(`ladder.people.tables.opening`): those who have the most lose one before a visitor with fewer is refused.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from anyio import CancelScope, CapacityLimiter, to_thread

from ladder.entry.networks import neighbourhood_of, network_of
from ladder.errors import Busy

if TYPE_CHECKING:
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


class Turns:
    """Slow work that visitors ask for: a few at once, in threads of its own; the others wait."""

    def __init__(self, at_once: int, max_waiting: int, sentence: str) -> None:
        """
        Prepare.

        Args:
            at_once: Number of threads.
            max_waiting: Number of places for those who wait.
            sentence: Said to a visitor for whom there is no place.
        """
        self._limiter = CapacityLimiter(at_once)
        self._waiting = SharedPlaces(max_waiting)
        self._sentence = sentence

    async def do(self, address: str, work: Callable[[], T]) -> T:
        """
        Do some work in a thread, when it is its turn.

        Args:
            address: Where the visitor comes from.
            work: What is to be done; once begun, it comes to its end.

        Raises:
            Busy: If too many wait, and no other visitors have more of those places.
        """
        turn = object()
        await self._wait(address, turn)
        try:
            return await to_thread.run_sync(work, limiter=CapacityLimiter(1))
        finally:
            self._limiter.release_on_behalf_of(turn)

    async def _wait(self, address: str, turn: object) -> None:
        has_turn = False
        with CancelScope() as scope:
            place = self._waiting.take(address, scope.cancel)
            if place is None:
                raise Busy(self._sentence)
            try:
                await self._limiter.acquire_on_behalf_of(turn)
                has_turn = True
            finally:
                place.leave()
        if not has_turn:
            raise Busy(self._sentence)
