"""Addresses on which the site listens."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING, Any

import pytest

from ladder.errors import UserError
from ladder.settings.settings import load_settings
from ladder.site.server import listening

if TYPE_CHECKING:
    from pathlib import Path

    from ladder.settings.settings import Settings


def test_answers_do_not_wait_for_the_other_side_to_confirm() -> None:
    with listening.listen("127.0.0.1", 0) as listener, socket.create_connection(listener.getsockname()):
        accepted, _ = listener.accept()
        with accepted:
            assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def test_the_usual_port_or_any_that_is_free() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with listening.listen("127.0.0.1", 0, usual_port=port) as listener:
            assert listener.getsockname()[1] != port
        with pytest.raises(UserError, match=f"port {port}: Address already in use. Choose others with --host"):
            listening.listen("127.0.0.1", port)
    with listening.listen("127.0.0.1", 0, usual_port=port) as listener:
        assert listening.address_of(listener) == f"http://127.0.0.1:{port}/"


@pytest.mark.parametrize("host", ["192.0.2.1", "a" * 100, "::1%nothing"])
def test_a_host_that_is_not_this_machine_is_refused_in_a_sentence(host: str) -> None:
    with pytest.raises(UserError, match="The site cannot listen at "):
        listening.listen(host, 0)


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
        assert listening.address_of(listener) == address


def settings(tmp_path: Path, **given: Any) -> Settings:
    return load_settings(data_dir=tmp_path, **given)


@pytest.mark.parametrize("host", ["0.0.0.0", "::"])
def test_no_other_machine_is_served_over_plain_http(host: str, tmp_path: Path) -> None:
    with listening.listen(host, 0) as listener:
        with pytest.raises(UserError, match=r"--tls CERT KEY.*site_proxy.*plain_http = true") as refused:
            listening.check_reach(listener, settings(tmp_path), tls=False)
        assert repr(host) in str(refused.value)
        listening.check_reach(listener, settings(tmp_path), tls=True)
        listening.check_reach(listener, settings(tmp_path, site_proxy="10.0.0.0/8"), tls=False)
        listening.check_reach(listener, settings(tmp_path, plain_http=True), tls=False)


@pytest.mark.parametrize("host", ["127.0.0.1", "127.9.9.9", "::1", "localhost"])
def test_this_machine_is(host: str, tmp_path: Path) -> None:
    with listening.listen(host, 0) as listener:
        listening.check_reach(listener, settings(tmp_path), tls=False)


@pytest.mark.parametrize("proxy", ["*", "proxy.test", "10.0.0.1, what", "10.0.0.0/40"])
def test_a_proxy_is_an_address_or_a_network(proxy: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="is not an address; write 127"):
        settings(tmp_path, site_proxy=proxy)


@pytest.mark.parametrize(
    "url", ["arena.test", "ftp://arena.test", "https://arena.test/sub", "https://a b", "https://u@a"]
)
def test_the_address_of_the_site_is_one_without_a_path(url: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="it is not the address of a site"):
        settings(tmp_path, site_url=url)
    assert settings(tmp_path, site_url="https://Arena.test:8443/").site_url == "https://arena.test:8443"
