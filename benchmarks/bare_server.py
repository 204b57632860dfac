"""The server of a bare grpc.aio ping-pong: what the transport costs without any of Pigpen."""

from __future__ import annotations

import asyncio

import pigpen.wire.transport  # noqa: F401  # gRPC as the referee uses it

# isort: split
import grpc
import grpc.aio


class BareServer:
    """One socket for all clients; asks them in turn."""

    def __init__(self, path: str) -> None:
        self._streams: list[grpc.aio.ServicerContext[bytes, bytes]] = []
        self._over = asyncio.Event()
        self._server = grpc.aio.server()
        handler: grpc.RpcMethodHandler[bytes, bytes] = grpc.stream_stream_rpc_method_handler(self._play)
        service = grpc.method_handlers_generic_handler("bare.Bare", {"Play": handler})
        self._server.add_generic_rpc_handlers((service,))
        self._server.add_insecure_port(f"unix:{path}")

    async def _play(self, _: object, context: grpc.aio.ServicerContext[bytes, bytes]) -> None:
        await context.read()
        self._streams.append(context)
        await self._over.wait()

    async def start(self) -> None:
        """Listen."""
        await self._server.start()

    async def connected(self, clients: int) -> None:
        """Wait until *clients* clients have sent their first byte."""
        while len(self._streams) < clients:
            await asyncio.sleep(0.002)

    async def ask(self, client: int, message: bytes) -> None:
        """Make one round trip."""
        stream = self._streams[client]
        await stream.write(message)
        await stream.read()

    async def stop(self) -> None:
        """End all streams."""
        self._over.set()
        await self._server.stop(None)
