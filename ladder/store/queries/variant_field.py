"""
Field of a variant: all that are entered there.

Each process reads it once for each revision of the standings. A second revision is that of the data that pages show: it
changes whenever they do.
"""

from __future__ import annotations

from bisect import bisect_left
from heapq import merge, nlargest
from typing import TYPE_CHECKING, NamedTuple
from weakref import WeakKeyDictionary

from sqlalchemy import bindparam, column, func, select, table

from ladder.entry.house_bots import HOUSE_BOTS
from ladder.pairing.missing import missing_beside_house_bots, missing_owners
from ladder.store.core_tables import (
    ANNOUNCEMENT,
    BOT,
    CHANGE,
    DEADLINE,
    ESTIMATE,
    MATCH,
    OWNER,
    RATING,
    VARIANT,
    VERSION,
    connection_of,
)
from ladder.store.models import State, Status, visible_matches
from referee.records.rules_file import rules_from

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from sqlalchemy.orm import Session

GROUP = table("account_groups", column("changed"))
"""In short: the tables of accounts take long to declare, and every command needs this module."""
IS_LEASED = (MATCH.c.status == Status.LEASED) & visible_matches()
OF_STANDINGS = (
    select(func.max(MATCH.c.ordinal)).scalar_subquery(),
    select(func.max(CHANGE.c.id)).scalar_subquery(),
    select(func.max(VERSION.c.id)).scalar_subquery(),
    select(func.count()).select_from(RATING).scalar_subquery(),
    select(func.sum(ESTIMATE.c.ordinal)).scalar_subquery(),
    select(func.sum(func.length(ESTIMATE.c.fit))).scalar_subquery(),
    select(func.sum(VARIANT.c.season)).scalar_subquery(),
)
STANDINGS = select(*OF_STANDINGS)
EVERYTHING = select(
    *OF_STANDINGS,
    select(func.max(MATCH.c.id)).where(visible_matches()).scalar_subquery(),
    select(func.count()).where(IS_LEASED).scalar_subquery(),
    select(func.max(MATCH.c.started)).where(IS_LEASED).scalar_subquery(),
    select(func.max(ANNOUNCEMENT.c.id)).scalar_subquery(),
    select(func.count()).select_from(ANNOUNCEMENT).scalar_subquery(),
    select(func.sum(DEADLINE.c.at)).scalar_subquery(),
    select(func.count()).select_from(DEADLINE).scalar_subquery(),
    select(func.sum(GROUP.c.changed)).scalar_subquery(),
    select(func.count()).select_from(GROUP).scalar_subquery(),
    select(func.max(OWNER.c.renamed)).scalar_subquery(),
)


def standings_revision(session: Session) -> tuple[int | None, ...]:
    """Read figures of which one changes whenever any standings do: a few looks into indices."""
    return tuple(connection_of(session).execute(STANDINGS).one())


def revision(session: Session) -> str:
    """Give a text that changes whenever anything changes that a page shows; it takes a few looks into indices."""
    return " ".join(str(value) for value in connection_of(session).execute(EVERYTHING).one())


_KEPT: WeakKeyDictionary[object, dict[str, tuple[tuple[int | None, ...], VariantField]]] = WeakKeyDictionary()
"""By database and variant: the revision in which the field was read, and the field; 0.5 MB for 1,000 bots."""


class Entry(NamedTuple):
    """A version in a variant."""

    version: int
    """Its id."""
    number: int
    bot: str
    owner: int
    """The owner's id."""
    state: str
    rating: float
    """Not shifted."""
    margin: float | None
    matches: int


ENTRIES = (
    select(
        VERSION.c.id, VERSION.c.number, BOT.c.name, BOT.c.owner_id,
        RATING.c.state, RATING.c.rating, RATING.c.margin, RATING.c.matches,
    )
    .select_from(
        RATING.join(VERSION, VERSION.c.id == RATING.c.version_id).join(BOT, BOT.c.id == VERSION.c.bot_id)
    )
    .where(RATING.c.variant == bindparam("variant_"))
)  # fmt: skip
SETTINGS = select(VARIANT.c.name, VARIANT.c.rules, VARIANT.c.shift).where(VARIANT.c.name == bindparam("variant_"))


