"""
E-mail addresses of accounts, links in letters, and what a visitor can do with such a link.

The secret of a link follows from a key in the ladder's folder and a salt in the database: the database, which is copied
and backed up, holds nothing that opens an account. What sends letters is in `ladder.mail`.
"""

from __future__ import annotations

import base64
import hmac
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from ladder.app.accounts.registering import IS_TEAM, new_invitation
from ladder.app.accounts.sessions import DAY, INVITATION, hash_of
from ladder.app.kept_secret import kept_secret
from ladder.entry.policy import Act, check
from ladder.errors import LadderError, UserError
from ladder.store.account_names import find_account
from ladder.store.commands import letters as outbox
from ladder.store.commands import mail_addresses as store
from ladder.store.commands.accounts import revoke_invitations, write_audit
from ladder.store.lookup import name_of
from ladder.values.accounts import LOCAL, Role, Viewer
from ladder.values.mail import MAX_ADDRESS, NOTICES, LetterKind, is_address
from ladder.values.text import sanitize

if TYPE_CHECKING:
    from collections.abc import Collection

    from ladder.app.ladder import Ladder
    from ladder.store.database import Session
    from ladder.values.mail import AccountMail

FOLDER, FILE = "mail", "key"
CONFIRMATION = "pgm_"
"""Beginning of the secrets with which addresses are confirmed."""
PASSWORD_SECONDS = 3600.0
"""Seconds for which a link is valid with which a person sets a new password."""
MAX_PASSWORDS = 3
"""Such links that one account gets in that time, whether one visitor asks or many."""
BY_MAIL = "a new password, by e-mail"
"""The note of their invitations."""
LETTER_LANGUAGES = ("en", "zh")
OFF = "This ladder sends no e-mail. Its organiser can set it up: settings mail_host, mail_sender and site_url"
NO_ADDRESS = "{address!r} is not an e-mail address that the ladder can write to. Write it as ada@mail.example."
NO_LINK = "This link is not one of this ladder's, or the account has no e-mail address any more."
MAX_ASKED = 254
"""Characters that a visitor writes to say whose password is forgotten."""


def key_of(ladder: Ladder) -> bytes:
    """
    Read the key from which all links follow.

    Raises:
        LadderError: If it cannot be read.
        UserError: If it cannot be made.
    """
    return kept_secret(ladder.settings.data_dir / FOLDER / FILE, "The key of e-mail")


def secret_of(key: bytes, prefix: str, salt: str) -> str:
    """
    Give the secret of a link.

    >>> secret_of(bytes(32), CONFIRMATION, "ab")[:4], len(secret_of(bytes(32), CONFIRMATION, "ab"))
    ('pgm_', 47)
    """
    return prefix + _code(key, f"{prefix} {salt}")


def _code(key: bytes, text: str) -> str:
    return base64.urlsafe_b64encode(hmac.digest(key, text.encode(), "sha256")).decode().rstrip("=")


def mail_of(ladder: Ladder, viewer: Viewer, name: str) -> AccountMail | None:
    """
    Read the address of an account; None: it has none.

    Raises:
        LadderError: If there is no such account.
    """
    check(viewer, Act.CHANGE_ACCOUNT, name)
    with ladder.database.read() as session:
        return store.mail_of(session, name)


def check_address(address: str) -> None:
    """
    Make sure that letters can be sent to an address.

    Raises:
        UserError: If not.
    """
    if not is_address(address):
        raise UserError(NO_ADDRESS, address=address[:MAX_ADDRESS])


def ask_for(ladder: Ladder, viewer: Viewer, name: str, address: str, language: str) -> None:
    """
    Send a link with which the person confirms an address; until then the account keeps the one that it has.

    Raises:
        LadderError: If there is no such account, it is a team's, or the ladder sends no e-mail.
        UserError: If letters cannot be sent there.
    """
    check(viewer, Act.CHANGE_ACCOUNT, name)
    if not ladder.settings.sends_mail:
        raise LadderError(OFF)
    check_address(address)
    salt = store.new_salt()
    hashed = hash_of(secret_of(key_of(ladder), CONFIRMATION, salt))
    with ladder.database.write() as session:
        now = ladder.clock()
        if find_account(session, name).is_team:
            raise LadderError(IS_TEAM, name=name)
        store.ask_for(session, name, address, _known(language), salt, hashed, now)
        write_audit(session, viewer, "account.mail", name, now, asked=True)


def remove(ladder: Ladder, viewer: Viewer, name: str) -> None:
    """
    Remove the address of an account; a letter says so there, and links that were sent there are not good any more.

    Raises:
        LadderError: If there is no such account, or it has none.
    """
    check(viewer, Act.CHANGE_ACCOUNT, name)
    with ladder.database.write() as session:
        now = ladder.clock()
        store.remove(session, name, now)
        revoke_invitations(session, now, note=BY_MAIL, name=name)
        write_audit(session, viewer, "account.mail", name, now, removed=True)


