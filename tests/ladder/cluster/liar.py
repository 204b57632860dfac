"""
A worker that lies: `python -m tests.ladder.cluster.liar ADDRESS CERTIFICATE FILE`.

FILE gets the numbers of processes in which a pickle of it has run.

It has a valid certificate and speaks Dask's protocol like an honest one. A task's field `lie` says which lie to tell.
"""

from __future__ import annotations

import asyncio
import json
import pickle
import struct
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from distributed.comm import connect
from distributed.protocol import to_serialize
from distributed.protocol.serialize import ToPickle
from tornado.iostream import StreamClosedError

from ladder.cluster.certificates import read_identity
from ladder.cluster.dask_setup import set_up_worker
from ladder.cluster.terms import ANSWER, TOPIC
from ladder.cluster.worker_facts import Facts
from ladder.cluster.worker_session import WorkerSession
from ladder.worker.channel import Frame, MessageKind
from ladder.worker.worker_pool import WorkerPool
from tests.waiting import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Sequence

MIB = 1 << 20
REFUSED = "The scheduler has ended the connection."


def run_there(file: str) -> tuple[Any, ...]:
    """Give the content of a pickle that writes down in which process it was unpickled."""
    return exec, (f"import os; open({file!r}, 'a').write(f'{{os.getpid()}}\\n')",)


class Evil:
    """Runs something when it is unpickled."""

    file = ""

    def __reduce__(self) -> tuple[Any, ...]:
        return run_there(Evil.file)


class EvilError(Exception):
    """An exception of that kind."""

    def __reduce__(self) -> tuple[Any, ...]:
        return run_there(Evil.file)


