"""
The tables of a ladder, to be used as `models.Bot`, `models.Match`, …: an owner has bots, a bot has versions, which
never change; a version is entered in variants, where it has a rating; a match has seats, and in each sits a version.

Times are Unix times in seconds, as floats, so that both databases compare them alike. Partial indices are in
`ladder.store.all_tables`.
"""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Any, ClassVar

from sqlalchemy import (
    JSON,
    BigInteger,
    CheckConstraint,
    ForeignKey,
    Index,
    MetaData,
    String,
    UniqueConstraint,
    false,
)
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

from ladder.entry.claims import skeleton
from ladder.values.names import NAME_LENGTH

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement

NAMES = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s",
    "pk": "pk_%(table_name)s",
}
"""Names of indices and constraints, so that migrations can find them."""


class Status(enum.StrEnum):
    """Progress of a match."""

    QUEUED = "queued"
    LEASED = "leased"
    DONE = "done"
    QUARANTINED = "quarantined"
    """It failed too often, never by a bot's fault; it is not played again."""


class State(enum.StrEnum):
    """State of a version in a variant."""

    ACTIVE = "active"
    SUSPENDED = "suspended"
    """It failed too often; it comes back after a while, or when the organiser says so."""
    RETIRED = "retired"
    """A newer version has taken its place, or its owner took it out."""


def _skeleton(context: Any) -> str:
    return skeleton(context.get_current_parameters()["name"])


def _since(context: Any) -> float:
    return float(context.get_current_parameters()["since"])


EVENT_PRIORITY, LADDER_PRIORITY = 0, 1
"""The priorities of matches: those of events are played first."""


class Base(DeclarativeBase):
    """Base class of the tables."""

    metadata = MetaData(naming_convention=NAMES)
    type_annotation_map: ClassVar[dict[Any, Any]] = {
        list[int]: JSON, list[float]: JSON, dict[str, Any]: JSON, list[list[list[int]]]: JSON,
    }  # fmt: skip


class LeasedRow:
    """A row of a queue: the columns of its lease (`ladder.store.leases`)."""

    id: Mapped[int] = mapped_column(primary_key=True)
    status: Mapped[str] = mapped_column(String(16))
    attempt: Mapped[int] = mapped_column(default=0)
    """Number of times that it has been leased; the fence: a result of another attempt comes too late."""
    failures: Mapped[int] = mapped_column(default=0)
    """Attempts in which the platform failed."""
    losses: Mapped[int] = mapped_column(default=0, server_default="0")
    """Attempts that did not fail and brought nothing: the holder ended, or the lease ran out."""
    holder: Mapped[str | None]
    """Process that leased it (`owners.this_process`)."""
    lease_until: Mapped[float | None]
    reason: Mapped[str] = mapped_column(default="")
    """Error of the last attempt that failed or was lost; of a row that has ended: the reason of the end."""


class Variant(Base):
    """A variant that this ladder plays; its rules stay what they were when the first bot was entered."""

    __tablename__ = "variants"

    name: Mapped[str] = mapped_column(String(NAME_LENGTH), primary_key=True)
    skeleton: Mapped[str | None] = mapped_column(unique=True, default=_skeleton)
    """The name as a reader sees it (`skeleton`); None: an older name, which looks like another one."""
    rules: Mapped[dict[str, Any]]
    """Field for field as in a rules file (`Rules.to_plain`)."""
    added: Mapped[float]
    shift: Mapped[float] = mapped_column(default=0.0, server_default="0")
    """Elo added to each rating where it is shown; never changed. Not 0 if they were once shown around a mean."""
    season: Mapped[int] = mapped_column(default=1, server_default="1")
    """The number of the season that is played now (`ladder.store.commands.seasons`)."""
    season_name: Mapped[str] = mapped_column(String(NAME_LENGTH), default="1", server_default="1")
    season_began: Mapped[float | None]
    """Unix time; None: the first season, which began when the variant was added."""
    season_start: Mapped[int] = mapped_column(default=0, server_default="0")
    """The last result of the ladder before this season: those of the season have greater ordinals."""
    clock: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True))
    """`pigpen.ClockSetting` of the season, field for field; None: no match of it has been scheduled."""


