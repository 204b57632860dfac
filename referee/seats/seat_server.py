"""
Server of one seat: a Unix socket while a bot is expected, and the connections made over it.

The first message of a bot proves with its token that the seat is its own. Messages to a bot go over one stream at a
time, one after the other. A stream is ended with a reason.
"""

from __future__ import annotations

import asyncio
import hmac
import secrets
from typing import TYPE_CHECKING, TypeAlias

from google.protobuf.message import DecodeError

from pigpen.v1.referee_pb2 import BotMessage, RefereeMessage
from pigpen.wire.messages import MAX_BYTES, PROTOCOL, too_long
from pigpen.wire.transport import grpc
from referee.seats.listener import MAX_WAITING, Backlog, Listener
from referee.seats.verdict import SeatBroken

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Sequence
    from pathlib import Path
    from typing import NoReturn

Context: TypeAlias = "grpc.aio.ServicerContext[bytes, RefereeMessage]"
"""The referee's end of one stream; what the bot sends is left as bytes."""

BREAK_SECONDS = 0.5
"""Seconds that a stopped server is waited for: a bot that does not read holds up the end of its connections."""
ENDED_SECONDS = 30.0
"""The same when the bot's program has ended: then nothing holds them up but a busy machine."""

LOOK_SECONDS = 0.05
"""From one look at the connections that wait to the next, while a bot is expected."""
LOOKS = 10
"""Looks in a row at which connections waited, before it is tried whether too many do: a try makes another one wait."""

READ_SECONDS = 0.1
"""From one look at what has come and is not read to the next."""
READS = 3
"""Looks in a row at which too much was not read."""
FINDS = 5
"""Looks from one search for new connections to the next, which takes 0.3 ms of CPU."""
MAX_UNREAD = 4096
"""Bytes that may wait to be read on a connection: more than the largest that an honest bot sends at a time."""

LONGEST_PATH = 107
"""Bytes of a Unix socket's path that every system takes."""

READABLE_BYTES = 4 * MAX_BYTES
"""Bytes up to which a message that is too long is read, so that it can be called so; a longer one breaks the stream."""

OPTIONS = (
    ("grpc.max_receive_message_length", READABLE_BYTES),
    ("grpc.max_concurrent_streams", 2),
    ("grpc.max_metadata_size", 4096),
    ("grpc.absolute_max_metadata_size", 8192),
    ("grpc.server_handshake_timeout_ms", 5000),
    ("grpc.max_allowed_incoming_connections", 4),
    ("grpc.max_connection_idle_ms", 5000),  # one without a stream, whatever else comes over it
    ("grpc.http2.bdp_probe", 0),
    # Pings are answered, however many come: where gRPC counts them and closes the connection, it first reads all that
    # has come, at a cost for each ping that grows with their number, in the thread that all seats share.
    ("grpc.http2.max_ping_strikes", 0),
    ("grpc.so_reuseport", 0),
)
"""Options that keep a hostile client from the server's memory and descriptors."""


