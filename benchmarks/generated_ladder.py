"""A ladder as it is after years: bots of known strength, and results drawn from that, written in bulk."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import numpy as np

from ladder.results.match_decisions import BINS
from ladder.results.standing import step_of
from ladder.store.all_tables import make_ladder
from ladder.store.models import NEWEST_LETTERS
from pigpen.rules import PRESETS
from referee.match.formats import DEFAULT_CLOCK
from referee.seats.verdict import Verdict

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    import numpy.typing as npt

VARIANT, SEATS, BOARDS = "hearts", 4, 4
DEALS = SEATS * BOARDS
SPREAD, JITTER, ANYBODY = 200.0, 40.0, 0.2
"""Elo between the bots, standard deviation of the scheduler's estimates in Elo, share of matches between any bots."""
FAULTY = 0.005
"""Seats with a fault."""
YEAR = 31_557_600.0
HISTORY = 20


@dataclass
class Results:
    """Results of the matches, by match and seat: (m, 4) arrays."""

    versions: npt.NDArray[np.int64]
    """Ids, from 1."""
    points: npt.NDArray[np.float64]
    """Points a deal on each board; more is better."""
    places: npt.NDArray[np.int64]
    faulty: npt.NDArray[np.bool_]
    earlier: npt.NDArray[np.int64]
    """Number of matches that the version had had before."""
    ratings: npt.NDArray[np.float64]
    """Elo before the match; after it, that before the next one."""


def generate(path: Path, bots: int, matches: int) -> None:
    """Write a ladder of *bots* bots and *matches* results to a file that does not exist yet."""
    make_ladder(f"sqlite:///{path}")
    rng = np.random.default_rng(6)
    drawn = _draw(rng, bots, matches)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for setting in ("synchronous=OFF", "journal_mode=OFF", "cache_size=-500000"):
            connection.execute(f"PRAGMA {setting}")
        # Quicker when everything is there.
        late = ("ix_seats_version_match", "ix_seats_version_matches", "ix_matches_variant")
        made = [
            connection.execute("SELECT sql FROM sqlite_master WHERE name = ?", [name]).fetchone()[0] for name in late
        ]
        for name in late:
            connection.execute(f"DROP INDEX {name}")
        connection.execute("BEGIN")
        _write_bots(connection, bots)
        _write_matches(connection, matches)
        _write_seats(connection, rng, drawn)
        _write_faults(connection, drawn)
        _write_ratings(connection, drawn, bots)
        _write_pairs(connection, drawn, bots)
        for statement in made:
            connection.execute(statement)
        _write_points(connection)
        connection.execute("COMMIT")


