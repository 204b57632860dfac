"""TLS as Dask speaks it, but a message that is too long is refused before it is read."""

from __future__ import annotations

import ssl
import struct
from typing import Any

from distributed.comm.core import CommClosedError
from distributed.comm.tcp import TLS, TLSBackend, TLSConnector, TLSListener, convert_stream_closed_error, read_bytes_rw
from distributed.comm.utils import from_frames
from distributed.protocol.utils import unpack_frames
from tornado.iostream import StreamClosedError

MOST_FRAMES = 10_000
"""Parts that one message may have."""


class BoundedTLS(TLS):  # type: ignore[misc]
    """A connection that ends when the other side announces a message that is too long."""

    most_bytes: int
    stream: Any
    """None: the connection has ended."""

    async def read(self, deserializers: Any = None) -> Any:
        """Read a message; as `TLS.read` does, which checks no length."""
        if self.stream is None:
            raise CommClosedError
        try:
            frames = await self._frames()
        except (StreamClosedError, ssl.SSLError) as error:
            self.stream = None
            self._closed = True
            convert_stream_closed_error(self, error)
        except BaseException:
            self.abort()
            raise
        try:
            return await from_frames(
                frames, deserialize=self.deserialize, deserializers=deserializers, allow_offload=self.allow_offload
            )
        except EOFError:
            self.abort()
            raise CommClosedError("aborted stream on truncated data") from None

    async def _frames(self) -> list[Any]:
        (length,) = struct.unpack("Q", await self.stream.read_bytes(8))
        self._check(length)
        frames, lengths = unpack_frames(await read_bytes_rw(self.stream, length), partial=True)
        self._check(length + sum(lengths), len(frames) + len(lengths))
        return [*frames, *[await read_bytes_rw(self.stream, each) for each in lengths]]

    def _check(self, length: int, frames: int = 0) -> None:
        if length > self.most_bytes or frames > MOST_FRAMES:
            raise CommClosedError(f"{self.peer_address} announces a message of {length} bytes: too long")


def bounded_tls(most_bytes: int) -> TLSBackend:
    """
    Make Dask's way of TLS with a bound.

    Args:
        most_bytes: No message is longer.
    """
    comm = type("BoundedTLS", (BoundedTLS,), {"most_bytes": most_bytes})
    backend = TLSBackend()
    backend._connector_class = type("Connector", (TLSConnector,), {"comm_class": comm})
    backend._listener_class = type("Listener", (TLSListener,), {"comm_class": comm})
    return backend
