"""Acts of a hostile bot on its seat, one at a time, in any order."""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import grpc.aio
from hypothesis import strategies as st

from pigpen.v1.referee_pb2 import Answer, BotMessage, ExposeAction, Hello, RefereeMessage
from pigpen.v1.view_pb2 import PHASE_PASS, Exposure

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

SILENCE = 0.1
"""Seconds after which the attacker gives an act up."""
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DEAF = [("grpc.http2.lookahead_bytes", 5), ("grpc.http2.bdp_probe", 0)]
"""A channel that lets the referee send next to nothing before the bot reads."""

RIGHT, NOW = "the right token", -1
"""Stand-ins for the seat's token and for the open decision in an act."""


@dataclass(frozen=True)
class Act:
    """One act, and what it is done with."""

    do: str
    data: bytes = b""
    hello: tuple[int, str] = (1, RIGHT)
    decision: int = NOW
    answer: Answer = field(default_factory=Answer)
    times: int = 1


def _pass(cards: bytes) -> Answer:
    answer = Answer()
    getattr(answer, "pass").cards = cards  # a keyword of Python
    return answer


numbers = st.one_of(st.integers(0, 60), st.integers(0, 2**32 - 1))
signed = st.integers(-(2**31), 2**31 - 1)
exposures = st.builds(Exposure, seat=numbers, card=numbers, face=st.one_of(st.integers(0, 3), signed))
answers = st.one_of(
    st.just(Answer()),
    st.builds(Answer, card=numbers),
    st.builds(_pass, st.binary(max_size=60)),
    st.builds(lambda cards: Answer(expose=ExposeAction(cards=cards)), st.lists(exposures, max_size=6)),
    st.builds(Answer, moon=signed),
)
decisions = st.one_of(st.just(NOW), st.integers(0, 20), st.integers(0, 2**64 - 1))
times = st.one_of(st.just(1), st.integers(2, 200))
garbage = st.one_of(st.binary(max_size=300), st.sampled_from([b"", b"\x0a\xff\xff\xff\xff\x0f", PREFACE]))
hellos = st.tuples(st.one_of(st.just(1), numbers), st.one_of(st.just(RIGHT), st.text(max_size=40)))

acts = st.one_of(
    st.builds(Act, st.just("send"), data=garbage, times=times),
    st.builds(Act, st.just("say_hello"), hello=hellos, times=times),
    st.builds(Act, st.just("say_answer"), decision=decisions, answer=answers, times=times),
    st.builds(Act, st.just("poke_socket"), data=st.one_of(garbage, st.binary(max_size=60).map(PREFACE.__add__))),
    st.builds(Act, st.just("reply"), data=garbage),
    st.builds(Act, st.just("reply"), answer=answers),
    st.builds(Act, st.just("play_along"), times=st.integers(1, 4)),
    st.sampled_from(
        [
            Act("connect"),
            Act("connect_deaf"),
            Act("enter"),
            Act("enter"),
            Act("enter_deaf"),
            Act("open_second"),
            Act("call_nothing"),
            Act("send_huge"),
            Act("read"),
            Act("half_close"),
            Act("cancel"),
            Act("hang_up"),
            Act("rest"),
        ]
    ),
)
attacks = st.one_of(
    st.lists(acts, max_size=12),
    st.lists(acts, max_size=12).map(lambda later: [Act("enter"), *later]),
    st.lists(st.builds(Act, st.just("reply"), answer=answers), max_size=6).map(lambda later: [Act("enter"), *later]),
)


