"""
Prints how gRPC runs here, as JSON: `why_not`, `can_block`, and how often threads of its pool wake up in `CALLS` calls.

Run in processes of their own, on this machine and in the bot base image: how gRPC runs is settled when it is imported.
"""

from __future__ import annotations

import json
import tempfile
from concurrent import futures
from pathlib import Path

from pigpen.wire import transport
from pigpen.wire.blocking_stream import CAN_BLOCK
from pigpen.wire.transport import grpc

CALLS = 300


class Echo(grpc.GenericRpcHandler):
    """Gives back what it is sent."""

    def service(self, handler_call_details: grpc.HandlerCallDetails) -> grpc.RpcMethodHandler[bytes, bytes]:
        return grpc.unary_unary_rpc_method_handler(lambda request, context: request)


def wake_ups() -> int | None:
    """Sum the times that threads of gRPC's pool began to wait; None: this kernel does not count them."""
    total = 0
    for task in Path("/proc/self/task").iterdir():
        if (task / "comm").read_text().startswith("event_engine"):
            status = dict(line.split(":\t", 1) for line in (task / "status").read_text().splitlines())
            if "voluntary_ctxt_switches" not in status:
                return None
            total += int(status["voluntary_ctxt_switches"])
    return total


def main() -> None:
    """Make the calls, one after the other, over a Unix socket in this process."""
    server = grpc.server(futures.ThreadPoolExecutor(1))
    server.add_generic_rpc_handlers((Echo(),))
    with tempfile.TemporaryDirectory() as folder:
        address = f"unix:{folder}/echo.sock"
        server.add_insecure_port(address)
        server.start()
        with grpc.insecure_channel(address) as channel:
            call: grpc.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary("/test.Echo/Say")
            call(b"connected")
            before = wake_ups()
            for _ in range(CALLS):
                call(b"again")
            after = wake_ups()
        server.stop(None).wait()
    counted = None if before is None or after is None else after - before
    print(json.dumps({"why_not": transport.WHY_NOT, "can_block": CAN_BLOCK, "wake_ups": counted}))


if __name__ == "__main__":
    main()
