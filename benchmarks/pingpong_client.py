"""The bare client of the decision benchmark: echo every message with a reply of an answer's size."""

import asyncio
import os

import grpc
import grpc.aio

REPLY = b"x" * 8


async def main() -> None:
    async with grpc.aio.insecure_channel(os.environ["PIGPEN_ADDRESS"]) as channel:
        call = channel.stream_stream("/bare.Bare/Play")
        stream = call()
        await stream.write(REPLY)
        while isinstance(await stream.read(), bytes):
            await stream.write(REPLY)


asyncio.run(main())