class SeatServer:
    """
    Listens for one bot; each time that it listens again it does so with a server and a socket of its own.

    Attributes:
        socket: Where it listens.
    """

    def __init__(
        self,
        socket: Path,
        play: Callable[[object, Context], Awaitable[None]],
        flooded: Callable[[str], object],
        options: Sequence[tuple[str, int]] = OPTIONS,
    ) -> None:
        """
        Prepare a server.

        Args:
            socket: Where to listen.
            play: Serves one stream.
            flooded: Called when more connections wait than any bot needs, the socket is gone then, or when more comes
                than is read; its argument says so.
            options: What gRPC is set to.
        """
        self.socket = socket
        self.removal_message = f"The socket {socket} was removed while a bot was expected there."
        self._play = play
        self._flooded = flooded
        self._options = options
        self._server: grpc.aio.Server | None = None
        self._listener: Listener | None = None
        self._watching: asyncio.Task[None] | None = None
        self._reading: asyncio.Task[None] | None = None
        self._starting: asyncio.Future[None] | None = None
        self._stopping: set[asyncio.Task[None]] = set()

    async def listen(self) -> None:
        """
        Open the socket and serve every stream that comes, in the background.

        Raises:
            SeatBroken: If the socket cannot be made.
        """
        try:
            await self._listen()
        except (OSError, RuntimeError) as error:
            raise SeatBroken(f"The socket {self.socket} cannot be made: {_obstacle(self.socket)}.") from error

    def has_socket(self) -> bool:
        """Tell whether there is a socket to come to."""
        return self.socket.exists()

    def hide(self) -> None:
        """Close and remove the socket; connections that have been made stay."""
        self._close_listener()
        self.socket.unlink(missing_ok=True)

    async def stop(self, grace: float | None, patience: float = BREAK_SECONDS) -> None:
        """
        Stop listening and break every connection.

        Args:
            grace: Seconds in which streams may end well; None: they break at once.
            patience: Seconds that are waited for connections which have been broken.
        """
        self._close_listener()  # before gRPC closes the descriptor, whose number then is soon another file's
        if self._reading:
            self._reading.cancel()
            self._reading = None
        if self._server:
            if self._starting:
                await asyncio.wait([self._starting])
            stopping = asyncio.ensure_future(self._server.stop(grace))
            self._stopping.add(stopping)
            stopping.add_done_callback(self._stopping.discard)
        if self._stopping:
            await asyncio.wait(self._stopping, timeout=(grace or 0.0) + patience)

    async def _listen(self) -> None:
        server = grpc.aio.server(options=self._options, maximum_concurrent_rpcs=8)
        handler: grpc.RpcMethodHandler[bytes, RefereeMessage] = grpc.stream_stream_rpc_method_handler(
            self._play, response_serializer=RefereeMessage.SerializeToString
        )
        service = grpc.method_handlers_generic_handler("pigpen.v1.Referee", {"Play": handler})
        server.add_generic_rpc_handlers((service,))
        server.add_insecure_port(f"unix:{self.socket}")
        self._listener = Listener(self.socket)
        self.socket.chmod(0o666)  # before a bot can connect, and so before the socket can be gone
        self._server = server
        # One that is cancelled continues: gRPC's task cannot tell a caller who is gone, and `stop` waits for it.
        self._starting = asyncio.ensure_future(server.start())
        await asyncio.shield(self._starting)
        self._reading = asyncio.ensure_future(self._watch_traffic(Backlog(self.socket)))
        if self._listener:  # no bot has come already
            self._watching = asyncio.ensure_future(self._watch(self._listener))

    async def _watch(self, listener: Listener) -> None:
        """Close the socket if too many wait there."""
        looks = 0
        while looks < LOOKS or not listener.is_full():
            await asyncio.sleep(LOOK_SECONDS)
            looks = looks % LOOKS + 1 if listener.has_waiting() else 0
        self._watching = None
        self.hide()
        self._flooded(f"it kept more than {MAX_WAITING} connections waiting")

    async def _watch_traffic(self, backlog: Backlog) -> None:
        """Report a bot that sends faster than the referee reads, for a while."""
        looks, full = 0, 0
        while full < READS:
            if looks % FINDS == 0:
                backlog.find()
            looks += 1
            await asyncio.sleep(READ_SECONDS)
            full = full + 1 if backlog.unread() > MAX_UNREAD else 0
        self._reading = None
        self._flooded("it sent more than the referee reads")

    def _close_listener(self) -> None:
        if self._watching:
            self._watching.cancel()
            self._watching = None
        if self._listener:
            self._listener.close()
            self._listener = None


def _obstacle(socket: Path) -> str:
    """Say why no socket can be made there, as far as can be seen."""
    if not socket.parent.is_dir():
        return "its folder is gone"
    if len(str(socket)) > LONGEST_PATH:
        return f"a socket's path may have {LONGEST_PATH} characters, set TMPDIR to a shorter one"
    return "is its disk full?"


