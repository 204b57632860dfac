"""Letters of a ladder that has no mail server: written, as a run would send them, and links in them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ladder.app.accounts import mail
from ladder.mail.composing import compose
from ladder.store.commands import letters as outbox
from tests.ladder.mail.servers import SITE

if TYPE_CHECKING:
    from email.message import EmailMessage

    from ladder.app.ladder import Ladder


def sent(ladder: Ladder) -> list[EmailMessage]:
    """Send all letters that wait, as a run does."""
    key, now = mail.key_of(ladder), ladder.clock()
    with ladder.database.write() as session:
        mail.answer_requests(session, key, now)
        leases = outbox.claim(session, "run", now, 60.0, 100, 1000)
        for lease in leases:
            outbox.accept(session, lease, now)
    return [compose(ladder.settings, key, lease, now) for lease in leases]


def link_in(letter: EmailMessage, path: str) -> str:
    """Find a link of the site in a letter; gives it without the site."""
    found = re.search(rf"^(?:.* )?{re.escape(SITE)}(/{path}\S*)\s*$", letter.get_content(), re.MULTILINE)
    assert found is not None, letter.get_content()
    return found[1]
