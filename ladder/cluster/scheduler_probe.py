"""Finds out whether a scheduler would let a worker in, and if not, why: Dask would try for ever and not say."""

from __future__ import annotations

import asyncio
import os
import ssl
from contextlib import suppress
from typing import TYPE_CHECKING

from ladder.cluster.certificates import AGAIN
from ladder.errors import UserError

if TYPE_CHECKING:
    from ladder.cluster.certificates import Identity

PROBE_SECONDS = 15.0
"""Seconds without an answer after which an address counts as no scheduler."""


class SchedulerUnreachable(Exception):
    """No scheduler answers yet; trying again later may help."""


async def probe_scheduler(address: str, identity: Identity, seconds: float = PROBE_SECONDS) -> None:
    """
    Connect, and wait until the scheduler says something.

    Args:
        address: ``tls://HOST:PORT``.
        identity: With what the worker comes.
        seconds: Seconds that it may take.

    Raises:
        SchedulerUnreachable: If nothing answers, or not as a scheduler does.
        UserError: If one of both does not accept the other's certificate.
    """
    host, _, port = address.removeprefix("tls://").rpartition(":")
    try:
        async with asyncio.timeout(seconds):
            reader, writer = await asyncio.open_connection(host.strip("[]"), int(port), ssl=_context(identity))
            try:
                await reader.readexactly(1)  # it comes when the scheduler has accepted the certificate
            finally:
                writer.close()
                with suppress(OSError, ssl.SSLError):
                    await writer.wait_closed()
    except ssl.SSLCertVerificationError as error:
        raise UserError(
            f"The server at {address} is not the scheduler of this certificate's cluster "
            f"({error.verify_message}). {AGAIN}"
        ) from error
    except ssl.SSLError as error:
        if "ALERT" not in str(error.reason):
            raise SchedulerUnreachable(f"it does not speak TLS: {error.reason}") from error
        raise UserError(
            f"The coordinator at {address} does not accept the certificate {identity.file}: it is another cluster's. "
            f"{AGAIN}"
        ) from error
    except asyncio.IncompleteReadError as error:
        raise SchedulerUnreachable("it ends the connection at once") from error
    except TimeoutError as error:
        raise SchedulerUnreachable(f"no answer in {seconds:g} seconds") from error
    except OSError as error:
        raise SchedulerUnreachable(os.strerror(error.errno).lower() if error.errno else str(error)) from error


def _context(identity: Identity) -> ssl.SSLContext:
    context = ssl.create_default_context(ssl.Purpose.SERVER_AUTH, cadata=identity.authority)
    context.check_hostname = False  # a scheduler's certificate says what it is, and no address
    context.load_cert_chain(identity.file)
    return context