def _draw(rng: np.random.Generator, bots: int, matches: int) -> Results:
    """Draw results: neighbours in strength play, and now and then any bots; who wins is drawn from their strength."""
    strength = rng.normal(0.0, SPREAD, bots)
    tables = bots // SEATS
    rounds = []
    for number in range(-(-matches // tables)):
        wavering = SPREAD * 100 if number % round(1 / ANYBODY) == 0 else JITTER
        order = np.argsort(strength + rng.normal(0.0, wavering, bots))[: tables * SEATS].reshape(tables, SEATS)
        rounds.append(rng.permuted(order, axis=1))
    versions = np.concatenate(rounds)[:matches]
    luck = rng.gumbel(0.0, 1.0, versions.shape)
    play = strength[versions] * np.log(10) / 400 + luck
    places = np.argsort(np.argsort(-play, axis=1), axis=1) + 1
    order = np.argsort(versions, axis=None, kind="stable")  # by bot, then by time
    counts = np.bincount(versions.ravel(), minlength=bots)
    starts = np.cumsum(counts) - counts
    earlier = np.empty_like(versions)
    earlier.ravel()[order] = np.arange(versions.size) - np.repeat(starts, counts)
    ratings = 1500 + strength[versions] + rng.normal(0.0, 20.0, versions.shape) - 1000 / (earlier + 5)
    return Results(versions + 1, np.round(4 * play) / 4, places, rng.random(versions.shape) < FAULTY, earlier, ratings)


def _write_bots(connection: sqlite3.Connection, bots: int) -> None:
    ids = range(1, bots + 1)
    rules = json.dumps(PRESETS[VARIANT].to_plain())
    _insert(connection, "variants", ("name", "rules", "added"), [(VARIANT, rules, 0.0)])
    _insert(connection, "owners", ("id", "name", "added"), [(each, f"owner {each}", 0.0) for each in ids])
    _insert(connection, "bots", ("id", "name", "owner_id", "added"), [(each, f"bot {each}", each, 0.0) for each in ids])
    _insert(
        connection,
        "versions",
        ("id", "bot_id", "number", "identity", "sandbox", "source", "size", "added"),
        [(each, each, 1, f"sha256:{each:064x}", "docker", f"bot{each}", 10_000_000, 0.0) for each in ids],
    )


def _write_matches(connection: sqlite3.Connection, matches: int) -> None:
    clock = json.dumps(asdict(DEFAULT_CLOCK))
    times = np.linspace(0.0, YEAR, matches).tolist()
    _insert(
        connection,
        "matches",
        (
            "id", "variant", "format", "clock", "seed", "commitment", "status", "attempt", "failures", "added",
            "started", "finished", "ordinal", "deals", "reason", "record_kept", "rated_by",
        ),
        (
            (each, VARIANT, f"boards:{BOARDS}", clock, f"{each:064x}", f"{each:064x}", "done", 1, 0, time, time,
             time + 60.0, each, DEALS, "", 0, "boards")
            for each, time in enumerate(times, 1)
        ),
    )  # fmt: skip


def _write_seats(connection: sqlite3.Connection, rng: np.random.Generator, drawn: Results) -> None:
    count = drawn.versions.size
    after = _next_of_each(drawn)
    columns = (
        np.repeat(np.arange(1, count // SEATS + 1), SEATS), np.tile(np.arange(SEATS), count // SEATS),
        drawn.versions, drawn.places, rng.normal(6.5, 1.0, count), rng.random(count), drawn.faulty, drawn.faulty * 0,
        rng.random(count), 10 * rng.random(count), drawn.points, drawn.earlier, BOARDS * drawn.earlier, drawn.ratings,
        after,
    )  # fmt: skip
    names = (
        "match_id", "seat", "version_id", "place", "points_per_deal", "standard_error", "faults", "taken_over",
        "median_ms", "worst_ms", "board_points", "matches_before", "boards_before", "rating_before", "rating_after",
        "timed",
    )  # fmt: skip
    rows = zip(*(column.ravel().tolist() for column in columns), strict=True)
    board = names.index("board_points")
    on_boards = ((*row[:board], json.dumps([row[board]] * BOARDS), *row[board + 1 :], "cpu") for row in rows)
    _insert(connection, "seats", names, on_boards)


def _next_of_each(drawn: Results) -> npt.NDArray[np.float64]:
    order = np.argsort(drawn.versions, axis=None, kind="stable")
    ratings, versions = drawn.ratings.ravel()[order], drawn.versions.ravel()[order]
    following = np.append(ratings[1:], ratings[-1])
    last = np.append(versions[1:] != versions[:-1], True)
    after = np.empty_like(ratings)
    after[order] = np.where(last, ratings, following)
    return after


def _write_faults(connection: sqlite3.Connection, drawn: Results) -> None:
    at = np.argwhere(drawn.faulty)
    versions = drawn.versions[drawn.faulty].tolist()
    names = ("match_id", "seat", "version_id", "rotation", "place", "decision", "verdict", "why")
    rows = (
        (match + 1, seat, version, 0, "board 1", 7, Verdict.TIMEOUT, "it took 1.2 s")
        for (match, seat), version in zip(at.tolist(), versions, strict=True)
    )
    _insert(connection, "faults", names, rows)


def _write_ratings(connection: sqlite3.Connection, drawn: Results, bots: int) -> None:
    counts = np.bincount(drawn.versions.ravel(), minlength=bots + 1)
    faults = np.bincount(drawn.versions[drawn.faulty], minlength=bots + 1).tolist()
    places = np.zeros((bots + 1, SEATS), dtype=np.int64)
    np.add.at(places, (drawn.versions.ravel(), drawn.places.ravel() - 1), 1)
    seats = np.zeros((bots + 1, SEATS), dtype=np.int64)
    np.add.at(seats, (drawn.versions.ravel(), np.tile(np.arange(SEATS), len(drawn.versions))), 1)
    order = np.argsort(drawn.versions, axis=None, kind="stable")
    trajectories = np.split(_next_of_each(drawn)[order], np.cumsum(counts[1:])[:-1])
    names = (
        "variant", "version_id", "state", "since", "added", "reason", "suspensions", "rating", "matches", "boards",
        "deals", "points", "places", "seats", "decisions", "faults", "takeovers", "recent", "history",
    )  # fmt: skip
    rows = []
    for version, trajectory in enumerate(trajectories, 1):
        count = int(counts[version])
        history = trajectory[-HISTORY:].tolist()
        rows.append((
            VARIANT, version, "active", 0.0, 0.0, "", 0, history[-1], count, count * BOARDS, count * DEALS,
            count * DEALS * 6, json.dumps(places[version].tolist()), json.dumps(seats[version].tolist()),
            count * DEALS * 14, faults[version], 0, "." * 50, json.dumps(history),
        ))  # fmt: skip
    _insert(connection, "ratings", names, rows)
    histogram = json.dumps({phase: [12345] * BINS for phase in ("pass", "lead", "follow")})
    thinking = ((VARIANT, version, histogram) for version in range(1, bots + 1))
    _insert(connection, "think_times", ("variant", "version_id", "histogram"), thinking)


def _write_pairs(connection: sqlite3.Connection, drawn: Results, bots: int) -> None:
    keys, sums = [], []
    for one in range(SEATS):
        for other in range(one + 1, SEATS):
            first, second = drawn.versions[:, one], drawn.versions[:, other]
            is_low = first < second
            keys.append(np.minimum(first, second) * (bots + 1) + np.maximum(first, second))
            won = (drawn.places[:, one] < drawn.places[:, other]) == is_low
            lead = (drawn.points[:, one] - drawn.points[:, other]) * np.where(is_low, 1, -1)
            in_order = other == one + 1  # the first of the two sits right before the second
            are_neighbours = in_order or other - one == SEATS - 1
            low_first = is_low if in_order else ~is_low
            sums.append(
                [won, np.ones_like(won), are_neighbours & low_first, are_neighbours & ~low_first, lead, lead**2]
            )
    met, place = np.unique(np.concatenate(keys), return_inverse=True)
    newest = [""] * len(met)
    for ordinal, pairs in enumerate(place.reshape(len(keys), -1).T.tolist(), 1):
        for pair in pairs:
            newest[pair] = f"{ordinal},{newest[pair]}"[:NEWEST_LETTERS]
    wins, n, a_then_b, b_then_a, points, squares = (
        np.bincount(place, weights=np.concatenate(each), minlength=len(met)) for each in zip(*sums, strict=True)
    )
    columns = (
        met // (bots + 1),
        met % (bots + 1),
        wins,
        *(each.astype(int) for each in (n, a_then_b, b_then_a, BOARDS * n)),
        BOARDS * wins,
        np.zeros(len(met), dtype=int),
        *(BOARDS * each for each in (points, squares)),
    )
    rows = zip(*(column.tolist() for column in columns), newest, strict=True)
    names = (
        "variant", "a", "b", "boards", "score", "n", "a_then_b", "b_then_a", "boards_played", "board_score", "ties",
        "points", "squares", "newest",
    )  # fmt: skip
    _insert(connection, "pair_stats", names, ((VARIANT, a, b, BOARDS, *rest) for a, b, *rest in rows))


def _write_points(connection: sqlite3.Connection) -> None:
    """Write what charts show of the ratings: some of what the seats hold."""
    for version, matches in connection.execute("SELECT version_id, matches FROM ratings WHERE matches > 0").fetchall():
        connection.execute(
            "INSERT INTO rating_points SELECT matches.variant, version_id, matches_before + 1, matches.id, ordinal,"
            " finished, rating_after FROM seats JOIN matches ON matches.id = match_id"
            " WHERE version_id = ? AND matches_before % ? = 0",
            (version, step_of([matches])),
        )


def _insert(
    connection: sqlite3.Connection, table: str, names: Sequence[str], rows: Iterable[tuple[object, ...]]
) -> None:
    marks = ", ".join("?" * len(names))
    connection.executemany(f"INSERT INTO {table} ({', '.join(names)}) VALUES ({marks})", rows)
