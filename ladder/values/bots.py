"""Bots: all of them in a list, and one of them in detail."""

from __future__ import annotations

from pydantic import Field

from ladder.values.standings import StandingRow
from ladder.values.value import Time, Value


class BotEntry(Value):
    """A version in a variant."""

    variant: str
    version: int
    """Its number among the versions of the bot."""
    state: str
    """`active`, `suspended` or `retired`."""
    since: Time
    """Time at which it got this state."""
    reason: str


class BotRow(Value):
    """A bot."""

    bot: str
    owner: str
    added: Time
    newest: int
    """The number of its newest version."""
    entries: tuple[BotEntry, ...]
    """Its versions that play or are suspended; in a variant without one, the newest version that has retired there."""
    people: bool
    """True if its owner lets people play with it."""


class BotList(Value):
    """Some of the bots, by name."""

    bots: tuple[BotRow, ...]
    next: str | None
    """Value of `after` to read on; None at the end."""


class VersionRow(Value):
    """One version of the bot."""

    number: int
    added: Time
    identity: str
    """Image id, or hash of a folder's content."""
    sandbox: str
    source: str
    """Folder or image that was submitted, in the owner's words."""
    pinned: str | None
    """The image reference by digest; None: only this engine has it."""
    size: int
    """Bytes."""
    lock: str | None
    """Its packages with their hashes, fit to be a requirements.lock; None: it has none."""
    can_fork: bool
    """True if its instances are forked in warm containers, where the setting `instances` allows that."""
    entries: tuple[BotEntry, ...]


class FaultRow(Value):
    """One fault of the bot."""

    match: int
    variant: str
    rotation: int
    """From 1; in a match without boards, 1."""
    place: str
    """The deal, as people call it."""
    decision: int
    why: str
    exit_code: int | None
    oom: bool | None


class FaultKind(Value):
    """The bot's faults of one verdict, in all variants."""

    verdict: str
    count: int
    newest: tuple[FaultRow, ...]


class Change(Value):
    """A change of its state, with time and reason."""

    variant: str
    at: Time
    state: str
    by: str
    """`ladder`, `owner`, `organiser`, or `platform`: its program was missing."""
    reason: str


class Opponent(Value):
    """Another version, and the matches with it on different sides."""

    bot: str
    version: int
    """Its number among the versions of the bot."""
    state: str
    score: float
    """Matches in which this bot was placed before it; equal places count one half."""
    matches: int
    los: float | None
    """Probability that this bot is stronger than it, 0 to 1; None where no batch estimate knows both."""


class InVariant(Value):
    """The version in one variant."""

    variant: str
    standing: StandingRow
    active: int
    """Number of versions that are ranked there."""
    missing_owners: int = 0
    """Number of further owners who must have an active bot there before a match can be played."""
    opponents: tuple[Opponent, ...]
    think_times: dict[str, tuple[int, ...]]
    """By phase: how many decisions fell in each bin of think time; docs/ladder.md names the bins."""


class BotPage(Value):
    """A bot, and one of its versions in detail."""

    bot: str
    owner: str
    added: Time
    versions: tuple[VersionRow, ...]
    """Newest first."""
    version: int
    """The version that the rest describes."""
    variants: tuple[InVariant, ...]
    faults: tuple[FaultKind, ...]
    """The commonest verdict first."""
    changes: tuple[Change, ...]
    """Newest first."""


class Retirement(Value):
    """A request to retire a bot, which is named outside of it."""

    variants: tuple[str, ...] = Field((), max_length=50)
    """Variants in which it is retired; none: all that it plays."""
    reason: str = Field(max_length=500)
    """Reason, for those who look at it later."""


class Retired(Value):
    """A version that has retired from a variant."""

    version: str
    """As people name it: `Trotter@2`."""
    variant: str


class PeoplePermission(Value):
    """Permission for people to play with a bot."""

    allowed: bool


class PeopleAllowed(Value):
    """An owner's decision about people who play with the bot."""

    bot: str
    allowed: bool
    """True if people may play with it; never with any effect on its rating."""


class StateChanged(Value):
    """A bot that was suspended, or plays again."""

    bot: str
    """As it was named."""
    variants: tuple[str, ...]
    """Variants in which its state has changed."""


class Matchup(Value):
    """Score of one bot against another, at tables at which both sat on different sides."""

    bot: str
    """Its name; of later versions `Trotter@2`."""
    other: str
    matches: int
    score: float
    """Matches in which it was placed before the other; equal places count one half."""
    boards: int
    """Boards of those matches whose points are known."""
    board_score: float
    """Of them those on which it was placed before the other; equal places count one half."""
    points_per_deal: float | None
    """By which it was better, on the mean of those boards; more is better in every variant. None: no board is known."""


class Matchups(Value):
    """The best bots of a variant against each other."""

    variant: str
    title: str
    bots: tuple[str, ...]
    """The best first."""
    pairs: tuple[Matchup, ...]
    """Each pair that has met twice, once from each side."""