class FinishedSeason(Base):
    """A season of a variant that is over, with its standings as they were printed; never changed."""

    __tablename__ = "seasons"
    __table_args__ = (UniqueConstraint("variant", "name"),)

    variant: Mapped[str] = mapped_column(ForeignKey("variants.name"), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True)
    """1 for the first one."""
    name: Mapped[str] = mapped_column(String(NAME_LENGTH))
    began: Mapped[float]
    ended: Mapped[float]
    after: Mapped[int]
    """The last result of the ladder before it."""
    last: Mapped[int]
    """Its last result."""
    clock: Mapped[dict[str, Any]]
    """As in `Variant`."""
    rules: Mapped[dict[str, Any]]
    """As in `Variant`."""
    standings: Mapped[dict[str, Any]]
    """`ladder.values.standings.Standings`, field for field, with suspended and retired versions."""


class Owner(Base):
    """A person or group that enters bots."""

    __tablename__ = "owners"

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(NAME_LENGTH), unique=True)
    skeleton: Mapped[str | None] = mapped_column(unique=True, default=_skeleton)
    """As in `Variant`."""
    added: Mapped[float]
    renamed: Mapped[float | None]
    """Unix time of the last change of its name; None: it has the first one."""
    leftover: Mapped[bool] = mapped_column(default=False, server_default=false())
    """True if its account was deleted, and files of its bots are still there."""


class StoredBot(Base):
    """A bot: a name and an owner; what plays is one of its versions."""

    __tablename__ = "bots"

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(NAME_LENGTH), unique=True)
    skeleton: Mapped[str | None] = mapped_column(unique=True, default=_skeleton)
    """As in `Variant`."""
    owner_id: Mapped[int] = mapped_column(ForeignKey("owners.id"), index=True)
    added: Mapped[float]
    tables: Mapped[bool] = mapped_column(default=False, server_default=false())
    """True if its owner lets people play with it."""


class Version(Base):
    """The exact program that plays: an image by its id, or a folder by the hash of its content. Never changed."""

    __tablename__ = "versions"
    __table_args__ = (UniqueConstraint("bot_id", "number"), UniqueConstraint("bot_id", "identity"))

    id: Mapped[int] = mapped_column(primary_key=True)
    bot_id: Mapped[int] = mapped_column(ForeignKey("bots.id"))
    number: Mapped[int]
    """1 for the bot's first version."""
    identity: Mapped[str]
    """`Program.identity`: ``sha256:`` and 64 hex digits."""
    sandbox: Mapped[str]
    """Sandbox in which it can run: ``docker`` or ``process``."""
    source: Mapped[str]
    """Folder or image that was submitted, in the owner's words: a folder's name, or an image reference."""
    pinned: Mapped[str | None]
    """Reference by which a machine without the image gets exactly this one: ``registry/name@sha256:…``; None: none."""
    size: Mapped[int] = mapped_column(BigInteger)
    """Bytes of the image, or of the folder."""
    lock: Mapped[str | None]
    """Packages by its requirements.txt, with their hashes (`ladder.sandbox.wheels.requirements`); None: none."""
    can_fork: Mapped[bool] = mapped_column(server_default=false())
    """True if its instances can be forked in warm containers: its image is a base of ours and files."""
    added: Mapped[float]


class Rating(Base):
    """A version in a variant: how it stands, materialised in the transaction of each result."""

    __tablename__ = "ratings"
    __table_args__ = (
        CheckConstraint("state IN ('active', 'suspended', 'retired')", name="state"),
        Index("ix_ratings_version", "version_id"),
        Index("ix_ratings_added", "added"),
    )

    variant: Mapped[str] = mapped_column(ForeignKey("variants.name"), primary_key=True)
    version_id: Mapped[int] = mapped_column(ForeignKey("versions.id"), primary_key=True)
    state: Mapped[str] = mapped_column(String(16), default=State.ACTIVE)
    since: Mapped[float]
    """Unix time at which it got this state."""
    added: Mapped[float] = mapped_column(default=_since)
    """Unix time at which the version was entered in the variant."""
    reason: Mapped[str] = mapped_column(default="")
    """Reason for this state, for its owner."""
    suspensions: Mapped[int] = mapped_column(default=0)
    """Number of times that the ladder has suspended it; each time it waits twice as long."""
    rating: Mapped[float]
    """Elo; where it is shown, `Variant.shift` is added. Only a match of its own changes it."""
    matches: Mapped[int] = mapped_column(default=0)
    boards: Mapped[int] = mapped_column(default=0, server_default="0")
    """Of all its matches together, as they were rated."""
    deals: Mapped[int] = mapped_column(default=0)
    points: Mapped[int] = mapped_column(BigInteger, default=0)
    """In all deals together, as the variant counts them."""
    places: Mapped[list[int]] = mapped_column(default=list)
    """Number of matches in which its side came first, second, …; of two teams one is first or second."""
    seats: Mapped[list[int]] = mapped_column(default=list)
    """Number of matches in which it was bot number 0, 1, …."""
    decisions: Mapped[int] = mapped_column(default=0)
    faults: Mapped[int] = mapped_column(default=0)
    takeovers: Mapped[int] = mapped_column(default=0)
    """In how many matches the default policy took its seat over."""
    recent: Mapped[str] = mapped_column(String(64), default="")
    """For each of the last matches since it last resumed play, newest last: ``x`` if it failed, ``a`` if it
    took its seat at no table, ``.`` if neither."""
    history: Mapped[list[float]] = mapped_column(default=list)
    """Its rating after each of the last matches, newest last, and at first the one that it began with: the trend."""
    error: Mapped[float | None]
    """Half the width of the 95 % interval, from the last batch estimate; None before the first one."""
    rank_low: Mapped[int | None]
    rank_high: Mapped[int | None]
    margin: Mapped[float | None]
    """Points a deal by which it is better than the mean of those that play, from the last fit of points."""
    margin_error: Mapped[float | None]
    """Half the width of the 95 % interval."""
    margin_rank_low: Mapped[int | None]
    margin_rank_high: Mapped[int | None]
    outplaced_by: Mapped[int | None] = mapped_column(ForeignKey("versions.id"))
    """The best version that surely has better places and surely wins fewer points; None if there is none."""


