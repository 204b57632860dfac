"""Number of times that one version sat right after another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING

from sqlalchemy import bindparam, func, select

from ladder.store import models

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from sqlalchemy.orm import Session

_MET = select(
    func.coalesce(func.sum(models.PairStats.a_then_b), 0), func.coalesce(func.sum(models.PairStats.b_then_a), 0)
).where(
    models.PairStats.variant == bindparam("variant_"),
    models.PairStats.a == bindparam("a_"),
    models.PairStats.b == bindparam("b_"),
)


class Neighbours(Mapping[tuple[int, int], int]):
    """
    Number of times that one version sat right after another, also in matches still to be played; 0 where it never did.

    Looked up when it is asked for: there are as many pairs as bots by bots, and a table needs to know of a few.
    """

    def __init__(self, session: Session, variant: str, pending: Iterable[Sequence[int]]) -> None:
        """
        Create a mapping that reads from a transaction.

        Args:
            session: The transaction.
            variant: Which variant.
            pending: Its tables that are still to be played: versions by number of the bot.
        """
        self._session = session
        self._variant = variant
        self._pending = Counter(pair for table in pending for pair in zip(table, (*table[1:], table[0]), strict=True))
        self._recorded: dict[tuple[int, int], int] = {}

    def __getitem__(self, pair: tuple[int, int]) -> int:
        if pair not in self._recorded:
            a, b = sorted(pair)
            row = self._session.execute(_MET, {"variant_": self._variant, "a_": a, "b_": b}).one()
            self._recorded[a, b], self._recorded[b, a] = (int(count) for count in row)
        return self._recorded[pair] + self._pending[pair]

    def __iter__(self) -> Iterator[tuple[int, int]]:
        found = self._session.execute(select(models.PairStats.a, models.PairStats.b).filter_by(variant=self._variant))
        met = {pair for a, b in found for pair in ((a, b), (b, a))}
        return iter(met | set(self._pending))

    def __len__(self) -> int:
        return sum(1 for _ in self)
