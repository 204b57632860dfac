"""
The client of a bare grpc.aio ping-pong: connects, says something, answers every message.

Messages have six bytes, the size of an Answer. The token says how gRPC is to run: `plain`, as it comes.
"""

from __future__ import annotations

import asyncio
import os

if os.environ.get("PIGPEN_TOKEN") != "plain":
    import pigpen.wire.transport  # noqa: F401  # gRPC as Pigpen's own bots use it

# isort: split
import grpc
import grpc.aio

ANSWER = b"\x12\x04\x08\x64\x10\x1f"


async def answer_all(address: str) -> None:
    """Answer every message until the stream ends."""
    async with grpc.aio.insecure_channel(address) as channel:
        stream: grpc.aio.StreamStreamCall[bytes, bytes] = channel.stream_stream("/bare.Bare/Play")()
        await stream.write(ANSWER)
        try:
            while isinstance(await stream.read(), bytes):
                await stream.write(ANSWER)
        except grpc.aio.AioRpcError:
            return


if __name__ == "__main__":
    asyncio.run(answer_all(os.environ["PIGPEN_ADDRESS"]))
