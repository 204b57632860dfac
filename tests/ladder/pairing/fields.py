"""Bots to be paired, and what is known of them."""

from __future__ import annotations

import math
from collections import Counter
from random import Random
from typing import TYPE_CHECKING

import numpy as np

from ladder.pairing.information import Information
from ladder.pairing.scheduler import Entrant, PairingAims, next_matches
from ladder.ratings.batch import pair_weight

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ladder.pairing.scheduler import DisjointSets

Table = tuple[int, ...]


def entrant(version: int, matches: int = 100, owner: int | None = None) -> Entrant:
    return Entrant(version, version, version if owner is None else owner, matches, ())


def field(count: int, matches: int = 100) -> list[Entrant]:
    """Bots of different owners."""
    return [entrant(version, matches) for version in range(count)]


def knowledge(
    entrants: Sequence[Entrant], ratings: Mapping[int, float] | None = None, error: float = 40.0, players: int = 4
) -> Information:
    """
    Give the knowledge about bots that have played 260² / error² matches, by their number.

    Args:
        entrants: Them.
        ratings: By version; what is missing is 30 less than that of the version before it.
        error: The standard error of each rating of one that has had 100 matches; of others, by their matches.
        players: Seats at a table.
    """
    versions = sorted(one.version for one in entrants)
    matches = {one.version: one.matches for one in entrants}
    values = [(ratings or {}).get(version, 2000.0 - 30.0 * version) for version in versions]
    errors = np.array([min(200.0, error * math.sqrt(100 / max(1, matches[version]))) for version in versions])
    return Information(versions, np.array(values), np.diag(errors**2), pair_weight(players))


def planned(
    entrants: list[Entrant],
    count: int,
    players: int = 4,
    partners: bool = False,
    seed: int = 1,
    known: Information | None = None,
    sets: DisjointSets | None = None,
    aims: PairingAims | None = None,
) -> list[Table]:
    known = knowledge(entrants, players=2 if partners else players) if known is None else known
    return next_matches(
        entrants, known, {}, players, partners, Random(seed), count, sets, aims=aims or PairingAims(newcomer_error=150)
    )


def followers(tables: list[Table]) -> Counter[tuple[int, int]]:
    return Counter(pair for table in tables for pair in zip(table, (*table[1:], table[0]), strict=True))


def seats_of(tables: list[Table]) -> Counter[tuple[int, int]]:
    return Counter((version, seat) for table in tables for seat, version in enumerate(table))
