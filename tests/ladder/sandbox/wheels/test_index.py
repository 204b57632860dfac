"""The package index is the one that pip is configured for, and nothing else decides where packages come from."""

from __future__ import annotations

import base64
import functools
import json
import os
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from ladder.errors import BotRejected, SandboxError
from ladder.sandbox.wheels import uv
from ladder.sandbox.wheels.packages import Asked, Packages, Store
from ladder.sandbox.wheels.requirements import read_requirements
from ladder.sandbox.wheels.target import this_interpreter
from ladder.sandbox.wheels.uv import Index, Uv, configured_index, explained
from tests.ladder.sandbox.wheels.made import digest_of, new_wheel

HERE = this_interpreter()
SETTINGS = r"""
:env:.cert='/authority.pem'
:env:.find-links='/wheels /more'
download.index-url='https://ada:secret@index.example/simple'
download.proxy='http://127.0.0.1:9'
freeze.index-url='https://other.example/simple'
global.cert='/other.pem'
global.constraint='/constraints.txt'
global.extra-index-url='\nhttps://more.example/simple\nhttps://most.example/simple'
global.index-url='https://other.example/simple'
global.no-index='0'
global.trusted-host='one.example'
install.index-url='https://other.example/simple'
"""
"""Output of `pip config list`."""
ON_LOOPBACK = {"NO_PROXY": "127.0.0.1", "UV_HTTP_RETRIES": "0"}


@pytest.fixture(autouse=True)
def no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """No settings of this machine's pip."""
    for name in list(os.environ):
        if name.startswith(("PIP_", "UV_")) or name.lower().endswith("_proxy") or name == "SSL_CERT_DIR":
            monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)


class Site:
    """A package index on loopback: one page of JSON for each package, with the size that it says a wheel has."""

    def __init__(self, shelf: Path) -> None:
        self.asked: list[tuple[str, str | None]] = []
        """Paths, and the credentials of each request."""
        self.size: int | None = None
        self.status = 200

        class Handler(BaseHTTPRequestHandler):
            def do_GET(handler) -> None:  # noqa: N805
                self.asked.append((handler.path, handler.headers.get("Authorization")))
                wheels = sorted(shelf.glob(f"{handler.path.strip('/').rpartition('/')[2]}-*.whl"))
                wheel = shelf / handler.path.rpartition("/")[2]
                if self.status != 200 or not (wheels or wheel.is_file()):
                    handler.send_error(self.status if self.status != 200 else 404)
                    return
                handler.send_response(200)
                kind = "application/octet-stream" if wheel.is_file() else "application/vnd.pypi.simple.v1+json"
                handler.send_header("Content-Type", kind)
                handler.end_headers()
                if handler.command == "GET":
                    handler.wfile.write(wheel.read_bytes() if wheel.is_file() else self.page(wheels))

            do_HEAD = do_GET  # noqa: N815

            def log_message(handler, *arguments: object) -> None:  # noqa: N805
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.host = f"127.0.0.1:{self.server.server_port}"

    def page(self, wheels: list[Path]) -> bytes:
        """List wheels."""
        files = [
            {
                "filename": path.name,
                "url": f"http://{self.host}/files/{path.name}",
                "hashes": {"sha256": digest_of(path)},
                **({} if self.size is None else {"size": self.size}),
            }
            for path in wheels
        ]
        versions = [path.name.split("-")[1] for path in wheels]
        page = {"meta": {"api-version": "1.1"}, "name": wheels[0].name.partition("-")[0], "versions": versions}
        return json.dumps(page | {"files": files}).encode()


@pytest.fixture
def site(shelf: Path) -> Iterator[Site]:
    site = Site(shelf)
    thread = threading.Thread(target=functools.partial(site.server.serve_forever, poll_interval=0.01))
    thread.start()
    yield site
    site.server.shutdown()
    thread.join()
    site.server.server_close()


def at(site: Site) -> Uv:
    return Uv(lambda: Index(environment={"UV_INDEX_URL": f"http://{site.host}/simple", **ON_LOOPBACK}))


def lists(text: str) -> Index:
    """Give the index that follows from a pip that lists these settings."""
    return configured_index((sys.executable, "-c", f"print({text!r})"))