def choose(ladder: Ladder, viewer: Viewer, name: str, kinds: Collection[LetterKind], language: str) -> None:
    """
    Say which letters an account wants, and in which language.

    Raises:
        LadderError: If there is no such account, or it has no address.
    """
    check(viewer, Act.CHANGE_ACCOUNT, name)
    with ladder.database.write() as session:
        store.choose(session, name, kinds, _known(language))


def _known(language: str) -> str:
    return language if language in LETTER_LANGUAGES else LETTER_LANGUAGES[0]


def waiting_for(ladder: Ladder, secret: str) -> tuple[str, str]:
    """
    Say which account gets which address by a link.

    Raises:
        LadderError: If the link is not good any more.
    """
    with ladder.database.read() as session:
        return store.waiting_for(session, hash_of(secret), ladder.clock())


def confirm(ladder: Ladder, secret: str, visitor: str) -> str:
    """
    Give an account the address that a link confirms; links that were sent to another one are not good any more.

    Args:
        ladder: The ladder.
        secret: Of the link.
        visitor: The network address of the visitor who has it.

    Returns:
        The name of the account.

    Raises:
        LadderError: If the link is not good any more.
    """
    with ladder.database.write() as session:
        now = ladder.clock()
        name, has_moved = store.confirm(session, hash_of(secret), now)
        if has_moved:
            revoke_invitations(session, now, note=BY_MAIL, name=name)
        write_audit(session, Viewer(name, address=visitor), "account.mail", name, now, confirmed=True)
        return name


def ask_for_password(ladder: Ladder, asked: str, language: str) -> None:
    """
    Note that a visitor wants a link to set a new password, by an account's name or its address.

    The same is written whether or not there is such an account: what sends letters looks for it.

    Raises:
        LadderError: If the ladder sends no e-mail.
    """
    if not ladder.settings.sends_mail:
        raise LadderError(OFF)
    with ladder.database.write() as session:
        now = ladder.clock()
        outbox.post_letter(
            session, LetterKind.FORGOTTEN, store.new_salt(), now, owner=None, address=None, language=_known(language),
            data={"asked": sanitize(asked[:MAX_ASKED])}, seconds=PASSWORD_SECONDS,
        )  # fmt: skip


def answer_requests(session: Session, key: bytes, now: float) -> None:
    """
    Write the letters with links that visitors have asked for; a request that means no account leaves nothing.

    Args:
        session: A transaction that writes.
        key: As `key_of` gives it.
        now: Unix time.
    """
    for asked in outbox.take_requests(session, now):
        for account, row in store.named_by(session, asked.strip()):
            owner, since = account.owner_id, now - PASSWORD_SECONDS
            if outbox.count_since(session, owner, LetterKind.PASSWORD, since) >= MAX_PASSWORDS:
                continue
            salt, name = store.new_salt(), name_of(session, owner)
            made = new_invitation(
                session, LOCAL, Role(account.role), name, BY_MAIL, now, PASSWORD_SECONDS / DAY,
                secret=secret_of(key, INVITATION, salt), revokes=False,
            )  # fmt: skip
            outbox.post_letter(
                session, LetterKind.PASSWORD, salt, now, owner=owner, address=row.address, language=row.language,
                data={"name": name, "salt": salt, "until": made.expires.isoformat()}, seconds=PASSWORD_SECONDS / 2,
            )  # fmt: skip


def unsubscribe_query(key: bytes, owner: int, kind: LetterKind, salt: str) -> str:
    """Give the query of a link that ends letters of a kind; it is good for as long as the account has the address."""
    return urlencode({"who": owner, "what": str(kind), "proof": _proof(key, owner, kind, salt)})


def _proof(key: bytes, owner: int, kind: str, salt: str) -> str:
    return _code(key, f"unsubscribe {owner} {kind} {salt}")


def check_unsubscribing(ladder: Ladder, owner: int, kind: str, proof: str) -> LetterKind:
    """
    Make sure that a link ends letters to an account.

    Raises:
        LadderError: If it does not.
    """
    with ladder.database.read() as session:
        salt = store.salt_of(session, owner)
    if kind not in NOTICES or not salt:
        raise LadderError(NO_LINK)
    if not hmac.compare_digest(_proof(key_of(ladder), owner, kind, salt).encode(), proof.encode()):
        raise LadderError(NO_LINK)
    return LetterKind(kind)


def unsubscribe(ladder: Ladder, owner: int, kind: str, proof: str, *, every: bool = False) -> None:
    """
    Send an account no more letters of a kind; *every*: no notices at all.

    Raises:
        LadderError: If the link is none.
    """
    found = check_unsubscribing(ladder, owner, kind, proof)
    with ladder.database.write() as session:
        store.no_more(session, owner, None if every else found)