class RatingPoint(Base):
    """
    A rating of a version after one of its matches, as a chart of its ratings shows it: derived from its seats.

    Of many matches there is every second one, or fourth, … (`ladder.results.standing`).
    """

    __tablename__ = "rating_points"
    __table_args__ = ({"sqlite_with_rowid": False},)

    variant: Mapped[str] = mapped_column(ForeignKey("variants.name"), primary_key=True)
    version_id: Mapped[int] = mapped_column(ForeignKey("versions.id"), primary_key=True)
    matches: Mapped[int] = mapped_column(primary_key=True)
    """Number of its rated matches up to then, this one included."""
    match_id: Mapped[int] = mapped_column(ForeignKey("matches.id"))
    ordinal: Mapped[int]
    finished: Mapped[float]
    """As in the match."""
    rating: Mapped[float]


class ThinkTimes(Base):
    """Think times of a version, by phase."""

    __tablename__ = "think_times"

    variant: Mapped[str] = mapped_column(ForeignKey("variants.name"), primary_key=True)
    version_id: Mapped[int] = mapped_column(ForeignKey("versions.id"), primary_key=True)
    histogram: Mapped[dict[str, Any]]
    """By phase: how many decisions fell in each bin (`ladder.results.match_decisions`)."""


class StoredEvent(Base):
    """An event; what belongs to it is in `ladder.store.event_models`."""

    __tablename__ = "events"
    __table_args__ = (CheckConstraint("state IN ('open', 'frozen', 'running', 'paused', 'over')", name="state"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(NAME_LENGTH), unique=True)
    """In its address."""
    file: Mapped[str]
    """Its TOML file."""
    variant: Mapped[str] = mapped_column(ForeignKey("variants.name"))
    seed: Mapped[str] = mapped_column(String(64))
    """Hex; secret until the event is over."""
    commitment: Mapped[str] = mapped_column(String(64))
    """SHA-256 of the seed; public from the beginning."""
    rules: Mapped[dict[str, Any]]
    """Those of its variant when it was opened; a later season may have others."""
    entrants_hash: Mapped[str | None] = mapped_column(String(64))
    """SHA-256 of the list of entrants; None: they are not frozen yet."""
    stand_in_id: Mapped[int | None] = mapped_column(ForeignKey("versions.id"))
    """The version that fills tables; None: not frozen yet."""
    stand_in: Mapped[str] = mapped_column(default="")
    """Its name at the freeze."""
    stand_in_identity: Mapped[str] = mapped_column(default="")
    beacon_value: Mapped[str | None]
    """Value of the public beacon that its file names; None: not known yet, or there is none."""
    contributions: Mapped[str | None] = mapped_column(String(64))
    """SHA-256 of what others than the organiser have contributed to its chance; None: it has not started."""
    state: Mapped[str] = mapped_column(String(16), index=True)
    reason: Mapped[str] = mapped_column(default="")
    """Reason that it is paused, or held."""
    unlisted: Mapped[list[dict[str, Any]]] = mapped_column(JSON, default=list)
    """Bots that had entered and are not on the list, `ladder.values.held_events.EventUnlisted`, field for field."""
    on_hold: Mapped[bool] = mapped_column(default=False)
    """True if the times of its file do nothing, until its organiser freezes or starts it."""
    opened: Mapped[float]
    frozen: Mapped[float | None]
    started: Mapped[float | None]
    finished: Mapped[float | None]
    announced: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True))
    """Public course about which messages have been written (`ladder.events.held.PublicCourse`); None: nothing."""
    results_at: Mapped[float | None]
    """Unix time at which all results were public; None: they are not, or a ruling has reopened it."""
    official: Mapped[float | None]
    """Unix time from which nothing changes any more; None: not yet."""
    last_match: Mapped[int | None]
    """The largest number that is reserved for its matches; None: they are numbered like all others."""


