"""
Sending one message of a webhook: a request to an address that was checked, within a time.

Only the head of its answer counts; a message that was not accepted is sent again after a pause. Messages are signed
with the webhook's secret, as Standard Webhooks has it (https://www.standardwebhooks.com).
"""

from __future__ import annotations

import asyncio
import base64
import datetime
import hashlib
import hmac
import os
import ssl
import time
from contextlib import suppress
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from functools import cache
from itertools import chain, zip_longest
from typing import TYPE_CHECKING

import h11
from standardwebhooks import Webhook

from ladder.errors import UserError
from ladder.webhooks.public_addresses import check_addresses, resolved, target_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ladder.webhooks.public_addresses import Address, AddressPolicy, Target

PREFIX = "whsec_"


def secret_of(key: bytes, salt: str) -> str:
    """
    Give the secret of a webhook, as its receiver gets it.

    Args:
        key: The ladder's key for all its webhooks.
        salt: The webhook's own.
    """
    return PREFIX + base64.b64encode(hmac.digest(key, f"webhook {salt}".encode(), "sha256")).decode()


def hash_of(secret: str) -> str:
    """Give what the database keeps of a secret: to notice that it is another one."""
    return hashlib.sha256(secret.encode()).hexdigest()


def signed_headers(secret: str, key: str, body: str, now: float) -> dict[str, str]:
    """
    Sign a message.

    Args:
        secret: The webhook's.
        key: What names the message, the same at each attempt.
        body: The message.
        now: Unix time of this attempt.

    Returns:
        The headers of the request that say so.
    """
    at = datetime.datetime.fromtimestamp(int(now), datetime.UTC)
    return {
        "webhook-id": key,
        "webhook-timestamp": str(int(now)),
        "webhook-signature": Webhook(secret).sign(key, at, body),
    }


TIMEOUT_SECONDS = 15.0
"""For all of an attempt: the name, the connection, the request and the head of the answer."""
NEXT_SECONDS = 0.5
"""Seconds after which the next address is tried as well, while the one before has not answered."""
MAX_ADDRESSES = 16
"""Of a host; the first ones are tried."""
ASKS_TO_WAIT = (429, 503)
"""Statuses with which a receiver may say when the message is to be sent again."""
LONGEST_WAIT = 10**9
"""Seconds; a receiver that asks for more is taken to ask for that."""
MAX_HEAD_BYTES = 16 * 1024
"""Of an answer's status and headers; its body is not read."""
CHUNK_BYTES = 4096
AGENT = "Pigpen-Webhooks/1"


@dataclass(frozen=True)
class Outcome:
    """The outcome of an attempt."""

    status: int | None
    """The status of the receiver's answer; None: nothing that was understood."""
    sentence: str
    wait: float | None = None
    """Seconds that the receiver asks to wait before the next message."""

    @property
    def is_accepted(self) -> bool:
        """True if the receiver has taken the message."""
        return self.status is not None and 200 <= self.status < 300

    @property
    def is_gone(self) -> bool:
        """True if the receiver wants no more messages."""
        return self.status == 410


async def send(
    url: str,
    policy: AddressPolicy,
    headers: Mapping[str, str],
    body: str,
    *,
    turn: int = 0,
    seconds: float = TIMEOUT_SECONDS,
    resolve: Callable[[Target], Sequence[str]] = resolved,
    clock: Callable[[], float] = time.time,
) -> Outcome:
    """
    Send a message once. Its host is resolved once, and the connection goes to the very address that was checked.

    An address that does not answer keeps the others from nothing: the next one is tried beside it. One that takes the
    connection and then says nothing has the whole attempt; the next attempt begins with another.

    Args:
        url: The webhook's.
        policy: Which addresses the organiser allows.
        headers: Its signature.
        body: The message.
        turn: The number of attempts before: each begins with another address of the host.
        seconds: That it may take.
        resolve: Finds the addresses of a host.
        clock: Unix time.
    """
    try:
        async with asyncio.timeout(seconds):
            target = target_of(url)
            found = await asyncio.get_running_loop().run_in_executor(None, resolve, target)
            addresses = _in_turn(check_addresses(target, found, policy), turn)
            return _outcome(await _request(target, addresses, headers, body.encode()), clock())
    except TimeoutError:
        return Outcome(None, f"There was no answer within {seconds:g} s.")
    except UserError as error:
        return Outcome(None, str(error))
    except h11.RemoteProtocolError:
        return Outcome(None, "The answer was not HTTP, or its headers were too long.")
    except OSError as error:  # of a connection, or of TLS
        return Outcome(None, f"The receiver could not be reached: {_words(error)}.")


