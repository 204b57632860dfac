"""
A stream to the referee whose reader waits for the socket itself: no thread hands it the messages.

With grpc.aio a thread of gRPC waits for the socket and wakes the event loop for each message and for each end of a
write; the blocking stack of grpc adds two threads more. A bot waits for one message at a time, so it needs none of
them: it uses a call with a queue of its own, as gRPC does for its own blocking calls. That call is no public interface
of gRPC, so it is used only where each part of it is found; docs/adr/0011-grpc-on-one-thread.md says more.
"""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING

from pigpen.v1.referee_pb2 import RefereeMessage
from pigpen.wire.transport import WHY_NOT, grpc

# isort: split
from grpc._cython import cygrpc  # type: ignore[attr-defined]

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Self

    from pigpen.v1.referee_pb2 import BotMessage

PARTS = (
    "BatchOperationEvent.batch_operations",
    "Channel.close",
    "Channel.segregated_call",
    "OperationType.receive_message",
    "OperationType.receive_status_on_client",
    "PropagationConstants.GRPC_PROPAGATE_DEFAULTS",
    "ReceiveInitialMetadataOperation.type",
    "ReceiveMessageOperation.message",
    "ReceiveMessageOperation.type",
    "ReceiveStatusOnClientOperation.code",
    "ReceiveStatusOnClientOperation.details",
    "ReceiveStatusOnClientOperation.type",
    "SegregatedCall.cancel",
    "SegregatedCall.next_event",
    "SegregatedCall.operate",
    "SendCloseFromClientOperation.type",
    "SendInitialMetadataOperation.type",
    "SendMessageOperation.type",
    "StatusCode.cancelled",
    "StatusCode.ok",
)
"""Everything of `cygrpc` that `BlockingStream` uses."""


def has_parts() -> bool:
    """Tell whether this version of grpcio has all that `BlockingStream` uses."""
    try:
        operator.attrgetter(*PARTS)(cygrpc)
    except AttributeError:
        return False
    return True


CAN_BLOCK = has_parts()

WHY_SLOW = WHY_NOT if WHY_NOT or CAN_BLOCK else f"grpcio {grpc.__version__} lacks a call by which a bot waits alone"
"""The reason that decisions take more CPU time here than they must, as a part of a sentence; None: they do not."""

METHOD = b"/pigpen.v1.Referee/Play"

_CODES = {code.value[0]: code for code in grpc.StatusCode}
_NO_FLAGS = 0


class StreamBroke(Exception):
    """A stream that did not end well; the text says why."""

    def __init__(self, code: grpc.StatusCode, details: str) -> None:
        super().__init__(details)
        self.code = code


class PartsDiffer(Exception):
    """A version of grpcio whose parts have the names that `BlockingStream` uses, and take other arguments."""


class BlockingStream:
    """
    One stream to a seat, for one thread.

    Each batch of operations that is begun gives one event; the call's queue must not be read once there are none left.
    """

    def __init__(self, address: str, options: Sequence[tuple[str, int]], hello: BotMessage) -> None:
        """
        Begin to connect to *address*, and send *hello* as soon as there is a connection.

        Raises:
            PartsDiffer: If this version of grpcio takes other arguments.
        """
        self._receives = False
        self._status: tuple[int, str] | None = None
        try:
            self._begin_call(address, options, hello.SerializeToString())
        except TypeError as error:
            raise PartsDiffer(str(error)) from error

    def _begin_call(self, address: str, options: Sequence[tuple[str, int]], hello: bytes) -> None:
        self._channel = cygrpc.Channel(address.encode(), tuple(options), None)
        batches = (
            (cygrpc.SendInitialMetadataOperation((), _NO_FLAGS), cygrpc.SendMessageOperation(hello, _NO_FLAGS)),
            (cygrpc.ReceiveInitialMetadataOperation(_NO_FLAGS),),
            (cygrpc.ReceiveStatusOnClientOperation(_NO_FLAGS),),
        )
        self._due = len(batches)
        host = deadline = credentials = context = None
        flags, metadata = cygrpc.PropagationConstants.GRPC_PROPAGATE_DEFAULTS, ()
        operations = tuple((batch, None) for batch in batches)
        self._call = self._channel.segregated_call(
            flags, METHOD, host, deadline, metadata, credentials, operations, context
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Cancel the call unless it has ended, and close the connection."""
        if self._due:
            self._call.cancel(cygrpc.StatusCode.cancelled, "the bot has closed its stream")
        while self._due:
            self._next_message()
        if self._status is not None:
            self._channel.close(cygrpc.StatusCode.cancelled, "the bot has closed its stream")

    def read(self) -> RefereeMessage | None:
        """
        Wait for the next message; None: the referee has ended the stream.

        Raises:
            StreamBroke: If the stream ended in any other way.
        """
        if not self._receives:
            self._begin(cygrpc.ReceiveMessageOperation(_NO_FLAGS))
        self._receives = False
        while self._due:
            data = self._next_message()
            if data is not None:
                return RefereeMessage.FromString(data)
        assert self._status is not None
        code, details = self._status
        if code != cygrpc.StatusCode.ok:
            raise StreamBroke(_CODES.get(code, grpc.StatusCode.UNKNOWN), details)
        return None

    def write(self, message: BotMessage) -> None:
        """Send *message*, and begin to read the next one: `read` then has one event to wait for instead of two."""
        data = message.SerializeToString()
        self._begin(cygrpc.SendMessageOperation(data, _NO_FLAGS), cygrpc.ReceiveMessageOperation(_NO_FLAGS))
        self._receives = True

    def done_writing(self) -> None:
        """Say that nothing more will be sent."""
        self._begin(cygrpc.SendCloseFromClientOperation(_NO_FLAGS))

    def _begin(self, *operations: object) -> None:
        """Begin a batch of operations, unless the call has ended."""
        if self._call.operate(operations, None):
            self._due += 1

    def _next_message(self) -> bytes | None:
        """Wait for the end of a batch; what it has received, if it has."""
        try:
            event = self._call.next_event()
        except BaseException:  # a signal's handler raised: gRPC has given up the call, and its queue is gone
            self._due = 0
            raise
        self._due -= 1
        message: bytes | None = None
        for operation in event.batch_operations:
            kind = operation.type()
            if kind == cygrpc.OperationType.receive_message:
                message = operation.message()
            elif kind == cygrpc.OperationType.receive_status_on_client:
                self._status = operation.code(), operation.details()
        return message
