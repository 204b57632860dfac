"""
Letters as they are sent: plain text from a template, in the language of the account, with the headers of a notice.

Links begin with the site's address in the settings, never with one that a visitor's browser has named.
"""

from __future__ import annotations

import datetime
import hashlib
import hmac
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote, urlencode

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from ladder.app.accounts.mail import CONFIRMATION, secret_of, unsubscribe_query
from ladder.app.accounts.sessions import INVITATION
from ladder.site.rendering.translations import moment, translations, variant
from ladder.store.commands.letters import LetterLease
from ladder.values.mail import LetterKind
from ladder.values.text import sanitize

if TYPE_CHECKING:
    from ladder.settings.settings import Settings

TEMPLATES = Path(__file__).parent / "templates"
SIGNATURE = "-- "
"""The line before what mail programs leave out of answers (RFC 3676)."""
MAX_VALUE = 1000
"""Characters of each value in a letter, such as the reason why a bot is suspended."""
MAX_SUBJECT = 150
"""Characters of a subject."""
TEST_LETTER = LetterLease(0, 0, LetterKind.TEST, "test", "", "en", {}, 0, 0, "")
"""The letter that an organiser sends to try the settings; its address is still to be filled in."""


def compose(settings: Settings, key: bytes, lease: LetterLease, now: float) -> EmailMessage:
    """
    Write a letter.

    Args:
        settings: They name the site and the sender.
        key: From which links follow (`ladder.app.accounts.mail.key_of`).
        lease: What it is about, and to whom it goes.
        now: Unix time, for its date.
    """
    end = _end(settings, key, lease)
    subject, text = _filled(settings, key, lease, end)
    letter = EmailMessage(policy=SMTP)
    letter["From"] = settings.mail_sender
    letter["To"] = lease.address
    letter["Subject"] = subject
    letter["Date"] = format_datetime(datetime.datetime.fromtimestamp(now, datetime.UTC))
    letter["Message-ID"] = _message_id(settings, key, lease)
    letter["Auto-Submitted"] = "auto-generated"
    if end:
        letter["List-Unsubscribe"] = f"<{end}>"
        letter["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
    letter.set_content(text)
    return letter


def _message_id(settings: Settings, key: bytes, lease: LetterLease) -> str:
    """Name a letter, by the same name at each attempt: a server that has got it already can tell."""
    name = hmac.new(key, f"letter {lease.id} {lease.key}".encode(), hashlib.sha256).hexdigest()[:32]
    return f"<{name}@{settings.mail_sender.rpartition('@')[2]}>"


def _end(settings: Settings, key: bytes, lease: LetterLease) -> str:
    """Give the link that ends letters of this kind; empty: it answers what the person has done."""
    if not lease.salt:
        return ""
    return f"{settings.site_url}/mail/unsubscribe?{unsubscribe_query(key, lease.owner, lease.kind, lease.salt)}"


def _filled(settings: Settings, key: bytes, lease: LetterLease, end: str) -> tuple[str, str]:
    template = _environment(lease.language).get_template(f"{lease.kind}.txt")
    values = {
        name: " ".join(value.split())[:MAX_VALUE] if isinstance(value, str) else value
        for name, value in lease.data.items()
    }
    links = {"site": settings.site_url, "end": end, "link": _link(settings, key, lease)}
    context = template.new_context(values | links)
    subject = " ".join("".join(template.blocks["subject"](context)).split())
    lines = [
        line if line == SIGNATURE else line.strip() for line in template.render(context.get_all()).strip().split("\n")
    ]
    return subject[:MAX_SUBJECT], "\n".join(lines) + "\n"


def _link(settings: Settings, key: bytes, lease: LetterLease) -> str:
    """Give the link for which a letter was asked for; empty: it is another letter."""
    salt = str(lease.data.get("salt", ""))
    if lease.kind is LetterKind.CONFIRM:
        query = urlencode({"link": secret_of(key, CONFIRMATION, salt)})
        return f"{settings.site_url}/mail/confirm?{query}"
    if lease.kind is LetterKind.PASSWORD:
        return f"{settings.site_url}/register?{urlencode({'invitation': secret_of(key, INVITATION, salt)})}"
    return ""


@cache
def _environment(language: str) -> Environment:
    made = Environment(
        loader=FileSystemLoader(TEMPLATES),
        finalize=lambda value: sanitize(value) if isinstance(value, str) else value,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
        extensions=["jinja2.ext.i18n"],
    )
    made.install_gettext_translations(translations(language), newstyle=True)  # type: ignore[attr-defined]
    made.filters.update(
        when=lambda text: moment(datetime.datetime.fromisoformat(text), language),
        variant=lambda name: variant(name, language),
        in_path=lambda text: quote(text, safe=""),
    )
    return made
