"""Callers, accounts, and the log of what each of them did."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import Field

from ladder.values.value import Time, Value


class Role(enum.StrEnum):
    """Kind of an account."""

    CONTESTANT = "contestant"
    ORGANISER = "organiser"
    """It may also do what organisers do: `/admin`, and whatever an owner may do."""


class Scope(enum.StrEnum):
    """Permission of a token."""

    READ = "read"
    """To read what only its owner may: logs, failures, submissions."""
    SUBMIT = "submit"
    """To submit bots, to retire them, and to push images."""
    ADMIN = "admin"
    """To do all that its owner may do as an organiser."""


Kind = Literal["session", "token"]
"""A browser has a session, a program a token."""


@dataclass(frozen=True)
class Viewer:
    """The caller, as far as known."""

    name: str | None = None
    """The account's name, which is an owner's; None: a visitor who is not logged in."""
    is_organiser: bool = False
    scopes: frozenset[Scope] = frozenset(Scope)
    """Permissions of the credential; a session's: all of them."""
    by_token: bool = False
    """True if a program asks, with a token; else it is a person at a browser, or on the ladder's machine."""
    credential: int | None = None
    """Number of the session or token; None: there is none."""
    address: str = ""
    """From where; empty: from the ladder's machine."""
    team: str | None = None
    """The team for which it may act, too; None: none."""

    @property
    def is_local(self) -> bool:
        """True if it is a person with access to the ladder's files; no account has an empty name."""
        return self.name == "" and self.is_organiser

    @property
    def owners(self) -> frozenset[str]:
        """Names of the owners whose bots are the viewer's: its own, and its team's."""
        return frozenset(filter(None, (self.name, self.team)))


ANONYMOUS = Viewer()
"""A visitor who has not logged in."""
LOCAL = Viewer(name="", is_organiser=True)
"""A person with access to the ladder's files, who may do everything."""


class AccountRow(Value):
    """An account, for the organiser."""

    name: str
    role: Role
    added: Time
    disabled: Time | None
    """Since when; None: it is not."""
    reason: str
    """Reason that it is disabled."""
    submissions_a_day: int | None
    """Its own quota; None: as its group or the settings say."""
    group: str | None
    """The group in which it is; None: in none."""
    team: str | None
    """The team of which it is a member; None: of none."""
    is_team: bool
    """True if it is a team: no one logs in to it, its members act for it."""
    bots: int
    signs_in_by: Literal["password", "provider", "nothing"]


class GroupRow(Value):
    """A group of accounts, such as those of a course; the quotas are those of each account."""

    name: str
    accounts: int
    submissions_a_day: int | None
    """None: as the settings say."""
    bots: int | None
    """Number of bots that may play; None: any."""


class TeamRow(Value):
    """A team: an owner of bots for whom its members act."""

    name: str
    members: tuple[str, ...]
    """Names of accounts, the oldest member first."""
    limit: int
    """Number of members that it may have."""


class TeamInvitationRow(Value):
    """An open invitation to a team, for its members; its link is shown only once."""

    id: int
    by: str
    added: Time
    expires: Time


class GradeRow(Value):
    """A contestant, and the best of the contestant's bots in one variant; None or empty: there is none."""

    account: str
    note: str
    """Of the invitation with which the account was made."""
    group: str
    """The group in which the account is; empty: in none."""
    team: str
    """The team of which it is a member, whose bots and submissions count as its own; empty: of none."""
    submissions: int
    """All that were sent, whatever became of them."""
    last: Time | None
    """Time at which the last of them was sent."""
    place: int | None = None
    """Among the contestants, from 1; bots with equal ranks share it."""
    bot: str = ""
    version: int | None = None
    state: str = ""
    """`active`, `suspended` or `retired`."""
    rank: int | None = None
    """This, and the range that it may deserve, are among all bots of the variant, by what orders its standings."""
    rank_low: int | None = None
    rank_high: int | None = None
    elo: float | None = None
    error: float | None = None
    """Half the width of the 95 % interval."""
    margin: float | None = None
    """Points a deal by which it is better than the mean of the active ones."""
    matches: int = 0
    faults: int = 0


class InvitationRow(Value):
    """An invitation, for the organiser; its link is shown only once."""

    id: int
    role: Role
    name: str | None
    """The name that its account will have; None: the new owner chooses it."""
    note: str
    group: str | None
    """Group of the account to be; None: none."""
    by: str
    added: Time
    expires: Time
    used: Time | None
    used_by: str | None


class NewSecret(Value):
    """A secret that gives access, shown once and stored nowhere."""

    id: int
    secret: str
    expires: Time


class InvitationLink(Value):
    """A link with which a person makes an account, or sets a new password, once; shown once."""

    id: int
    link: str
    expires: Time


class ListedInvitation(InvitationLink):
    """An invitation that was made from a list; name, note and group may be empty."""

    name: str
    note: str
    group: str


class CredentialRow(Value):
    """A session or a token, for its owner; the secret itself is not stored."""

    id: int
    kind: Kind
    name: str
    scopes: tuple[Scope, ...]
    added: Time
    used: Time
    expires: Time


class AuditRow(Value):
    """One thing that a person did."""

    id: int
    at: Time
    actor: str
    """The account's name; empty: a person with access to the ladder's machine."""
    action: str
    subject: str
    details: dict[str, str | int | bool | None]
    address: str


class AccountData(Value):
    """All that a ladder knows about an account."""

    account: str
    exported: Time
    tables: dict[str, list[dict[str, Any]]]
    """By table of the database its rows about the account, column by column; secrets and their hashes are left out."""


class AccountDeleted(Value):
    """The end of an account."""

    pseudonym: str
    """The name of the owner of its bots from now on."""
    is_complete: bool
    """True if no file of its bots is left; else a run of the ladder removes them when they are not needed any more."""


class Me(Value):
    """The account of the caller on a ladder."""

    name: str
    role: Role
    scopes: tuple[Scope, ...]
    """Permissions of this session or token."""
    bots: tuple[str, ...]
    """Names of its bots."""
    team: TeamRow | None = None
    """The team of which it is a member; None: of none."""


class TokenOrder(Value):
    """A request for a new token."""

    name: str = Field("", max_length=200)
    """Name that its owner gives it."""
    scopes: tuple[Scope, ...] = Field((Scope.READ, Scope.SUBMIT), min_length=1, max_length=10)
    days: int | None = Field(None, ge=1, le=3650)
    """Days that it is valid; None: as long as the ladder's settings allow."""


class LoginClient(Value):
    """The client that begins a log-in of the command."""

    client: str = Field("", max_length=200)
    """Program and machine of the client, in its own words; the person who confirms the log-in sees them."""


class DeviceCode(Value):
    """A command that asks whether its log-in was confirmed."""

    device_code: str = Field(max_length=100)


class LoginStarted(Value):
    """A log-in of the command that is to be confirmed in a browser."""

    device_code: str
    """A secret of the command's."""
    user_code: str
    """Code that the browser shows, too: `BCDF-GHJK`."""
    address: str
    """Address of the page on which to confirm it."""
    interval: float
    """Seconds to wait between two questions."""
    expires: Time


class LoginAnswer(Value):
    """Result of such a log-in."""

    token: str | None
    """None: it is not confirmed yet."""
    name: str | None = None
    expires: Time | None = None
