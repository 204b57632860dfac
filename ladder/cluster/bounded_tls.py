"""
TLS as Dask speaks it, for a side that trusts no other: a message that is too long is refused before it is read, and
only numbers, text, lists and dictionaries are read. Nothing is unpickled.
"""

from __future__ import annotations

import ssl
import struct
from typing import Any

import msgpack
from distributed.comm.core import CommClosedError
from distributed.comm.tcp import TLS, TLSBackend, TLSConnector, TLSListener, convert_stream_closed_error, read_bytes_rw
from distributed.protocol.utils import unpack_frames
from tornado.iostream import StreamClosedError


class _BoundedTLS(TLS):  # type: ignore[misc]
    """A connection that ends when the other side announces a message that is too long, or sends more than data."""

    max_bytes: int
    stream: Any
    """None: the connection has ended."""

    async def read(self, deserializers: Any = None) -> Any:
        """Read a message; as `TLS.read` does, which checks nothing."""
        if self.stream is None:
            raise CommClosedError
        try:
            (length,) = struct.unpack("Q", await self.stream.read_bytes(8))
            if length > self.max_bytes:
                raise ValueError(f"a message of {length} bytes is too long")
            return plain(await read_bytes_rw(self.stream, length))
        except (StreamClosedError, ssl.SSLError) as error:
            self.stream = None
            self._closed = True
            convert_stream_closed_error(self, error)
        except (ValueError, TypeError, EOFError, RecursionError, AssertionError, struct.error) as error:
            self.abort()
            raise CommClosedError(f"{self.peer_address} sends what cannot be read: {error}") from None
        except BaseException:
            self.abort()
            raise


def bounded_tls(max_bytes: int) -> TLSBackend:
    """
    Make Dask's way of TLS with a bound.

    Args:
        max_bytes: No message is longer.
    """
    comm = type("BoundedTLS", (_BoundedTLS,), {"max_bytes": max_bytes})
    backend = TLSBackend()
    backend._connector_class = type("Connector", (TLSConnector,), {"comm_class": comm})
    backend._listener_class = type("Listener", (TLSListener,), {"comm_class": comm})
    return backend


def plain(message: bytes | memoryview) -> Any:
    """
    Read a message of one frame. Dask puts everything else, such as a pickle, into frames of its own.

    Raises:
        ValueError: If it has more frames, or is no message.
        struct.error: If it is no message.
    """
    frames, missing = unpack_frames(message, partial=True)
    if len(frames) != 1 or missing:
        raise ValueError("it holds what is not plain")
    return msgpack.unpackb(frames[0], use_list=False, strict_map_key=False)