class VariantField:
    """A variant and all that are entered there, by which each of them is ranked and shown. Never changed."""

    def __init__(self, variant: str, rules: dict[str, Any], shift: float, entries: Iterable[Entry]) -> None:
        """
        Sort them.

        Args:
            variant: Its name.
            rules: As the variant has them in the store.
            shift: What to add to each rating where it is shown.
            entries: All of them, in any order.
        """
        self.variant = variant
        self.shift = shift
        self.sides = sides_of(rules)
        read = rules_from(rules)
        self.title, self.low_is_better = read.title, read.low_is_better
        self.entries = {entry.version: entry for entry in entries}
        active = [entry for entry in self.entries.values() if entry.state == State.ACTIVE]
        self.active = len(active)
        self.missing_owners = missing_owners(len({entry.owner for entry in active}), self.sides)
        playing = {entry.bot for entry in self.entries.values() if entry.state != State.RETIRED}
        self._house_bots = len(HOUSE_BOTS.keys() - playing)
        self._owners = len({entry.owner for entry in active if entry.bot not in HOUSE_BOTS})
        self.matches = sum(entry.matches for entry in self.entries.values()) // self.sides
        self._ratings = sorted(-entry.rating for entry in active)
        self._margins = sorted(-entry.margin for entry in active if entry.margin is not None)
        self._by_rating: dict[bool, tuple[list[tuple[float, int]], list[tuple[float, int]]]] = {}

    def missing(self, house_bots: bool) -> int:
        """Count the owners that are missing for a match; with *house_bots*, those that these do not stand in for."""
        if not house_bots:
            return self.missing_owners
        return missing_beside_house_bots(self.missing_owners, self._owners, self._house_bots)

    def rank(self, rating: float) -> int:
        """Give the rank of an active version with that rating, not shifted, from 1; equal ratings share it."""
        return 1 + bisect_left(self._ratings, -rating)

    def margin_rank(self, margin: float) -> int:
        """Give the rank by margin likewise."""
        return 1 + bisect_left(self._margins, -margin)

    def best(self, first: int) -> list[Entry]:
        """Give the active versions of the highest ratings, that many at most."""
        active = (entry for entry in self.entries.values() if entry.state == State.ACTIVE)
        return nlargest(first, active, key=lambda entry: (entry.rating, -entry.version))

    def nearest(self, version: int) -> Iterator[int]:
        """Yield the other versions, by id: the active ones first, then the nearest in rating."""
        own = self.entries[version].rating
        for is_active in (True, False):
            up, down = self._sorted(is_active)
            above = ((rating - own, other) for rating, other in _from(up, (own, 0)))
            below = ((own + rating, other) for rating, other in _from(down, (-own, 1 << 63)))
            yield from (other for _, other in merge(above, below) if other != version)

    def distance(self, version: int, other: int) -> tuple[bool, float, int]:
        """Give what `nearest` sorts by."""
        one = self.entries[other]
        return one.state != State.ACTIVE, abs(one.rating - self.entries[version].rating), other

    def _sorted(self, is_active: bool) -> tuple[list[tuple[float, int]], list[tuple[float, int]]]:
        """Sort ratings with ids, and the negated ratings with ids."""
        if is_active not in self._by_rating:
            some = [entry for entry in self.entries.values() if (entry.state == State.ACTIVE) == is_active]
            self._by_rating[is_active] = (
                sorted((entry.rating, entry.version) for entry in some),
                sorted((-entry.rating, entry.version) for entry in some),
            )
        return self._by_rating[is_active]


def field_of(session: Session, variant: str) -> VariantField:
    """
    Give the field of a variant, as a transaction sees it.

    Args:
        session: A transaction.
        variant: The name of a variant that the ladder plays.
    """
    if session.connection().get_execution_options().get("writes"):
        return _read(session, variant)  # what it sees may never be committed
    fields, revision = _KEPT.setdefault(session.get_bind(), {}), standings_revision(session)
    kept = fields.get(variant)
    if kept is None or kept[0] != revision:
        kept = fields[variant] = revision, _read(session, variant)
    return kept[1]


def sides_of(rules: dict[str, Any]) -> int:
    """Say how many win or lose each for itself: partners count as one."""
    players = int(rules["players"])
    return players // 2 if rules.get("partners") else players


def _read(session: Session, variant: str) -> VariantField:
    connection, wanted = connection_of(session), {"variant_": variant}
    settings = connection.execute(SETTINGS, wanted).one()
    entries = connection.execute(ENTRIES, wanted)
    return VariantField(*settings, [Entry(*row) for row in entries])


def _from(values: list[tuple[float, int]], first: tuple[float, int]) -> Iterator[tuple[float, int]]:
    """Yield the sorted values from the first one on that is not smaller."""
    for place in range(bisect_left(values, first), len(values)):
        yield values[place]
