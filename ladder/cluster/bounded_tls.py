"""
TLS as Dask speaks it, for a side that trusts no other: a message that is too long is refused before it is read, and one
with a pickle in it is not read at all.
"""

from __future__ import annotations

import ssl
import struct
from typing import TYPE_CHECKING, Any

import msgpack
from distributed.comm.core import CommClosedError
from distributed.comm.tcp import TLS, TLSBackend, TLSConnector, TLSListener, convert_stream_closed_error, read_bytes_rw
from distributed.comm.utils import from_frames
from distributed.protocol.utils import unpack_frames
from tornado.iostream import StreamClosedError

if TYPE_CHECKING:
    from collections.abc import Sequence

MAX_FRAMES = 10_000
"""Parts that one message may have."""
REFUSED = ("__Pickled__", "__Enum__")
"""How Dask marks what is more than numbers, text, lists and dictionaries."""
DROPPED = "__Serialized__"
"""How Dask marks what its scheduler passes on without reading it, such as the exception of a task; None is read."""


class _BoundedTLS(TLS):  # type: ignore[misc]
    """A connection that ends when the other side announces a message that is too long."""

    most_bytes: int
    is_plain: bool
    """Whether a message is refused that holds more than numbers, text, lists and dictionaries."""
    stream: Any
    """None: the connection has ended."""

    async def read(self, deserializers: Any = None) -> Any:
        """Read a message; as `TLS.read` does, which checks nothing."""
        if self.stream is None:
            raise CommClosedError
        try:
            frames = await self._frames()
            if self.is_plain:
                return plain(frames)
            return await from_frames(
                frames, deserialize=self.deserialize, deserializers=deserializers, allow_offload=self.allow_offload
            )
        except (StreamClosedError, ssl.SSLError) as error:
            self.stream = None
            self._closed = True
            convert_stream_closed_error(self, error)
        except (ValueError, TypeError, EOFError, RecursionError) as error:
            self.abort()
            raise CommClosedError(f"{self.peer_address} sends what cannot be read: {error}") from None
        except BaseException:
            self.abort()
            raise

    async def _frames(self) -> list[Any]:
        (length,) = struct.unpack("Q", await self.stream.read_bytes(8))
        self._check(length)
        frames, lengths = unpack_frames(await read_bytes_rw(self.stream, length), partial=True)
        self._check(length + sum(lengths), len(frames) + len(lengths))
        return [*frames, *[await read_bytes_rw(self.stream, each) for each in lengths]]

    def _check(self, length: int, frames: int = 0) -> None:
        if length > self.most_bytes or frames > MAX_FRAMES:
            raise ValueError(f"a message of {length} bytes is too long")


def bounded_tls(most_bytes: int, *, is_plain: bool) -> TLSBackend:
    """
    Make Dask's way of TLS with a bound.

    Args:
        most_bytes: No message is longer.
        is_plain: Refuse a message that holds more than numbers, text, lists and dictionaries.
    """
    comm = type("BoundedTLS", (_BoundedTLS,), {"most_bytes": most_bytes, "is_plain": is_plain})
    backend = TLSBackend()
    backend._connector_class = type("Connector", (TLSConnector,), {"comm_class": comm})
    backend._listener_class = type("Listener", (TLSListener,), {"comm_class": comm})
    return backend


def plain(frames: Sequence[bytes | memoryview]) -> Any:
    """
    Read a message from its frames.

    Raises:
        ValueError: If it holds more than numbers, text, lists and dictionaries, or is none.
    """
    return msgpack.unpackb(frames[0], object_hook=_checked, use_list=False, strict_map_key=False)


def _checked(read: dict[Any, Any]) -> Any:
    if any(mark in read for mark in REFUSED):
        raise ValueError("it holds what is not plain")
    if DROPPED in read:
        return None
    return set(read["as-list"]) if "__Set__" in read else read
