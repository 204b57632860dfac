"""A real SMTP server in this process, which does what a test tells it."""

from __future__ import annotations

import asyncio
import ssl
import threading
import warnings
from contextlib import contextmanager
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from typing import TYPE_CHECKING, Any

from aiosmtpd.smtp import SMTP, AuthResult

from ladder.settings.settings import load_settings
from tests.waiting import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Iterator
    from email.message import EmailMessage
    from pathlib import Path

    from ladder.settings.settings import Settings
    from tests.ladder.site.certificates import Pair

USER, SECRET = "pigpen", "correct horse battery"
SENDER = "pigpen@arena.example"
SITE = "https://arena.example"


@dataclass
class Mailbox:
    """Letters that a server has got, and its answers."""

    port: int = 0
    letters: list[EmailMessage] = field(default_factory=list)
    senders: list[str] = field(default_factory=list)
    recipients: list[str] = field(default_factory=list)
    """Of all attempts, also of those that were refused."""
    to_recipient: list[str] = field(default_factory=list)
    """Answers to the next addresses; then all are taken."""
    to_letter: list[str] = field(default_factory=list)
    """Answers to the next letters; then all are taken."""
    hangs: threading.Event = field(default_factory=threading.Event)
    """Set: the server takes a letter, and never says so."""

    async def handle_RCPT(self, server: Any, session: Any, envelope: Any, address: str, options: Any) -> str:
        self.recipients.append(address)
        answer = self.to_recipient.pop(0) if self.to_recipient else ""
        if answer:
            return answer
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:
        if self.hangs.is_set():
            self._keep(envelope)
            await asyncio.sleep(3600)
        answer = self.to_letter.pop(0) if self.to_letter else ""
        if not answer:
            self._keep(envelope)
        return answer or "250 OK"

    def _keep(self, envelope: Any) -> None:
        self.letters.append(message_from_bytes(envelope.content, policy=policy.default))
        self.senders.append(envelope.mail_from)


@contextmanager
def smtp_server(pair: Pair | None = None, *, needs_user: bool = False, tls: bool = False) -> Iterator[Mailbox]:
    """
    Serve on a free port of the loopback.

    Args:
        pair: Its certificate: it has STARTTLS, and takes nothing without it; None: it has none.
        needs_user: Whether it takes letters of those alone who have logged in.
        tls: Whether it speaks TLS from the beginning.
    """
    box = Mailbox()
    context = None
    if pair is not None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(pair.certificate, pair.key)

    def check(server: Any, session: Any, envelope: Any, mechanism: str, data: Any) -> AuthResult:
        is_right = (data.login, data.password) == (USER.encode(), SECRET.encode())
        return AuthResult(success=is_right, handled=False)

    words: dict[str, Any] = {"hostname": "mail.example"}
    if needs_user:
        words |= {"authenticator": check, "auth_required": True, "auth_require_tls": pair is not None and not tls}
    if context is not None and not tls:
        words |= {"tls_context": context, "require_starttls": True}
    loop, ready = asyncio.new_event_loop(), threading.Event()

    def protocol() -> SMTP:
        with warnings.catch_warnings():  # it does not know that its connection is encrypted from the beginning
            warnings.simplefilter("ignore")
            return SMTP(box, loop=loop, **words)

    async def serve() -> None:
        with_tls = context if tls else None
        server = await loop.create_server(protocol, "127.0.0.1", 0, ssl=with_tls)
        box.port = server.sockets[0].getsockname()[1]
        ready.set()
        await ends.wait()
        server.close()
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)

    ends = asyncio.Event()
    thread = threading.Thread(target=lambda: asyncio.Runner(loop_factory=lambda: loop).run(serve()))
    thread.start()
    try:
        assert ready.wait(PATIENCE)
        yield box
    finally:
        loop.call_soon_threadsafe(ends.set)
        thread.join()
        loop.close()


def mail_settings(data_dir: Path, port: int, **changed: Any) -> Settings:
    """Give the settings of a ladder that sends its e-mail to a server on the loopback, without encryption."""
    words = {"mail_host": "127.0.0.1", "mail_port": port, "mail_security": "none", "mail_sender": SENDER}
    return load_settings(**{"data_dir": data_dir, "site_url": SITE, **words, **changed})