class Liar(WorkerSession):
    """Tells a lie where an honest worker plays."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.waiting = 0
        self.is_waiting = asyncio.Event()
        self.lied = asyncio.Event()

    def _play(self, call: int, token: str, task: str) -> None:
        """Tell the task's lie."""
        self._answering.add(asyncio.create_task(self._lie(call, token, json.loads(task))))

    async def _lie(self, call: int, token: str, order: dict[str, Any]) -> None:
        try:
            await getattr(self, order["lie"])(call, token, order)
        except OSError:
            await self._say(call, token, REFUSED, kind="failure")

    async def result(self, call: int, token: str, _: object) -> None:
        """End a task as Dask's workers do: with a pickle of its type."""
        ended = {"op": "task-finished", "key": f"call-{call}", "run_id": 1, "nbytes": 1, "metadata": {}}
        self._dask.batched_send({**ended, "typename": "Evil", "type": pickle.dumps(Evil()), "stimulus_id": "x"})
        await self._say(call, token, "told")

    async def exception(self, call: int, *_: object) -> None:
        """Report a failed task as Dask's workers do."""
        erred = {"op": "task-erred", "key": f"call-{call}", "run_id": 1, "stimulus_id": "x"}
        self._dask.batched_send({**erred, "exception": to_serialize(EvilError()), "traceback": None})
        await asyncio.sleep(60)

    async def event(self, *_: object) -> None:
        for wrap in (ToPickle, to_serialize):
            body = {"kind": "log", "body": wrap(Evil())}
            self._dask.batched_send({"op": "log-event", "topic": TOPIC, "msg": body})
        await asyncio.sleep(60)

    async def warning(self, call: int, token: str, _: object) -> None:
        """Send a message that Dask's own clients unpickle when they receive it."""
        pickled = pickle.dumps(Evil())
        for topic in ("warn", "print"):
            self._dask.log_event(topic, {"category": pickled, "message": pickled, "args": pickled})
        await self._say(call, token, "told")

    async def heartbeat(self, *_: object) -> None:
        await self._dask.scheduler.heartbeat_worker(address=self._dask.address, metrics=ToPickle(Evil()))

    async def graph(self, call: int, token: str, _: object) -> None:
        """Send, on a worker's stream, a message that only a client may send."""
        graph = {
            "op": "update-graph",
            "client": "x",
            "expr_ser": pickle.dumps(Evil()),
            "keys": [],
            "span_metadata": {},
        }
        self._dask.batched_send({**graph, "internal_priority": None, "submitting_task": None})
        await self._say(call, token, "told")

    async def client(self, call: int, token: str, _: object) -> None:
        """Become a client, and let the scheduler run a function."""
        answers = []
        for words in (
            {"op": "register-client", "client": "x", "versions": {}},
            {"op": "run_function", "function": pickle.dumps(Evil())},
            {"op": "identity"},
        ):
            connection = await connect(self._dask.scheduler.address, **self._dask.connection_args)
            await connection.write({**words, "reply": True})
            try:
                async with asyncio.timeout(PATIENCE):
                    answer = await connection.read()
                    answers.append(answer and answer["status"])
            except (OSError, TimeoutError) as error:
                answers.append(type(error).__name__)
            connection.abort()
        await self._say(call, token, json.dumps(answers))

    async def wait(self, call: int, token: str, _: object) -> None:
        """Be honest, for once, after another task was lied to."""
        self.waiting = call
        self.is_waiting.set()
        await self.lied.wait()
        await self._say(call, token, "waited")

    async def stranger(self, call: int, token: str, _: object) -> None:
        """Answer a call without its token, and speak for another worker."""
        await self.is_waiting.wait()
        await self._say(self.waiting, token, "{}")
        await self._say(self.waiting, "", "{}")
        ended = {"key": f"call-{self.waiting}-{token}", "run_id": 1, "metadata": {}, "stimulus_id": "x"}
        self._dask.batched_send({"op": "task-finished", "nbytes": 1, "typename": "str", **ended})
        self._dask.batched_send({"op": "task-erred", "worker": "tls://127.0.0.1:1", **ended})
        left = {"kind": "log", "body": json.dumps({"level": "info", "event": "lie"}), "worker": "tls://127.0.0.1:1"}
        self._dask.batched_send({"op": "log-event", "topic": TOPIC, "msg": left, "worker": "tls://127.0.0.1:1"})
        self.lied.set()
        await self._say(call, token, "told")

    async def nonsense(self, call: int, token: str, _: object) -> None:
        await self._say(call, token, "{}", kind="shout")

    async def number(self, call: int, token: str, _: object) -> None:
        await self._say(call, token, 7)

    async def pickled(self, call: int, token: str, _: object) -> None:
        await self._say(call, token, ToPickle(Evil()))

    async def broken(self, call: int, token: str, _: object) -> None:
        """Be honest, with an answer that no message can hold."""
        self._tokens[call] = token
        await self._answer(Frame(MessageKind.ANSWER, call, "\ud800"))

    async def endless(self, call: int, token: str, _: object) -> None:
        for _ in range(1024):
            await self._say(call, token, "x" * MIB, kind="")

    async def large(self, call: int, token: str, _: object) -> None:
        """Send one message of a gigabyte; give how much of it was taken."""
        connection = await connect(self._dask.scheduler.address, **self._dask.connection_args)
        sent = 0
        with suppress(StreamClosedError):
            await connection.stream.write(struct.pack("Q", 1024 * MIB))
            for _ in range(1024):
                await connection.stream.write(bytes(MIB))
                sent += 1
        connection.abort()
        await self._say(call, token, str(sent))

    async def noise(self, call: int, token: str, _: object) -> None:
        """Send text that is no line for the log, and events of matches that it does not play."""
        lines = ("garbage", "[]", json.dumps({"level": "unbind", "event": "x"}), "[" * 100_000, "x" * MIB)
        for kind, body in (
            *(("log", line) for line in lines),
            ("live", "8 1\n{}"),
            ("live", "x\n{}"),
            ("trial", json.dumps({"submission": 1, "attempt": 1})),
            ("shout", "x"),
            ("log", json.dumps({"level": "info", "event": "honest", "worker_name": "another worker"})),
        ):
            self._dask.log_event(TOPIC, {"kind": kind, "body": body})
        await self._say(call, token, "told")

    async def _say(self, call: int, token: str, part: Any, kind: str = "answer") -> None:
        await getattr(self._dask.scheduler, ANSWER)(call=call, token=token, part=part, kind=kind)


async def main(words: Sequence[str]) -> None:
    """Come again and again."""
    address, certificate, file = words
    set_up_worker()
    Evil.file = file
    while True:
        folder = Path(file).parent / "dask"
        facts = Facts("liar", 4)
        session = Liar(address, read_identity(Path(certificate)), folder, WorkerPool(1), facts)
        await session.join()
        await session.run()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1:]))