class Attacker:
    """Does the acts one after the other; nothing that happens to it matters."""

    def __init__(self, socket: Path, token: str) -> None:
        self._address = f"unix:{socket}"
        self._socket = socket
        self._token = token
        self._decision = 0
        self._channels: list[grpc.aio.Channel] = []
        self._call: grpc.aio.StreamStreamCall[bytes, bytes] | None = None

    async def attack(self, acts: Sequence[Act]) -> None:
        for act in acts:
            with contextlib.suppress(
                grpc.aio.BaseError, grpc.RpcError, asyncio.InvalidStateError, OSError, TimeoutError
            ):
                async with asyncio.timeout(SILENCE):
                    await getattr(self, act.do)(act)

    async def close(self) -> None:
        for channel in self._channels:
            await channel.close()
        self._channels.clear()
        self._call = None

    async def connect(self, act: Act) -> None:
        self._open([("grpc.enable_retries", 0)])

    async def connect_deaf(self, act: Act) -> None:
        self._open(DEAF)

    async def enter(self, act: Act) -> None:
        await self.connect(act)
        await self.say_hello(Act("say_hello"))

    async def enter_deaf(self, act: Act) -> None:
        await self.connect_deaf(act)
        await self.say_hello(Act("say_hello"))

    async def open_second(self, act: Act) -> None:
        """A second stream over the same connection."""
        if self._channels:
            self._call = self._channels[-1].stream_stream("/pigpen.v1.Referee/Play")()

    async def call_nothing(self, act: Act) -> None:
        if self._channels:
            call: grpc.aio.UnaryUnaryMultiCallable[bytes, bytes] = self._channels[-1].unary_unary(
                "/pigpen.v1.Referee/No"
            )
            await call(act.data)

    async def poke_socket(self, act: Act) -> None:
        _, writer = await asyncio.open_unix_connection(self._socket)
        writer.write(act.data)
        await writer.drain()
        writer.close()

    async def send(self, act: Act) -> None:
        for _ in range(act.times):
            if self._call:
                await self._call.write(act.data)

    async def send_huge(self, act: Act) -> None:
        """One byte more than the referee takes."""
        await self.send(Act("send", b"x" * 65537))

    async def say_hello(self, act: Act) -> None:
        protocol, token = act.hello
        hello = Hello(protocol=protocol, token=self._token if token == RIGHT else token)
        await self.send(Act("send", BotMessage(hello=hello).SerializeToString(), times=act.times))

    async def say_answer(self, act: Act) -> None:
        answer = Answer()
        answer.CopyFrom(act.answer)
        answer.decision = self._decision if act.decision == NOW else act.decision
        await self.send(Act("send", BotMessage(answer=answer).SerializeToString(), times=act.times))

    async def read(self, act: Act) -> RefereeMessage:
        # Waiting too long for a message cancels the whole call; to read on would cancel the reader, too.
        data = await self._call.read() if self._call and not self._call.cancelled() else None
        if not isinstance(data, bytes):
            raise TimeoutError
        message = RefereeMessage.FromString(data)
        self._decision = message.request.decision or self._decision
        return message

    async def question(self, act: Act) -> RefereeMessage:
        while not (message := await self.read(act)).HasField("request"):
            pass
        return message

    async def reply(self, act: Act) -> None:
        """Answer a question that is open, with bytes or with an answer."""
        await self.question(act)
        await (self.send(act) if act.data else self.say_answer(act))

    async def play_along(self, act: Act) -> None:
        """Answer some questions as it should."""
        for _ in range(act.times):
            message = await self.question(act)
            answer = _pass(message.request.view.legal[:3]) if message.request.view.phase == PHASE_PASS else None
            answer = answer or Answer(card=message.request.view.legal[0])
            await self.say_answer(Act("say_answer", answer=answer))

    async def half_close(self, act: Act) -> None:
        if self._call:
            await self._call.done_writing()

    async def cancel(self, act: Act) -> None:
        if self._call:
            self._call.cancel()

    async def hang_up(self, act: Act) -> None:
        await self.close()

    async def rest(self, act: Act) -> None:
        await asyncio.sleep(0.01)

    def _open(self, options: list[tuple[str, int]]) -> None:
        channel = grpc.aio.insecure_channel(self._address, options=[*options, ("grpc.use_local_subchannel_pool", 1)])
        self._channels.append(channel)
        self._call = channel.stream_stream("/pigpen.v1.Referee/Play")()
