"""
One attempt to hand a letter to the SMTP server of the settings, within a time.

`smtplib` blocks, so an attempt has a thread of its own. If it takes too long, or is cancelled, its connection is closed
under it. The answer of a server may repeat the address to which a letter goes: what is kept of it does not.
"""

from __future__ import annotations

import asyncio
import enum
import re
import smtplib
import socket
import ssl
from contextlib import suppress
from dataclasses import dataclass
from threading import Thread
from typing import TYPE_CHECKING, Any

from ladder.values.text import sanitize

if TYPE_CHECKING:
    from email.message import EmailMessage

    from ladder.settings.settings import Settings

STEP_SECONDS = 30.0
"""For the connection, and for each answer of the server."""
DATA_SECONDS = 600.0
"""For the answer to a whole letter (RFC 5321, 4.5.3.2.6): without it the letter would be sent again."""
TIMEOUT_SECONDS = 900.0
"""For all of an attempt."""
MAX_ANSWER = 200
"""Characters of a server's answer that are kept."""
BAD_ADDRESS = re.compile(r"5\.1\.(?:1|2|3|6|10)\b", re.ASCII)
"""Codes with which a server says that there is no such address (RFC 3463, RFC 7505)."""


class Answer(enum.Enum):
    """Result of an attempt."""

    ACCEPTED = enum.auto()
    LATER = enum.auto()
    """The server does not take this letter now, and would take others."""
    NEVER = enum.auto()
    """It does not take this letter at all."""
    BAD_ADDRESS = enum.auto()
    """It says that there is no such address."""
    NO_SERVER = enum.auto()
    """It was not reached, hung, refused to talk with the ladder, or asked for something that the settings lack."""


@dataclass(frozen=True)
class Outcome:
    """Result of an attempt, and a sentence about it without an address."""

    answer: Answer
    sentence: str

    @property
    def is_accepted(self) -> bool:
        """True if the server has taken the letter."""
        return self.answer is Answer.ACCEPTED


class _Patient(smtplib.SMTP):
    """Waits longer for the answer to a letter than for other answers."""

    data_seconds = DATA_SECONDS

    def data(self, msg: Any) -> tuple[int, bytes]:
        """Send the content of a letter."""
        if self.sock is not None:
            self.sock.settimeout(self.data_seconds)
        return super().data(msg)


class _PatientTls(_Patient, smtplib.SMTP_SSL):
    """The same, with TLS from the beginning."""