def _outcome(answer: h11.Response, now: float) -> Outcome:
    status, sentence = answer.status_code, f"The receiver answered {answer.status_code}."
    if 300 <= status < 400:
        return Outcome(status, f"{sentence} Redirects are not followed.")
    if status in ASKS_TO_WAIT and (wait := _wait(answer, now)) is not None:
        return Outcome(status, f"The receiver answered {status}, and asks to wait {wait:.0f} s.", wait)
    return Outcome(status, sentence)


def _wait(answer: h11.Response, now: float) -> float | None:
    """Read the header Retry-After, seconds or a moment, as seconds from now; None: there is none that makes sense."""
    given = next((value.decode("latin-1").strip() for name, value in answer.headers if name == b"retry-after"), "")
    if given.isascii() and given.isdigit():
        return float(min(int(given[:20]), LONGEST_WAIT))
    try:
        moment = parsedate_to_datetime(given)
        aware = moment if moment.tzinfo else moment.replace(tzinfo=datetime.UTC)
        return min(max(aware.timestamp() - now, 0.0), LONGEST_WAIT)
    except (ValueError, OverflowError, IndexError, TypeError):
        return None


def _in_turn(addresses: Sequence[Address], turn: int) -> list[Address]:
    """Give the addresses in the order in which they are tried: both families by turns, as RFC 8305 says."""
    first = [each for each in addresses if each.version == addresses[0].version]
    second = [each for each in addresses if each.version != addresses[0].version]
    mixed = [each for each in chain(*zip_longest(first, second)) if each is not None][:MAX_ADDRESSES]
    start = turn % len(mixed)
    return mixed[start:] + mixed[:start]


async def fetch(
    url: str,
    policy: AddressPolicy,
    max_bytes: int,
    *,
    seconds: float = TIMEOUT_SECONDS,
    resolve: Callable[[Target], Sequence[str]] = resolved,
) -> bytes:
    """
    Fetch what an address gives, with the same care with which messages are sent.

    Args:
        url: The address.
        policy: Which addresses the organiser allows.
        max_bytes: Of what is fetched.
        seconds: That it may take.
        resolve: Finds the addresses of a host.

    Raises:
        UserError: If it gives nothing that can be used; the message says why.
    """
    try:
        async with asyncio.timeout(seconds):
            target = target_of(url)
            found = await asyncio.get_running_loop().run_in_executor(None, resolve, target)
            return await _fetched(target, _in_turn(check_addresses(target, found, policy), 0), max_bytes)
    except TimeoutError:
        raise UserError(f"{url}: there was no answer within {seconds:g} s.") from None
    except h11.RemoteProtocolError:
        raise UserError(f"{url}: the answer was not HTTP, or its headers were too long.") from None
    except OSError as error:
        raise UserError(f"{url}: it could not be reached: {_words(error)}.") from None


