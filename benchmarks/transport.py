"""gRPC as it comes against gRPC as `pigpen.transport` sets it: bare ping-pongs in processes of their own, in turn."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.bare_server import BareServer
from benchmarks.lanes import typical
from benchmarks.report import ratio, show, spread
from pigpen.transport import ONE_THREAD

AS_IT_COMES = "event_engine_client,event_engine_listener"
TRIPS = 100
MESSAGE = bytes(90)
CLIENT = Path(__file__).parent / "bare" / "bot.py"

WAYS = {
    "as it comes": (AS_IT_COMES, AS_IT_COMES),
    "one thread in the server": (ONE_THREAD, AS_IT_COMES),
    "one thread in the client": (AS_IT_COMES, ONE_THREAD),
    "one thread in both": (ONE_THREAD, ONE_THREAD),
}
"""What GRPC_EXPERIMENTS is for the server and for the client."""


async def serve(socket: str, experiments: str) -> None:
    """For each line of stdin, ping a client of its own `TRIPS` times; print µs by the clock, and of CPU time."""
    server = BareServer(socket)
    await server.start()
    environment = os.environ | {"GRPC_EXPERIMENTS": experiments, "PIGPEN_ADDRESS": f"unix:{socket}"}
    with subprocess.Popen([sys.executable, str(CLIENT)], env=environment) as client:
        await server.connected(1)
        print(flush=True)
        while sys.stdin.readline():
            wall, cpu = time.perf_counter(), time.process_time()
            for _ in range(TRIPS):
                await server.ask(0, MESSAGE)
            print((time.perf_counter() - wall) / TRIPS * 1e6, (time.process_time() - cpu) / TRIPS * 1e6, flush=True)
        client.kill()
    await server.stop()


def start(socket: Path, server: str, client: str) -> subprocess.Popen[str]:
    """A ping-pong that waits to be told to begin."""
    command = [sys.executable, "-m", "benchmarks.transport", str(socket), client]
    environment = os.environ | {"GRPC_EXPERIMENTS": server}
    made = subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert made.stdout
    made.stdout.readline()
    return made


def step(ping_pong: subprocess.Popen[str]) -> tuple[float, ...]:
    """`TRIPS` round trips."""
    assert ping_pong.stdin
    assert ping_pong.stdout
    print(file=ping_pong.stdin, flush=True)
    return tuple(map(float, ping_pong.stdout.readline().split()))


def main(rounds: int = 200) -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory(prefix="pigpen-") as folder:
        started = [start(Path(folder) / str(number), *way) for number, way in enumerate(WAYS.values())]
        rounds_made = [[step(each) for each in started] for _ in range(rounds)]
        for each in started:
            each.communicate()
    walls, cpus = (
        [typical([step[place] for step in steps]) for steps in zip(*rounds_made, strict=True)] for place in (0, 1)
    )
    rows = [
        (way, spread(wall), ratio(walls[0], wall), spread(cpu))
        for way, wall, cpu in zip(WAYS, walls, cpus, strict=True)
    ]
    show("A bare ping-pong, two processes", ("gRPC", "µs a round trip", "trips/s", "server's CPU, µs"), rows)


if __name__ == "__main__":
    if sys.argv[1:]:
        asyncio.run(serve(*sys.argv[1:]))
    else:
        main()
