"""Webhooks: what an organiser does with them, and the part of a run that sends their messages."""

from __future__ import annotations

import asyncio
import random
import secrets
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

from ladder.app.kept_secret import kept_secret
from ladder.entry.policy import Act, check
from ladder.errors import UserError
from ladder.results.files import WakeFile
from ladder.runner.delivering import DelivererThread
from ladder.store.commands import webhooks as commands
from ladder.store.commands.accounts import write_audit
from ladder.store.commands.outbox import body_of, new_key
from ladder.store.webhook_models import SALT_LENGTH
from ladder.values.webhooks import BOT_KINDS, CHOICES, MessageKind, WebhookAdded, WebhookTested
from ladder.webhooks.message_work import OTHER_KEY, Deliveries, OutboxRows
from ladder.webhooks.public_addresses import AddressPolicy, check_webhook, target_of
from ladder.webhooks.sending import Outcome, hash_of, secret_of, send, signed_headers

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ladder.app.ladder import Ladder
    from ladder.values.accounts import Viewer
    from ladder.values.webhooks import WebhookRow

FOLDER, FILE = "webhooks", "key"


def add(ladder: Ladder, viewer: Viewer, url: str, event: str | None, kinds: Sequence[str]) -> WebhookAdded:
    """
    Add a webhook; its secret is in the result, and is not shown again.

    Args:
        ladder: The ladder.
        viewer: Who does it.
        url: Where messages are sent.
        event: Only messages about this event; None: about all, and about bots.
        kinds: Only these messages (`MessageKind`); none: all.

    Raises:
        Forbidden: If the viewer is not an organiser.
        LadderError: If there is no such event, or there are too many webhooks.
        UserError: If messages may not be sent there, or there are no such messages.
    """
    check(viewer, Act.ADMINISTER)
    wanted = _kinds(kinds, event)
    check_webhook(url, AddressPolicy.of(ladder.settings))
    salt = secrets.token_hex(SALT_LENGTH // 2)
    secret = secret_of(_key(ladder), salt)
    with ladder.database.write() as session:
        hook = commands.add_webhook(session, url, event, wanted, salt, hash_of(secret), ladder.clock())
        write_audit(session, viewer, "webhook.add", str(hook.id), ladder.clock(), host=target_of(url).host)
        return WebhookAdded(**dict(commands.webhook_row(session, hook)), secret=secret)


def webhooks(ladder: Ladder, viewer: Viewer) -> list[WebhookRow]:
    """
    Read all webhooks.

    Raises:
        Forbidden: If the viewer is not an organiser.
    """
    check(viewer, Act.ADMINISTER)
    with ladder.database.read() as session:
        return commands.all_webhooks(session)


def remove(ladder: Ladder, viewer: Viewer, number: int) -> WebhookRow:
    """
    Remove a webhook; messages that wait for it are not sent.

    Raises:
        Forbidden: If the viewer is not an organiser.
        LadderError: If there is none of that number.
    """
    check(viewer, Act.ADMINISTER)
    with ladder.database.write() as session:
        row = commands.webhook_row(session, commands.find_webhook(session, number))
        commands.remove_webhook(session, number)
        write_audit(session, viewer, "webhook.remove", str(number), ladder.clock(), host=target_of(row.url).host)
        return row


def send_test(ladder: Ladder, viewer: Viewer, number: int) -> WebhookTested:
    """
    Send a message at once, without the outbox; if it is accepted, a webhook that was disabled gets messages again.

    Raises:
        Forbidden: If the viewer is not an organiser.
        LadderError: If there is no such webhook, or the key is another one.
    """
    check(viewer, Act.ADMINISTER)
    with ladder.database.read() as session:
        hook = commands.find_webhook(session, number)
    secret, now = secret_of(_key(ladder), hook.salt), ladder.clock()
    if hash_of(secret) != hook.secret_hash:
        return WebhookTested(number=number, accepted=False, sentence=OTHER_KEY)
    body = body_of(MessageKind.TEST, {"webhook": number}, now)
    policy = AddressPolicy.of(ladder.settings)
    outcome = asyncio.run(send(hook.url, policy, signed_headers(secret, new_key(), body, now), body))
    if outcome.is_accepted:
        with ladder.database.write() as session:
            commands.enable_webhook(session, number, ladder.clock())
            write_audit(session, viewer, "webhook.test", str(number), ladder.clock())
    return WebhookTested(number=number, accepted=outcome.is_accepted, sentence=outcome.sentence)


def key_findings(ladder: Ladder) -> Iterator[str]:
    """Say in a sentence of each webhook that its secret does not follow from the key in the ladder's folder."""
    file = ladder.settings.data_dir / FOLDER / FILE
    with ladder.database.read() as session:
        for number, salt, secret_hash in commands.webhook_secrets(session):
            if not file.exists() or hash_of(secret_of(_key(ladder), salt)) != secret_hash:
                yield f"Webhook {number}: {OTHER_KEY}"


@contextmanager
def delivering(ladder: Ladder) -> Iterator[None]:
    """Send the messages of the outbox meanwhile, in a thread beside the matches."""
    policy = AddressPolicy.of(ladder.settings)

    async def sent(url: str, headers: Mapping[str, str], body: str, turn: int) -> Outcome:
        return await send(url, policy, headers, body, turn=turn)

    @contextmanager
    def made() -> Iterator[Deliveries]:
        rows = OutboxRows(ladder.database, ladder.clock)
        try:
            files = WakeFile(ladder.settings.data_dir / FOLDER)
            yield Deliveries(rows, files, sent, partial(_key, ladder), random.Random())
        finally:
            rows.close()

    thread = DelivererThread("webhooks", made)
    try:
        yield
    finally:
        thread.stop()


def _kinds(words: Sequence[str], event: str | None) -> list[MessageKind]:
    choices = [kind for kind in CHOICES if event is None or kind not in BOT_KINDS]
    if wrong := [word for word in words if word not in choices]:
        of_event = "" if event is None or wrong[0] not in BOT_KINDS else " for the webhook of an event"
        raise UserError(f"{wrong[0]!r} is no kind of message{of_event}. There are: {', '.join(choices)}")
    return [MessageKind(word) for word in dict.fromkeys(words)]


def _key(ladder: Ladder) -> bytes:
    return kept_secret(ladder.settings.data_dir / FOLDER / FILE, "The key of webhooks")
