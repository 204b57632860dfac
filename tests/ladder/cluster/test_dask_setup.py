"""Our bounds on Dask: parts of a message that are read or not, and workers of another Python or Dask turned away."""

from __future__ import annotations

import platform
import socket
import struct
from enum import Enum
from pathlib import Path
from typing import Any

import dask
import distributed
import pytest
from distributed.comm import Comm, CommClosedError, connect, listen
from distributed.comm.registry import backends
from distributed.protocol import dumps, to_serialize
from distributed.protocol.serialize import ToPickle
from distributed.protocol.utils import pack_frames

from ladder.cluster.certificates import read_identity
from ladder.cluster.dask_setup import CONFIGURATION, SILENT_SECONDS, bounded_tls, plain, security, why_not


class Colour(Enum):
    """A value that Dask marks as more than data, within the one frame of a message."""

    RED = 1


def packed(message: object) -> bytes:
    """Give a message as Dask sends it."""
    return bytes(pack_frames(dumps(message)))


@pytest.mark.parametrize("message", [{"op": "x", 7: (1, 2.5, None, True), "text": "ä" * 100_000}, ("OK", b"\x00")])
def test_plain_data_is_read_as_it_was(message: object) -> None:
    assert plain(packed(message)) == message


@pytest.mark.parametrize("wrap", [ToPickle, to_serialize])
def test_a_pickle_is_refused(wrap: Any) -> None:
    with pytest.raises(ValueError, match="not plain"):
        plain(packed({"op": "x", "value": wrap(Colour)}))


def test_the_mark_of_a_python_object_means_nothing() -> None:
    assert plain(packed({"colour": Colour.RED})) == {
        "colour": {"__Enum__": True, "name": "RED", "__module__": __name__, "__name__": "Colour"}
    }


@pytest.mark.parametrize(
    "message",
    [b"", b"\0", bytes(8), struct.pack("Q", 1 << 60), struct.pack("QQ", 1, 1 << 60), struct.pack("QQ", 1, 1) + b"\xc1"],
)
def test_what_is_no_message_is_an_error(message: bytes) -> None:
    with pytest.raises((ValueError, AssertionError, struct.error)):
        plain(message)


@pytest.mark.parametrize("message", [ToPickle(Colour), to_serialize(Colour), "x" * 100_000])
async def test_the_connection_ends_at_a_pickle_and_at_a_message_that_is_too_long(
    certificates: Path, monkeypatch: pytest.MonkeyPatch, message: Any
) -> None:
    monkeypatch.setitem(backends, "tls", bounded_tls(10_000))
    settings = security(read_identity(certificates / "scheduler.pem"))

    async def send(comm: Comm) -> None:
        await comm.write({"op": "x"})
        await comm.write({"op": "y", "value": message})

    async with listen("tls://127.0.0.1:0", send, **settings.get_listen_args("scheduler")) as listener:
        comm = await connect(listener.contact_address, **settings.get_connection_args("worker"))
        assert await comm.read() == {"op": "x"}
        with pytest.raises(CommClosedError, match="what cannot be read"):
            await comm.read()
        assert comm.closed()


async def test_a_connection_ends_on_both_sides_if_the_other_machine_says_nothing(
    certificates: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The kernel does it, because Dask asks for it: neither side has to notice that a cable was pulled."""
    monkeypatch.setitem(backends, "tls", bounded_tls(10_000))
    settings = security(read_identity(certificates / "scheduler.pem"))
    sides: list[Comm] = []

    async def stay(comm: Comm) -> None:
        sides.append(comm)
        await comm.write("here")

    with dask.config.set({"distributed.comm.timeouts.tcp": "3000s"}), dask.config.set(CONFIGURATION):
        async with listen("tls://127.0.0.1:0", stay, **settings.get_listen_args("scheduler")) as listener:
            sides.append(await connect(listener.contact_address, **settings.get_connection_args("worker")))
            assert await sides[-1].read() == "here"
            for comm in sides:
                asked = comm.stream.socket.getsockopt
                assert asked(socket.SOL_TCP, socket.TCP_USER_TIMEOUT) == SILENT_SECONDS * 1000
                probes = asked(socket.SOL_TCP, socket.TCP_KEEPCNT) * asked(socket.SOL_TCP, socket.TCP_KEEPINTVL)
                assert asked(socket.SOL_SOCKET, socket.SO_KEEPALIVE) == 1
                assert asked(socket.SOL_TCP, socket.TCP_KEEPIDLE) + probes == SILENT_SECONDS
            assert len(sides) == 2
            for comm in sides:
                comm.abort()


SAME = {"python": platform.python_version(), "dask": distributed.__version__, "distributed": distributed.__version__}
OTHER_PATCH = ".".join([*platform.python_version_tuple()[:2], "999"])


@pytest.mark.parametrize("versions", [SAME, SAME | {"python": f"{OTHER_PATCH}.final.0", "numpy": "0"}])
def test_the_same_may_come(versions: dict[str, str]) -> None:
    assert why_not({"packages": versions}) is None


@pytest.mark.parametrize(
    ("name", "version", "words"),
    [
        ("python", "3.2.1", "Python 3.2"),
        ("dask", "1.0", "Dask 1.0"),
        ("distributed", "9" * 99, f"distributed {'9' * 40},"),
    ],
)
def test_another_is_named(name: str, version: str, words: str) -> None:
    sentence = why_not({"packages": SAME | {name: version}})
    assert sentence is not None
    assert words in sentence


@pytest.mark.parametrize("versions", [None, {}, {"packages": {}}, {"packages": "x"}])
def test_one_that_does_not_say_may_not_come(versions: object) -> None:
    assert "of Python and Dask" in (why_not(versions) or "")
