from __future__ import annotations

import os
import socket

from ladder.sandbox.host.whole_file import has_data


def test_a_pipe_holds_what_was_written_and_not_yet_read() -> None:
    reader, writer = os.pipe()
    assert not has_data(reader)
    os.write(writer, b"x")
    assert has_data(reader)
    os.read(reader, 1)
    assert not has_data(reader)
    os.close(writer)
    assert not has_data(reader)
    os.close(reader)


def test_a_socket_does_too() -> None:
    here, there = socket.socketpair(socket.AF_UNIX)
    with here, there:
        assert not has_data(here.fileno())
        there.send(b"x" * 7000)
        assert has_data(here.fileno())