class StoredMatch(LeasedRow, Base):
    """A match: what is to be played, and how far it has come. This table is the queue."""

    __tablename__ = "matches"
    __table_args__ = (
        CheckConstraint("status IN ('queued', 'leased', 'done', 'quarantined')", name="status"),
        Index("ix_matches_variant", "variant", "ordinal"),
        {"sqlite_autoincrement": True},  # no number is used again: the commitment of its seed has been published
    )

    variant: Mapped[str] = mapped_column(ForeignKey("variants.name"))
    format: Mapped[str] = mapped_column(String(32))
    """As in a record: ``boards:4``."""
    boards: Mapped[int] = mapped_column(server_default="4")
    """Boards by which it is rated: those of its format; 4 if it was scheduled before ratings knew of them."""
    clock: Mapped[dict[str, Any]]
    """`pigpen.ClockSetting`, field for field."""
    seed: Mapped[str] = mapped_column(String(64))
    """Hex; secret until the match is done."""
    commitment: Mapped[str] = mapped_column(String(64))
    """SHA-256 of the seed; public from the beginning."""
    status: Mapped[str] = mapped_column(String(16), default=Status.QUEUED)
    added: Mapped[float]
    started: Mapped[float | None]
    """Unix time at which it was leased last."""
    finished: Mapped[float | None]
    event_id: Mapped[int | None] = mapped_column(ForeignKey("events.id"))
    """The event that it belongs to; None: it is the ladder's own."""
    priority: Mapped[int] = mapped_column(default=LADDER_PRIORITY, server_default=str(LADDER_PRIORITY))
    """Matches of a lower number are leased first."""
    sealed: Mapped[bool] = mapped_column(default=False, server_default=false())
    """True while only the organiser may know of it (`visible_matches`)."""
    ordinal: Mapped[int | None] = mapped_column(unique=True)
    """Number of this result of the ladder, from 1: ratings follow from the results in this order. None: of an event."""
    deals: Mapped[int | None]
    rated_by: Mapped[str | None] = mapped_column(String(8))
    """Basis of its Elo: the places on its ``boards`` or in the ``match`` (`RatedBy`)."""
    starting_seconds: Mapped[float | None]
    """Wall time in which its bots started and were cleared away, all tables added up; None: not measured."""
    playing_seconds: Mapped[float | None]
    """Wall time of all its deals."""
    worker: Mapped[str | None]
    """The worker on another machine that has played it; None: it was played on the coordinator's machine."""
    record_kept: Mapped[bool] = mapped_column(default=False)
    """True while its record is there (the retention setting removes old ones)."""


def visible_matches() -> ColumnElement[bool]:
    """Give the condition of matches that the public may know of; every query that the public sees has it."""
    return StoredMatch.sealed.is_(False)


class StoredSeat(Base):
    """A bot's seat in a match, and, once the match is done, its result."""

    __tablename__ = "seats"
    __table_args__ = (
        Index("ix_seats_version_match", "version_id", "match_id"),
        {"sqlite_with_rowid": False},
    )

    match_id: Mapped[int] = mapped_column(ForeignKey("matches.id"), primary_key=True)
    seat: Mapped[int] = mapped_column(primary_key=True)
    """The bot's number in the match."""
    version_id: Mapped[int] = mapped_column(ForeignKey("versions.id"))
    place: Mapped[int | None]
    points_per_deal: Mapped[float | None]
    board_points: Mapped[list[float] | None]
    """On each board, as it is rated (`BotSummary.board_points`)."""
    standard_error: Mapped[float | None]
    faults: Mapped[int | None]
    taken_over: Mapped[bool | None]
    timed: Mapped[str | None] = mapped_column(String(8))
    """``cpu`` or ``wall``."""
    median_ms: Mapped[float | None]
    worst_ms: Mapped[float | None]
    matches_before: Mapped[int | None]
    """Number of rated matches that it had had."""
    boards_before: Mapped[int | None]
    """Number of boards of those: gives K."""
    rating_before: Mapped[float | None]
    rating_after: Mapped[float | None]


