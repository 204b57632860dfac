from __future__ import annotations

import os
import socket

from ladder.sandbox.host.waiting import holds_something


def test_a_pipe_holds_what_was_written_and_not_yet_read() -> None:
    reader, writer = os.pipe()
    assert not holds_something(reader)
    os.write(writer, b"x")
    assert holds_something(reader)
    os.read(reader, 1)
    assert not holds_something(reader)
    os.close(writer)
    assert not holds_something(reader)
    os.close(reader)


def test_a_socket_does_too() -> None:
    here, there = socket.socketpair(socket.AF_UNIX)
    with here, there:
        assert not holds_something(here.fileno())
        there.send(b"x" * 7000)
        assert holds_something(here.fileno())
