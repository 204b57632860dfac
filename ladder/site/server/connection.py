"""A connection to a visitor, who may be slow, or means to be: no visitor holds one for long without using it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

if TYPE_CHECKING:
    import asyncio
    from typing import Any, Self

HEAD_BYTES = 16 * 1024
"""What a request may have before its body, while it is not complete."""
MAX_CONNECTIONS = 4096
"""More are answered that there are too many."""


@dataclass(frozen=True)
class Timeouts:
    """How long a visitor is waited for, in seconds."""

    head: float = 20.0
    """For the head of a request, and for the rest of one that has been answered already."""
    reader: float = 60.0
    """For a client that does not read what is sent to it."""


class TimeoutConnection(H11Protocol):
    """Uvicorn's, which would wait without end for the first request, and for a visitor who does not read."""

    timeouts: ClassVar[Timeouts] = Timeouts()
    _deadline: asyncio.TimerHandle | None = None
    _writing: asyncio.TimerHandle | None = None
    _waits_for: object = None

    @classmethod
    def with_timeouts(cls, timeouts: Timeouts) -> type[Self]:
        """Give the class of connections with other timeouts: uvicorn makes them itself."""
        return type(cls.__name__, (cls,), {"timeouts": timeouts})

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """See asyncio."""
        super().connection_made(transport)
        self._look()

    def connection_lost(self, exc: Exception | None) -> None:
        """See asyncio."""
        for timer in (self._deadline, self._writing):
            if timer is not None:
                timer.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """See asyncio."""
        super().data_received(data)
        self._look()

    def on_response_complete(self) -> None:
        """See uvicorn."""
        super().on_response_complete()
        self._look()

    def timeout_keep_alive_handler(self) -> None:
        """See uvicorn, which would wait until the last bytes are read."""
        super().timeout_keep_alive_handler()
        self.loop.call_later(self.timeouts.head, self.transport.abort)

    def pause_writing(self) -> None:
        """See asyncio: much has been sent that has not been read."""
        super().pause_writing()
        self._writing = self.loop.call_later(self.timeouts.reader, self.transport.abort)

    def resume_writing(self) -> None:
        """See asyncio."""
        super().resume_writing()
        if self._writing is not None:
            self._writing.cancel()

    def _look(self) -> None:
        """Set the deadline anew if something else is awaited; the bytes that arrive meanwhile do not move it."""
        waits_for = self._awaited()
        if waits_for == self._waits_for:
            return
        self._waits_for = waits_for
        if self._deadline is not None:
            self._deadline.cancel()
        self._deadline = self.loop.call_later(self.timeouts.head, self.transport.abort) if waits_for else None

    def _awaited(self) -> Any:
        """Name what the client must still send: a head, or the rest of an answered request; None: nothing."""
        theirs = self.conn.their_state
        if theirs is h11.IDLE:
            return theirs
        return theirs if theirs is h11.SEND_BODY and self.cycle.response_complete else None
