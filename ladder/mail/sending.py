"""The part of `pigpen ladder run` that sends e-mail, and a test of the settings."""

from __future__ import annotations

import asyncio
import random
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from ladder.app.accounts.mail import FOLDER, answer_requests, check_address, key_of
from ladder.entry.policy import Act, check
from ladder.errors import LadderError, UserError
from ladder.mail.composing import TEST_LETTER, compose
from ladder.mail.letter_work import LetterRows, Letters
from ladder.mail.smtp import Answer, Outcome, SmtpAttempt
from ladder.results.files import WakeFile
from ladder.runner.delivering import DelivererThread
from ladder.store.commands.notices import notice_deadlines
from ladder.values.mail import MailTested

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ladder.app.ladder import Ladder
    from ladder.store.commands.letters import LetterLease
    from ladder.values.accounts import Viewer

NOT_SET = (
    "The ladder sends no e-mail. Set mail_host, mail_sender and site_url in pigpen.toml; docs/operating.md says how."
)


async def send_once(ladder: Ladder, lease: LetterLease) -> Outcome:
    """Compose a letter and try once to send it; without the ladder's key none is sent."""
    try:
        letter = compose(ladder.settings, key_of(ladder), lease, ladder.clock())
    except (LadderError, UserError) as error:
        return Outcome(Answer.NO_SERVER, str(error))
    return await SmtpAttempt(ladder.settings, letter).send()


def send_test(ladder: Ladder, viewer: Viewer, address: str, language: str = "en") -> MailTested:
    """
    Send a letter to an address at once, without the outbox.

    Raises:
        Forbidden: If the viewer is not an organiser.
        UserError: If the ladder sends no e-mail, or the address cannot be one.
    """
    check(viewer, Act.ADMINISTER)
    if not ladder.settings.sends_mail:
        raise UserError(NOT_SET)
    check_address(address)
    lease = replace(TEST_LETTER, address=address, language=language, key=f"test {ladder.clock()}")
    outcome = asyncio.run(send_once(ladder, lease))
    return MailTested(accepted=outcome.is_accepted, sentence=outcome.sentence)


@contextmanager
def mailing(ladder: Ladder) -> Iterator[None]:
    """Send the letters of the outbox meanwhile, in a thread beside the matches; nothing if there is no server."""
    if not ladder.settings.sends_mail:
        yield
        return

    @contextmanager
    def made() -> Iterator[Letters]:
        key = key_of(ladder)
        rows = LetterRows(
            ladder.database,
            ladder.clock,
            ladder.settings.mail_a_day,
            lambda session, now: answer_requests(session, key, now),
            notice_deadlines,
        )
        try:
            yield Letters(
                rows, WakeFile(ladder.settings.data_dir / FOLDER), partial(send_once, ladder), random.Random()
            )
        finally:
            rows.close()

    thread = DelivererThread("mail", made)
    try:
        yield
    finally:
        thread.stop()