async def _fetched(target: Target, addresses: Sequence[Address], max_bytes: int) -> bytes:
    reader, writer = await _connected(target, addresses)
    try:
        connection = h11.Connection(h11.CLIENT, max_incomplete_event_size=MAX_HEAD_BYTES)
        headers = {"host": target.authority, "user-agent": AGENT, "connection": "close"}
        for event in (h11.Request(method="GET", target=target.path, headers=list(headers.items())), h11.EndOfMessage()):
            writer.write(connection.send(event) or b"")
        body = bytearray()
        while not isinstance(answer := connection.next_event(), h11.EndOfMessage):
            if isinstance(answer, h11.Response) and answer.status_code != 200:
                raise UserError(f"{target.host} answered {answer.status_code}.")
            if isinstance(answer, h11.Data):
                body += answer.data
                if len(body) > max_bytes:
                    raise UserError(f"{target.host} gives more than {max_bytes:,} bytes.")
            elif answer is h11.NEED_DATA:
                connection.receive_data(await reader.read(CHUNK_BYTES))
            elif answer is h11.PAUSED or isinstance(answer, h11.ConnectionClosed):
                raise ConnectionResetError("it closed the connection before the end of its answer")
        return bytes(body)
    finally:
        writer.transport.abort()
        with suppress(OSError):
            await writer.wait_closed()


async def _request(
    target: Target, addresses: Sequence[Address], headers: Mapping[str, str], body: bytes
) -> h11.Response:
    reader, writer = await _connected(target, addresses)
    try:
        connection = h11.Connection(h11.CLIENT, max_incomplete_event_size=MAX_HEAD_BYTES)
        sent = {
            "host": target.authority, "user-agent": AGENT, "content-type": "application/json", "connection": "close",
            "content-length": str(len(body)), **headers,
        }  # fmt: skip
        request = h11.Request(method="POST", target=target.path, headers=list(sent.items()))
        for event in (request, h11.Data(data=body), h11.EndOfMessage()):
            writer.write(connection.send(event) or b"")
        with suppress(ConnectionError):  # who does not read all of it may have answered
            await writer.drain()
        while True:
            answer = connection.next_event()
            if isinstance(answer, h11.Response):
                return answer
            if answer is h11.NEED_DATA:
                if not (chunk := await reader.read(CHUNK_BYTES)):
                    raise ConnectionResetError("it closed the connection without an answer")
                connection.receive_data(chunk)
    finally:
        writer.transport.abort()
        with suppress(OSError):
            await writer.wait_closed()


Connection = tuple[asyncio.StreamReader, asyncio.StreamWriter]


async def _connected(target: Target, addresses: Sequence[Address]) -> Connection:
    """
    Connect to the address that answers first, TLS included; each next one is tried a little later (RFC 8305).

    The name is for the certificate alone: it is not resolved again.
    """
    tls = {"ssl": _trusted(), "server_hostname": target.host} if target.scheme == "https" else {}
    left, trying, errors = list(addresses), list[asyncio.Task[Connection]](), list[OSError]()
    try:
        while left or trying:
            if left:
                opening = asyncio.open_connection(str(left.pop(0)), target.port, **tls)  # type: ignore[arg-type]
                trying.append(asyncio.create_task(opening))
            await asyncio.wait(trying, timeout=NEXT_SECONDS if left else None, return_when=asyncio.FIRST_COMPLETED)
            for task in [task for task in trying if task.done()]:
                trying.remove(task)
                try:
                    return task.result()
                except OSError as error:
                    errors.append(error)
        raise next((each for each in errors if isinstance(each, ssl.SSLError)), errors[0])
    finally:
        for task in trying:
            task.cancel()
        for other in await asyncio.gather(*trying, return_exceptions=True):
            if not isinstance(other, BaseException):  # it was connected, too, a moment later
                other[1].transport.abort()


@cache
def _trusted() -> ssl.SSLContext:
    return ssl.create_default_context()


def _words(error: OSError) -> str:
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"its certificate is not trusted ({error.verify_message})"
    if isinstance(error, ssl.SSLError) or not error.errno:
        return error.strerror or str(error) or type(error).__name__
    return os.strerror(error.errno)  # asyncio puts a sentence of its own in the place of the system's
