"""Accounts of a ladder that really runs: the first organiser, the log-in of a command, and no secret in any log."""

from __future__ import annotations

import re
import signal
from contextlib import contextmanager
from typing import TYPE_CHECKING

import httpx
import pytest

from ladder.app.supervisor import Supervisor
from tests.e2e.small_ladder import PATIENT, SmallLadder, small_ladder, waiting_for
from tests.e2e.test_up import assert_nothing_is_left, eventually, running

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.e2e.test_up import Running

PASSWORD = "correct horse battery"
CSRF = re.compile(r'name="csrf" value="([0-9a-f]+)"')
SECRET = re.compile(r"pg[pisd]_[\w-]{20,}")


@pytest.fixture
def ladder(tmp_path: Path) -> Iterator[SmallLadder]:
    """A ladder whose bots answer no question: to play costs time, and is not the point."""
    with small_ladder(tmp_path, program=waiting_for(tmp_path / "gate")) as ladder:
        yield ladder


@contextmanager
def browser(up: Running) -> Iterator[httpx.Client]:
    """A browser that looks at the site."""
    up.page("healthz")
    base = up.address.rstrip("/")
    with httpx.Client(base_url=base, headers={"Origin": base}, follow_redirects=True, timeout=60) as client:
        yield client


def csrf(client: httpx.Client) -> str:
    (found, *_) = CSRF.findall(client.get("/me/account").text)
    return str(found)


def second_line(up: Running) -> str:
    assert up.program.stdout is not None
    return up.program.stdout.readline()


def test_the_first_organiser_comes_by_a_link_no_secret_is_in_any_log_and_a_killed_supervisor_leaves_no_process(
    ladder: SmallLadder, monkeypatch: pytest.MonkeyPatch
) -> None:
    with running(ladder, "up", **PATIENT) as up, browser(up) as client:
        said = re.fullmatch(r"It has no organiser yet; .* becomes the first one: (\S+)\n", second_line(up))
        assert said is not None
        assert said[1].startswith(f"{up.address}register?invitation=pgi_")
        secrets = use_every_secret(client, said[1])
        parts = up.part("serve"), up.part("run")
        eventually(ladder.processes)
        up.end(signal.SIGKILL)
    assert_nothing_is_left(ladder, *parts)
    assert {secret[:4] for secret in secrets} == {"pgi_", "pgs_", "pgp_", "pgd_"}
    logs = {file: file.read_text() for file in (ladder.settings.data_dir / "logs").rglob("*") if file.is_file()}
    assert '"path": "/register"' in "".join(logs.values())
    for file, text in logs.items():
        assert not SECRET.search(text), file
        assert not [secret for secret in (*secrets, PASSWORD) if secret in text], file
    with handlers_as_before():
        monkeypatch.setattr(Supervisor, "run", lambda its: None)
        said_next = ladder.pigpen("up", "--port", "0").stdout.splitlines()
    assert [line.partition(" ")[0] for line in said_next] == ["The", "The"]
    assert said_next[1].startswith("The ladder is in ")


@contextmanager
def handlers_as_before() -> Iterator[None]:
    """`pigpen up` takes signals for as long as its process lives."""
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def use_every_secret(client: httpx.Client, link: str) -> set[str]:
    """Register, log in and out, confirm a command's log-in, ask with its token; gives all secrets that were used."""
    invitation = link.partition("=")[2]
    assert client.get(link).status_code == 200
    name = {"name": "olga", "password": PASSWORD}
    assert client.post("/register", data=name | {"invitation": invitation}).status_code == 200
    secrets = {invitation, client.cookies["pigpen_session"]}
    assert client.post("/logout", data={"csrf": csrf(client)}).status_code == 200
    assert client.post("/login", data=name | {"password": PASSWORD + "?"}).status_code == 403
    assert client.post("/login", data=name).status_code == 200
    login = client.post("/api/v1/login/codes", json={"client": "a test"}).json()
    asking = {"device_code": login["device_code"]}
    assert client.post("/api/v1/login/tokens", json=asking).json()["token"] is None
    confirmed = {"csrf": csrf(client), "code": login["user_code"], "decision": "confirm"}
    assert client.post("/login/code", data=confirmed).status_code == 200
    token = client.post("/api/v1/login/tokens", json=asking).json()["token"]
    asked = client.get("/api/v1/me", headers={"Authorization": f"Bearer {token}"})
    assert asked.json()["name"] == "olga"
    client.get(f"/api/v1/me?token={token}")
    client.get(f"/nothing?next=/register?invitation={invitation}")
    return secrets | {client.cookies["pigpen_session"], login["device_code"], token}