async def refuse(context: Context, code: grpc.StatusCode, reason: str) -> NoReturn:
    """
    End a stream with a reason, whether or not the other end is still there to read it.

    It always raises what gRPC expects: AbortError, or CancelledError if the other end has gone meanwhile. Any other
    exception would stand in the log as a failure of ours.
    """
    try:
        await context.abort(code, reason)
    except grpc.aio.InternalError:
        raise asyncio.CancelledError from None


_PAGE = "see docs/protocol.md"
_FIRST = f"send BotMessage.hello as soon as the stream is open ({_PAGE})"


def new_token() -> str:
    """Make a fresh seat token: 128 random bits in hex."""
    return secrets.token_hex(16)


async def check_hello(context: Context, token: str, seconds: float) -> None:
    """Read the first message, within *seconds*; end the stream unless it is a Hello with the seat's *token*."""
    try:
        async with asyncio.timeout(seconds):
            data = await context.read()
        if isinstance(data, bytes) and len(data) > MAX_BYTES:
            await refuse(context, grpc.StatusCode.INVALID_ARGUMENT, f"{too_long(len(data))}: {_FIRST}")
        message = BotMessage.FromString(data if isinstance(data, bytes) else b"")
    except TimeoutError:
        await refuse(context, grpc.StatusCode.DEADLINE_EXCEEDED, f"no Hello within {seconds:g} s: {_FIRST}")
    except DecodeError:
        await refuse(context, grpc.StatusCode.INVALID_ARGUMENT, f"the first message cannot be read: {_FIRST}")
    if message.WhichOneof("body") != "hello":
        await refuse(context, grpc.StatusCode.INVALID_ARGUMENT, f"the first message is not a Hello: {_FIRST}")
    hello = message.hello
    if not hmac.compare_digest(hello.token.encode(), token.encode()):
        await refuse(
            context,
            grpc.StatusCode.UNAUTHENTICATED,
            f"that is not the token of this seat: hello.token has to be PIGPEN_TOKEN as it is ({_PAGE})",
        )
    if hello.protocol != PROTOCOL:
        await refuse(context, grpc.StatusCode.FAILED_PRECONDITION, other_protocol(PROTOCOL, hello.protocol))


def other_protocol(spoken: int, claimed: int) -> str:
    """Say that a referee that speaks one protocol is not spoken to in another."""
    return f"this referee speaks protocol {spoken}, and hello.protocol is {claimed}; update the bot's SDK ({_PAGE})"


class Stream:
    """The stream that a bot has opened to its seat, or none; while there is none, nothing is sent."""

    def __init__(self) -> None:
        self._context: Context | None = None
        self._writing = asyncio.Lock()

    @property
    def is_there(self) -> bool:
        """True while the bot has a stream."""
        return self._context is not None

    def attach(self, context: Context) -> None:
        """Note that the bot has connected."""
        self._context = context

    def detach(self) -> None:
        """Note that its stream has ended."""
        self._context = None

    async def begin(self, missed: Iterable[RefereeMessage]) -> None:
        """
        Begin the stream with what the bot has *missed*, before anything else is sent to it.

        The headers go alone: gRPC would send them twice if the first message were given up on its way.
        """
        context = self._context
        assert context is not None
        async with self._writing:
            try:
                await context.send_initial_metadata(())
                for message in missed:
                    await context.write(message)
            except (grpc.aio.BaseError, asyncio.InvalidStateError):
                return  # it has broken: the next one begins the same way

    async def send(self, message: RefereeMessage) -> None:
        """Write a message; if the stream breaks, or is another one by the time it is its turn, nothing is sent."""
        context = self._context
        async with self._writing:
            if context is not None and context is self._context:
                try:
                    await context.write(message)
                except (grpc.aio.BaseError, asyncio.InvalidStateError):
                    return