class SmtpAttempt:
    """An attempt to send one letter."""

    def __init__(
        self,
        settings: Settings,
        letter: EmailMessage,
        seconds: float = TIMEOUT_SECONDS,
        step_seconds: float = STEP_SECONDS,
        data_seconds: float = DATA_SECONDS,
        trusted: ssl.SSLContext | None = None,
    ) -> None:
        """
        Prepare.

        Args:
            settings: They name the server.
            letter: With exactly one address to which it goes.
            seconds: That all of it may take.
            step_seconds: That the connection, and each answer, may take.
            data_seconds: That the answer to the letter may take.
            trusted: Certificates that are trusted; None: those of the system.
        """
        self._settings = settings
        self._letter = letter
        self._seconds = seconds
        self._step = step_seconds
        self._data_seconds = data_seconds
        self._trusted = trusted or ssl.create_default_context()
        self._server: smtplib.SMTP | None = None
        self._was_aborted = False

    async def send(self) -> Outcome:
        """Send the letter."""
        loop = asyncio.get_running_loop()
        done: asyncio.Future[Outcome] = loop.create_future()

        def keep(outcome: Outcome) -> None:
            if not done.done():
                done.set_result(outcome)

        def work() -> None:
            outcome = self.send_here()
            with suppress(RuntimeError):  # the loop has ended
                loop.call_soon_threadsafe(keep, outcome)

        Thread(target=work, name="mail attempt", daemon=True).start()
        try:
            async with asyncio.timeout(self._seconds):
                return await done
        except TimeoutError:
            return Outcome(Answer.NO_SERVER, f"The server did not take the letter within {self._seconds:g} s.")
        finally:
            self._abort()

    def send_here(self) -> Outcome:
        """Send the letter in this thread."""
        try:
            self._server = server = self._connected()
            if self._was_aborted:
                return Outcome(Answer.NO_SERVER, "The attempt was given up.")
            return self._talk(server)
        except smtplib.SMTPResponseException as error:  # of a greeting, or a log-in
            return _answered(Answer.NO_SERVER, error.smtp_code, error.smtp_error, self._to)
        except smtplib.SMTPNotSupportedError:
            return Outcome(Answer.NO_SERVER, self._what_it_lacks())
        except (smtplib.SMTPException, OSError, ValueError) as error:
            return Outcome(Answer.NO_SERVER, f"The server could not be used: {_words(error)}.")
        finally:
            self._leave()

    @property
    def _to(self) -> str:
        return str(self._letter["To"])

    def _connected(self) -> smtplib.SMTP:
        settings, port = self._settings, self._settings.mail_server_port
        name = settings.mail_sender.rpartition("@")[2]
        made: _Patient
        if settings.mail_security == "tls":
            made = _PatientTls(settings.mail_host, port, name, timeout=self._step, context=self._trusted)
        else:
            made = _Patient(settings.mail_host, port, name, self._step)
        made.data_seconds = self._data_seconds
        return made

    def _talk(self, server: smtplib.SMTP) -> Outcome:
        settings = self._settings
        server.ehlo_or_helo_if_needed()
        if settings.mail_security == "starttls":
            server.starttls(context=self._trusted)
        if settings.mail_user:
            server.login(settings.mail_user, settings.mail_password.get_secret_value())
        try:
            server.send_message(self._letter, settings.mail_sender, [self._to])
        except smtplib.SMTPRecipientsRefused as error:
            return _refused(*error.recipients[self._to], self._to)
        except smtplib.SMTPDataError as error:
            return _refused(error.smtp_code, error.smtp_error, self._to)
        return Outcome(Answer.ACCEPTED, f"{settings.mail_host} has accepted it.")

    def _what_it_lacks(self) -> str:
        if self._settings.mail_security == "starttls" and not self._settings.mail_user:
            return "The server has no STARTTLS. Set mail_security, or another port."
        return "The server has no STARTTLS, or no log-in that the ladder knows. Set mail_security, or another port."

    def _leave(self) -> None:
        """Close the connection; what the server answers to that changes nothing about the letter."""
        if self._server is not None:
            with suppress(smtplib.SMTPException, OSError):
                self._server.putcmd("quit")
            self._server.close()

    def _abort(self) -> None:
        self._was_aborted = True
        connection = getattr(self._server, "sock", None)
        if connection is not None:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)


def _refused(code: int, answer: bytes | str, to: str) -> Outcome:
    if code == 421:
        return _answered(Answer.NO_SERVER, code, answer, to)
    if code < 500:
        return _answered(Answer.LATER, code, answer, to)
    is_bad = BAD_ADDRESS.match(_plain(answer))
    return _answered(Answer.BAD_ADDRESS if is_bad else Answer.NEVER, code, answer, to)


def _answered(kind: Answer, code: int, answer: bytes | str, to: str) -> Outcome:
    words = without_address(_plain(answer), to)[:MAX_ANSWER].strip()
    return Outcome(kind, f"The server answered {code}{f' {words}' if words else ''}".removesuffix(".") + ".")


def without_address(text: str, address: str) -> str:
    """
    Leave out of an answer what names an address, or its part before the sign @.

    >>> without_address("5.1.1 <Ada@mail.example>: no mailbox ada here", "ada@mail.example")
    '5.1.1 …: no mailbox … here'
    """
    text = re.sub(r"[^\s<>]*@[^\s<>:;,]*", "…", text)
    local = address.partition("@")[0]
    text = re.sub(rf"(?<!\w){re.escape(local)}(?!\w)", "…", text, flags=re.IGNORECASE)
    return re.sub(r"<…>", "…", text)


def _plain(text: bytes | str) -> str:
    return sanitize(text.decode("utf-8", "replace") if isinstance(text, bytes) else text)


def _words(error: Exception) -> str:
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"its certificate is not trusted ({error.verify_message})"
    if isinstance(error, TimeoutError) or isinstance(error.__context__, TimeoutError):
        return "it did not answer in time"
    if isinstance(error, smtplib.SMTPServerDisconnected):
        return "it closed the connection"
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return type(error).__name__
