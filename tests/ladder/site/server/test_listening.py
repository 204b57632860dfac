"""Addresses on which the site listens, and HTTPS by the site itself."""

from __future__ import annotations

import socket
import ssl
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from ladder.app.ladder import Ladder
from ladder.errors import UserError
from ladder.settings.settings import load_settings
from ladder.site.server import listening
from ladder.site.server.listening import Tls
from tests.ladder.site.certificates import make_pair
from tests.ladder.site.serving import served
from tests.waiting import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ladder.settings.settings import Settings
    from tests.ladder.site.certificates import Pair


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
        with pytest.raises(UserError, match=f"port {port}: Address .* --host"):
            listening.listen("127.0.0.1", port)
    with listening.listen("127.0.0.1", 0, usual_port=port) as listener:
        assert listening.address_of(listener) == f"http://127.0.0.1:{port}/"


@pytest.mark.parametrize("host", ["192.0.2.1", "a" * 100, "::1%nothing"])
def test_a_host_that_is_not_this_machine_is_refused_in_a_sentence(host: str) -> None:
    with pytest.raises(UserError, match="cannot listen at "):
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
    with pytest.raises(ValueError, match=r"not an address; .* 127"):
        settings(tmp_path, site_proxy=proxy)


@pytest.mark.parametrize(
    "url", ["arena.test", "ftp://arena.test", "https://arena.test/sub", "https://a b", "https://u@a"]
)
def test_the_address_of_the_site_is_one_without_a_path(url: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="address of a site"):
        settings(tmp_path, site_url=url)
    assert settings(tmp_path, site_url="https://Arena.test:8443/").site_url == "https://arena.test:8443"


GARBAGE = "garbage"


@pytest.fixture
def pair(tmp_path: Path) -> Pair:
    return make_pair(tmp_path)


def tls_of(pair: Pair) -> Tls:
    tls = Tls.of(load_settings(), (pair.certificate, pair.key))
    assert tls is not None
    return tls


@contextmanager
def empty(folder: Path, tls: Tls) -> Iterator[int]:
    """Serve a ladder without a bot; gives the port."""
    with Ladder.open(load_settings(data_dir=folder / "data"), create=True) as ladder, served(ladder, tls) as port:
        yield port


def trusting(pair: Pair) -> ssl.SSLContext:
    return ssl.create_default_context(cafile=str(pair.certificate))


def serial(port: int, pair: Pair) -> str:
    """The number of the certificate that the site shows."""
    plain = socket.create_connection(("127.0.0.1", port))
    with trusting(pair).wrap_socket(plain, server_hostname="127.0.0.1") as secure:
        certificate = secure.getpeercert()
    assert certificate is not None
    return str(certificate["serialNumber"])


def test_without_files_the_site_speaks_http() -> None:
    assert Tls.of(load_settings(), None) is None


def test_the_settings_name_the_files_as_well(pair: Pair) -> None:
    assert Tls.of(load_settings(tls_certificate=pair.certificate, tls_key=pair.key), None) is not None


@pytest.mark.parametrize("given", ["tls_certificate", "tls_key"])
def test_one_of_the_two_is_not_enough(given: str, pair: Pair) -> None:
    other = {"tls_certificate": "tls_key", "tls_key": "tls_certificate"}[given]
    one = (
        load_settings(tls_certificate=pair.certificate)
        if given == "tls_certificate"
        else load_settings(tls_key=pair.key)
    )
    with pytest.raises(UserError, match=f"the setting {other} is missing"):
        Tls.of(one, None)


@pytest.mark.parametrize("wrong", ["certificate", "key"])
@pytest.mark.parametrize(("text", "sentence"), [(None, "cannot be read: No such file"), (GARBAGE, "in PEM")])
def test_a_file_that_is_missing_or_something_else_is_named(
    wrong: str, text: str | None, sentence: str, pair: Pair
) -> None:
    path = pair.certificate if wrong == "certificate" else pair.key
    path.unlink()
    if text is not None:
        path.write_text(text)
    with pytest.raises(UserError, match=sentence) as refused:
        tls_of(pair)
    assert str(refused.value).startswith(f"{str(path)!r} ")
    assert refused.value.exit_code == 2


def test_the_key_of_another_certificate_is_refused(pair: Pair, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="key of the certificate"):
        Tls.of(load_settings(), (pair.certificate, make_pair(tmp_path, "other").key))


def test_nobody_is_asked_for_the_password_of_a_key(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="is locked with a password"):
        tls_of(make_pair(tmp_path, password=b"secret"))


def test_visitors_get_https_and_are_told_to_stay_with_it(pair: Pair, tmp_path: Path) -> None:
    with empty(tmp_path, tls_of(pair)) as port, httpx.Client(verify=trusting(pair), timeout=PATIENCE) as visitor:
        home = visitor.get(f"https://127.0.0.1:{port}/")
        cookie = visitor.get(f"https://127.0.0.1:{port}/help?lang=zh").headers["set-cookie"]
    assert home.status_code == 200
    assert home.headers["strict-transport-security"] == "max-age=31536000"
    assert cookie.endswith("; Secure")


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
def test_both_versions_of_tls_that_are_safe_are_spoken(version: ssl.TLSVersion, pair: Pair, tmp_path: Path) -> None:
    context = trusting(pair)
    context.maximum_version = context.minimum_version = version
    with empty(tmp_path, tls_of(pair)) as port:
        assert httpx.get(f"https://127.0.0.1:{port}/healthz", verify=context, timeout=PATIENCE).text == "ok\n"


@pytest.mark.filterwarnings("ignore:ssl.TLSVersion.TLSv1_1 is deprecated")
def test_older_versions_of_tls_are_not(pair: Pair) -> None:
    context = tls_of(pair).context
    assert context.minimum_version is ssl.TLSVersion.TLSv1_2
    ciphers = [each["name"] for each in context.get_ciphers()]
    assert all(name.startswith(("TLS_", "ECDHE-")) and ("GCM" in name or "CHACHA" in name) for name in ciphers), ciphers


def test_a_renewed_certificate_is_taken_without_a_restart(pair: Pair, tmp_path: Path) -> None:
    tls = tls_of(pair)
    with empty(tmp_path, tls) as port:
        before = serial(port, pair)
        make_pair(tmp_path)
        tls.renew()
        assert serial(port, pair) != before


def test_one_that_cannot_be_used_is_not_taken(pair: Pair, tmp_path: Path) -> None:
    tls, old = tls_of(pair), make_pair(tmp_path, "old")
    old.certificate.write_bytes(pair.certificate.read_bytes())
    with empty(tmp_path, tls) as port:
        before = serial(port, old)
        pair.certificate.write_text(GARBAGE)
        tls.renew()
        make_pair(tmp_path, "other").certificate.replace(pair.certificate)  # with another key than the one that stays
        tls.renew()
        assert serial(port, old) == before