def test_settings_of_pip_are_those_for_uv(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("https_proxy", "http://proxy.example")
    monkeypatch.setenv("UV_INDEX_URL", "https://other.example/simple")
    index = lists(SETTINGS)
    assert index.arguments == [
        "--find-links=/wheels",
        "--find-links=/more",
        "--allow-insecure-host=one.example",
        "--index-strategy=unsafe-best-match",
    ]
    assert index.constraints == ["/constraints.txt"]
    found = dict(index.environment)
    assert found.pop("NETRC").endswith("netrc")
    assert found == {
        "ALL_PROXY": "http://127.0.0.1:9",
        "HTTPS_PROXY": "http://proxy.example",
        "SSL_CERT_FILE": "/authority.pem",
        "UV_EXTRA_INDEX_URL": "https://more.example/simple https://most.example/simple",
        "UV_INDEX_URL": "https://ada:secret@index.example/simple",
    }


def test_no_index_is_no_index() -> None:
    assert lists(":env:.no-index='1'").arguments == ["--no-index"]
    assert lists("global.no-index='true'\ndownload.no-index='no'").arguments == []


def test_packages_come_from_the_index_with_its_password(
    shelf: Path, site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Settings of uv itself, in its environment and its files, count for nothing."""
    new_wheel(shelf, "one", needs=["two"])
    new_wheel(shelf, "two")
    home = tmp_path / "home"
    (home / ".config/uv").mkdir(parents=True)
    (home / ".config/uv/uv.toml").write_text("no-index = true\n")
    settings = {
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home / ".config"),
        "NO_PROXY": "127.0.0.1",
        "PIP_INDEX_URL": f"http://ada:secret@{site.host}/simple",
        "UV_NO_INDEX": "1",
        "UV_EXCLUDE_NEWER": "2000-01-01",
        "UV_OFFLINE": "1",
    }
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    lock, folder = Packages(Store(tmp_path / "store")).folder(Asked(b"one"), HERE)
    assert [line.partition(" ")[0] for line in lock.splitlines()] == ["one==1.0", "two==1.0"]
    assert {path.name for path in folder.glob("*.py")} == {"one.py", "two.py"}
    words = base64.b64encode(b"ada:secret").decode()
    assert {authorization for path, authorization in site.asked if path.startswith("/simple")} == {f"Basic {words}"}
    assert {path.split("/")[1] for path, _ in site.asked} == {"simple", "files"}


def test_wheels_that_are_too_large_are_refused_before_they_are_fetched(shelf: Path, site: Site, tmp_path: Path) -> None:
    new_wheel(shelf, "one")
    site.size = 200 << 20
    packages = Packages(Store(tmp_path / "store"), at(site))
    with pytest.raises(BotRejected, match=r"200 MiB, packed; .* 128 MiB \(.*: one 1\.0 .*200"):
        packages.pins(Asked(b"one"), HERE)


def test_a_wheel_that_is_not_the_one_of_the_lock_is_refused(shelf: Path, site: Site, tmp_path: Path) -> None:
    new_wheel(shelf, "one")
    packages = Packages(Store(tmp_path / "store"), at(site))
    pins = packages.pins(Asked(b"one"), HERE)
    page = site.page(sorted(shelf.glob("*.whl")))
    site.page = lambda wheels: page  # type: ignore[method-assign]
    new_wheel(shelf, "one", files={"one.py": b"other"})
    with pytest.raises(BotRejected, match=r"[Hh]ash mismatch for `one==1\.0`"):
        packages.folder(Asked(b"one"), HERE)
    assert [pin.label for pin in pins] == ["one 1.0"]


@pytest.mark.parametrize("status", [401, 403, 503])
def test_an_index_that_does_not_answer_is_the_platforms_failure(
    shelf: Path, site: Site, tmp_path: Path, status: int
) -> None:
    new_wheel(shelf, "one")
    site.status = status
    with pytest.raises(SandboxError, match=r"^uv .*: .* pip config list"):
        Packages(Store(tmp_path / "store"), at(site)).pins(Asked(b"one"), HERE)


def test_an_index_that_cannot_be_reached_is_the_platforms_failure_and_its_password_is_not_told(tmp_path: Path) -> None:
    address = "http://ada:secret@127.0.0.1:9/simple"
    unreachable = Uv(lambda: Index(environment={"UV_INDEX_URL": address, **ON_LOOPBACK}))
    with pytest.raises(SandboxError, match=r"^uv .*: .*127.0.0.1:9/simple/one") as failure:
        Packages(Store(tmp_path / "store"), unreachable).pins(Asked(b"one"), HERE)
    assert "secret" not in str(failure.value)


def test_a_pip_that_cannot_be_asked_is_the_platforms_failure() -> None:
    with pytest.raises(SandboxError, match=r"package index .*: No module"):
        configured_index((sys.executable, "-c", "import sys; sys.exit('No module named pip')"))
    with pytest.raises(SandboxError, match=r"package index .* such file"):
        configured_index(("/nonesuch/pip",))


def test_a_missing_uv_is_told_when_packages_are_wanted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def find() -> str:
        raise FileNotFoundError

    monkeypatch.setattr(uv, "find_uv_bin", find)
    packages = Packages(Store(tmp_path / "store"), Uv(Index))
    with pytest.raises(SandboxError, match=r"uv, .* pip install uv"):
        packages.pins(Asked(b"one"), HERE)


def test_what_uv_says_is_one_printable_sentence() -> None:
    error = explained("error: Failed\n  cause: \x1b[31mdisk \u202e is full (os error 28)\n\nhint: more", HERE)
    assert isinstance(error, SandboxError)
    assert "packages: Failed [31mdisk" in str(error)
    assert "(os error 28). " in str(error)
    assert str(error).isprintable()
    wanted = read_requirements(b"a==1\nb<2\n")
    message = "error: No solution found\ncause: Because you require a==1, we can conclude that you require b>=2. "
    message += "And because you require b<2"
    assert str(explained(message, HERE, wanted)).count("line 2 of requirements.txt requires b") == 1
    assert "it printed no message" in str(explained("", HERE))
