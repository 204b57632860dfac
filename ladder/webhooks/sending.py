"""Sending one message: a request to an address that was checked, within a time; only the head of its answer counts."""

from __future__ import annotations

import asyncio
import os
import ssl
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import h11

from ladder.errors import UserError
from ladder.webhooks.public_addresses import check_addresses, resolved, target_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ladder.webhooks.public_addresses import Address, AddressPolicy, Target

TIMEOUT_SECONDS = 15.0
"""For all of an attempt: the name, the connection, the request and the head of the answer."""
MAX_HEAD_BYTES = 16 * 1024
"""Of an answer's status and headers; its body is not read."""
CHUNK_BYTES = 4096
AGENT = "Pigpen-Webhooks/1"


@dataclass(frozen=True)
class Outcome:
    """What came of an attempt."""

    status: int | None
    """What the receiver answered; None: nothing that was understood."""
    sentence: str

    @property
    def is_accepted(self) -> bool:
        """Whether the receiver has taken the message."""
        return self.status is not None and 200 <= self.status < 300

    @property
    def is_gone(self) -> bool:
        """Whether the receiver wants no more messages."""
        return self.status == 410


async def send(
    url: str,
    policy: AddressPolicy,
    headers: Mapping[str, str],
    body: str,
    *,
    seconds: float = TIMEOUT_SECONDS,
    resolve: Callable[[Target], Sequence[str]] = resolved,
) -> Outcome:
    """
    Send a message once. Its host is resolved once, and the connection goes to the very address that was checked.

    Args:
        url: The webhook's.
        policy: Which addresses the organiser allows.
        headers: Its signature.
        body: The message.
        seconds: That it may take.
        resolve: Finds the addresses of a host.
    """
    try:
        async with asyncio.timeout(seconds):
            target = target_of(url)
            found = await asyncio.get_running_loop().run_in_executor(None, resolve, target)
            return _outcome(await _request(target, check_addresses(target, found, policy), headers, body.encode()))
    except TimeoutError:
        return Outcome(None, f"There was no answer within {seconds:g} s.")
    except UserError as error:
        return Outcome(None, str(error))
    except h11.RemoteProtocolError:
        return Outcome(None, "The answer was not HTTP, or its headers were too long.")
    except OSError as error:  # of a connection, or of TLS
        return Outcome(None, f"The receiver could not be reached: {_words(error)}.")


def _outcome(status: int) -> Outcome:
    sentence = f"The receiver answered {status}."
    return Outcome(status, f"{sentence} Redirects are not followed." if 300 <= status < 400 else sentence)


async def _request(target: Target, addresses: Sequence[Address], headers: Mapping[str, str], body: bytes) -> int:
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
                return answer.status_code
            if answer is h11.NEED_DATA:
                if not (chunk := await reader.read(CHUNK_BYTES)):
                    raise ConnectionResetError("it closed the connection without an answer")
                connection.receive_data(chunk)
    finally:
        writer.transport.abort()
        with suppress(OSError):
            await writer.wait_closed()


async def _connected(target: Target, addresses: Sequence[Address]) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Connect to the first address that answers; the name is for the certificate alone."""
    tls = {"ssl": _trusted(), "server_hostname": target.host} if target.scheme == "https" else {}
    for number, address in enumerate(addresses, 1):
        try:
            return await asyncio.open_connection(str(address), target.port, **tls)  # type: ignore[arg-type]
        except ssl.SSLError:
            raise
        except OSError:
            if number == len(addresses):
                raise
    raise AssertionError("check_addresses gives at least one")


@cache
def _trusted() -> ssl.SSLContext:
    return ssl.create_default_context()


def _words(error: OSError) -> str:
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"its certificate is not trusted ({error.verify_message})"
    if isinstance(error, ssl.SSLError) or not error.errno:
        return error.strerror or str(error) or type(error).__name__
    return os.strerror(error.errno)  # asyncio puts a sentence of its own in the place of the system's
