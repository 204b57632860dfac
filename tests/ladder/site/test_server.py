"""Where the site listens."""

from __future__ import annotations

import socket

import pytest

from ladder.errors import UserError
from ladder.site import server


def test_answers_do_not_wait_for_the_other_side_to_confirm() -> None:
    with server.listen("127.0.0.1", 0) as listener, socket.create_connection(listener.getsockname()):
        accepted, _ = listener.accept()
        with accepted:
            assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def test_the_usual_port_or_any_that_is_free() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with server.listen("127.0.0.1", 0, usual_port=port) as listener:
            assert listener.getsockname()[1] != port
        with pytest.raises(UserError, match=f"port {port}: Address already in use. Choose others with --host"):
            server.listen("127.0.0.1", port)
    with server.listen("127.0.0.1", 0, usual_port=port) as listener:
        assert server.address_of(listener) == f"http://127.0.0.1:{port}/"


@pytest.mark.parametrize("host", ["192.0.2.1", "a" * 100, "::1%nothing"])
def test_a_host_that_is_not_this_machine_is_refused_in_a_sentence(host: str) -> None:
    with pytest.raises(UserError, match="The site cannot listen at "):
        server.listen(host, 0)


@pytest.mark.parametrize(
    ("name", "address"),
    [
        (("0.0.0.0", 8020), "http://127.0.0.1:8020/"),
        (("::", 80, 0, 0), "http://[::1]:80/"),
        (("fe80::1", 80, 0, 0), "http://[fe80::1]:80/"),
        (("10.1.2.3", 8020), "http://10.1.2.3:8020/"),
    ],
)
def test_the_address_is_one_to_type_into_a_browser(
    name: tuple[str, int], address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.socket() as listener:
        monkeypatch.setattr(socket.socket, "getsockname", lambda _: name)
        assert server.address_of(listener) == address
