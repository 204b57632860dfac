"""Accounts of a ladder that really runs: the first organiser, the log-in of a command, and no secret in any log."""

from __future__ import annotations

import re
import signal
from contextlib import contextmanager
from typing import TYPE_CHECKING

import httpx

from tests.waiting import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.e2e.small_ladder import SmallLadder

PASSWORD = "correct horse battery"
CSRF = re.compile(r'name="csrf" value="([0-9a-f]+)"')
SECRET = re.compile(r"pg[pisd]_[\w-]{20,}")
FIRST = re.compile(r"The ladder has no organiser yet\. .* becomes the organiser: (\S+)\n")


@contextmanager
def browser(address: str) -> Iterator[httpx.Client]:
    """A browser that looks at the site."""
    base = address.rstrip("/")
    with httpx.Client(base_url=base, headers={"Origin": base}, follow_redirects=True, timeout=PATIENCE) as client:
        yield client


def csrf(client: httpx.Client) -> str:
    (found, *_) = CSRF.findall(client.get("/me/account").text)
    return str(found)


def assert_no_log_has(secrets: set[str], ladder: SmallLadder) -> None:
    """None of these, and nothing that looks like one."""
    assert {secret[:4] for secret in secrets} == {"pgi_", "pgs_", "pgp_", "pgd_"}
    logs = {file: file.read_text() for file in (ladder.settings.data_dir / "logs").rglob("*") if file.is_file()}
    assert '"path": "/register"' in "".join(logs.values())
    for file, text in logs.items():
        assert not SECRET.search(text), file
        assert not [secret for secret in (*secrets, PASSWORD) if secret in text], file


@contextmanager
def handlers_as_before() -> Iterator[None]:
    """`pigpen up` takes signals for as long as its process lives."""
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def command_login(client: httpx.Client) -> tuple[str, str]:
    """Confirm the log-in of a command; gives its code and its token."""
    login = client.post("/api/v1/login/codes", json={"client": "a test"}).json()
    asking = {"device_code": login["device_code"]}
    assert client.post("/api/v1/login/tokens", json=asking).json()["token"] is None
    confirmed = {"csrf": csrf(client), "code": login["user_code"], "decision": "confirm"}
    assert client.post("/login/code", data=confirmed).status_code == 200
    return login["device_code"], client.post("/api/v1/login/tokens", json=asking).json()["token"]


def token_of_invited(link: str, name: str) -> str:
    """Register by the link of an invitation; gives the token of a command."""
    address, _, invitation = link.partition("/register?invitation=")
    with browser(address) as client:
        assert client.get(link).status_code == 200
        made = {"name": name, "password": PASSWORD, "invitation": invitation}
        assert client.post("/register", data=made).status_code == 200
        return command_login(client)[1]


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
    device_code, token = command_login(client)
    asked = client.get("/api/v1/me", headers={"Authorization": f"Bearer {token}"})
    assert asked.json()["name"] == "olga"
    client.get(f"/api/v1/me?token={token}")
    client.get(f"/nothing?next=/register?invitation={invitation}")
    return secrets | {client.cookies["pigpen_session"], device_code, token}