NEWEST_LETTERS = 480
"""Letters that `PairStats.newest` may have at most: 40 numbers of 11 digits, and more of shorter ones."""


class PairStats(Base):
    """Results of two versions against each other in matches of one length, *a* having the lower id."""

    __tablename__ = "pair_stats"
    __table_args__ = (Index("ix_pair_stats_b", "variant", "b"), {"sqlite_with_rowid": False})

    variant: Mapped[str] = mapped_column(ForeignKey("variants.name"), primary_key=True)
    a: Mapped[int] = mapped_column(ForeignKey("versions.id"), primary_key=True)
    b: Mapped[int] = mapped_column(ForeignKey("versions.id"), primary_key=True)
    boards: Mapped[int] = mapped_column(primary_key=True)
    """Boards of those matches (`StoredMatch.boards`)."""
    score: Mapped[float]
    """Matches in which a was placed before b; equal places count one half."""
    n: Mapped[int]
    """Matches together, on different sides."""
    a_then_b: Mapped[int]
    """Number of times that b sat right after a, by their numbers in a match, the first after the last."""
    b_then_a: Mapped[int]
    boards_played: Mapped[int] = mapped_column(default=0)
    """Boards of those matches whose points are known."""
    board_score: Mapped[float] = mapped_column(default=0.0)
    """Of them those on which a was placed before b; equal places count one half."""
    ties: Mapped[int] = mapped_column(default=0)
    """Of them those on which their places were equal."""
    points: Mapped[float] = mapped_column(default=0.0)
    """By how many points a deal a was better than b, added up over those boards."""
    squares: Mapped[float] = mapped_column(default=0.0)
    """The squares of those, added up."""
    newest: Mapped[str] = mapped_column(default="")
    """
    `StoredMatch.ordinal` of the newest of those matches, each with a comma behind it, the newest first.

    What does not fit into `NEWEST_LETTERS` is left out, so that the last one may be cut off: it has no comma then.
    """


class StoredFault(Base):
    """One thing that was held against a bot in a match that counts."""

    __tablename__ = "faults"
    __table_args__ = (Index("ix_faults_version_match", "version_id", "match_id"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    match_id: Mapped[int] = mapped_column(ForeignKey("matches.id"), index=True)
    seat: Mapped[int]
    version_id: Mapped[int] = mapped_column(ForeignKey("versions.id"))
    rotation: Mapped[int]
    """Number of the table."""
    place: Mapped[str]
    """The deal, as people call it."""
    decision: Mapped[int]
    """The bot's decision at its table, from 1; its output names it too."""
    verdict: Mapped[str] = mapped_column(String(16))
    why: Mapped[str]
    exit_code: Mapped[int | None]
    oom: Mapped[bool | None]


class VoidAttempt(Base):
    """An attempt at a match that was void though the platform worked."""

    __tablename__ = "void_attempts"
    __table_args__ = (Index("ix_void_attempts_variant", "variant", "at"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    match_id: Mapped[int] = mapped_column(ForeignKey("matches.id"))
    variant: Mapped[str] = mapped_column(ForeignKey("variants.name"))
    at: Mapped[float]
    version_id: Mapped[int | None] = mapped_column(ForeignKey("versions.id"))
    """Version whose container was lost; None: it was void for another reason."""


class StateChange(Base):
    """A suspension, return or retirement of a version, with time and reason."""

    __tablename__ = "state_changes"
    __table_args__ = (Index("ix_state_changes_version", "version_id", "id"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    variant: Mapped[str] = mapped_column(ForeignKey("variants.name"))
    version_id: Mapped[int] = mapped_column(ForeignKey("versions.id"))
    at: Mapped[float]
    state: Mapped[str] = mapped_column(String(16))
    by: Mapped[str] = mapped_column(String(16))
    """``ladder``, ``owner``, ``organiser``, or ``platform``: its program was missing."""
    reason: Mapped[str]


class StoredEstimate(Base):
    """The last fits of a variant, of places and of points; derived, so they may be thrown away."""

    __tablename__ = "estimates"

    variant: Mapped[str] = mapped_column(ForeignKey("variants.name"), primary_key=True)
    ordinal: Mapped[int]
    """The last result that it knows."""
    fit: Mapped[bytes]
    """`ladder.ratings.batch.Estimate.to_bytes`."""
    margins: Mapped[bytes | None]
    """Likewise the fit of points; None while there are too few boards."""
    circles: Mapped[list[list[list[int]]]] = mapped_column(default=list)
    """`ladder.ratings.circles.Circle`, the surest first: of each step version, boards ahead, boards behind."""
