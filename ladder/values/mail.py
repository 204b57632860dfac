"""E-mail: addresses, the letters that the ladder writes, and what an organiser sees of them."""

from __future__ import annotations

import enum
import re

from ladder.values.value import Value

MAX_ADDRESS = 254
"""Characters of an address (RFC 5321)."""
_LOCAL = r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*"
_LABEL = r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
_ADDRESS = re.compile(rf"(?P<local>{_LOCAL})@(?P<domain>{_LABEL}(?:\.{_LABEL})*)", re.ASCII)
MAX_LOCAL = 64
"""Characters before the sign @ (RFC 5321)."""


class LetterKind(enum.StrEnum):
    """Reason of a letter."""

    CONFIRM = "confirm"
    """An account is to have this address: with the link the person confirms it."""
    ASKED = "asked"
    """The account is to have another address; sent to the confirmed one."""
    MOVED = "moved"
    """The account has another address now, or none; sent to the one before."""
    CHANGED = "changed"
    """The account has another password."""
    FORGOTTEN = "forgotten"
    """A visitor asks for a link to set a new password. It is no letter yet: the visitor may name no account."""
    PASSWORD = "password"
    """A link to set a new password."""
    BOT_SUSPENDED = "suspended"
    """A bot of the account is suspended."""
    SUBMISSION = "submission"
    """A bot that the account submitted was entered, or was not."""
    EVENT = "event"
    """An event begins in which a bot of the account plays."""
    ROUND = "round"
    """A round of such an event is drawn."""
    DEADLINE = "deadline"
    """Submissions close soon."""
    TEST = "test"
    """An organiser tests the settings; sent at once, and in no queue."""


NOTICES = (
    LetterKind.BOT_SUSPENDED,
    LetterKind.SUBMISSION,
    LetterKind.EVENT,
    LetterKind.DEADLINE,
    LetterKind.ROUND,
)
"""Letters that a person may choose; the others answer what a person has done."""
WARNINGS = (LetterKind.ASKED, LetterKind.MOVED, LetterKind.CHANGED)
"""Letters that are sent whatever comes after: by them a person learns that another one changes the account."""
USUAL_NOTICES = NOTICES[:-1]
"""Those of a new address: an event may have a round every few minutes."""


def is_address(text: str) -> bool:
    r"""
    Tell whether a letter can be sent to an address: it has ASCII characters alone, no comment and no quotation marks.

    >>> is_address("ada@mail.example"), is_address("Ada <ada@mail.example>"), is_address("ada@mail.example\n")
    (True, False, False)
    """
    found = _ADDRESS.fullmatch(text) if len(text) <= MAX_ADDRESS else None
    return found is not None and len(found["local"]) <= MAX_LOCAL


def mailbox_of(address: str) -> str:
    """
    Give what different writings of an address have in common, to count letters to one mailbox.

    >>> mailbox_of("Ada+bots@Mail.Example")
    'ada@mail.example'
    """
    local, _, domain = address.lower().rpartition("@")
    return f"{local.partition('+')[0]}@{domain}"


class AccountMail(Value):
    """The e-mail address of an account, for its owner and for the organiser."""

    address: str | None
    """To which letters go; None: to none."""
    pending: str | None
    """That waits for its confirmation; None: none does."""
    language: str
    """Of letters: ``en`` or ``zh``."""
    notices: tuple[LetterKind, ...]
    """Letters that its owner wants."""
    is_refused: bool
    """True if the mail server says that there is no such address: no letters go there until it is confirmed again."""


class MailStatus(Value):
    """Letters of a ladder."""

    server: str
    """Host and port; empty: the ladder sends no e-mail."""
    addresses: int
    """Accounts with a confirmed address."""
    waiting: int
    """Letters that are to be sent, or sent again."""
    oldest_seconds: float
    """Seconds for which the oldest of them waits; 0: none does."""
    reason: str
    """Answer to the last attempt that failed of a letter that waits; empty: none has failed."""
    sent_a_day: int
    """Letters of the last 24 hours that the server has accepted."""
    given_up: int
    """Letters of the last weeks that are not sent again."""
    given_up_reason: str
    """Reason of the last of them; empty: there is none."""


class MailTested(Value):
    """Result of a test."""

    accepted: bool
    sentence: str
    """Answer of the server, or the reason that there was none."""
