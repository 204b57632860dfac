"""`pigpen login`, `logout` and `whoami`, against a site on this machine."""

from __future__ import annotations

import json
import stat
import threading
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import select

from ladder.app.accounts import device
from ladder.app.accounts.device import ENDED
from ladder.app.accounts.sessions import viewer_by
from ladder.app.ladder import Ladder
from ladder.app.remote.login import NOT_LOGGED_IN
from ladder.serving.application import make_app
from ladder.settings.settings import load_settings
from ladder.site.server.viewer import BAD_TOKEN
from ladder.store.account_models import LoginCode
from ladder.values.accounts import ANONYMOUS, Scope, Viewer
from tests.e2e.command import PLAIN
from tests.ladder.accounts import add_person, session_of, token_of
from tests.ladder.app.remote.conftest import telling
from tests.ladder.ladders import enter
from tests.ladder.remote_site import served_app
from tests.typed import Typed, run_here

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


@dataclass
class RemoteLadder:
    """a remote ladder, and a user of this machine."""

    ladder: Ladder
    address: str
    home: Path

    def __call__(self, *words: str, stdin: str = "") -> Typed:
        """Run ``pigpen WORDS``."""
        variables = PLAIN | {"XDG_CONFIG_HOME": str(self.home), "COLUMNS": "200"}
        return Typed(words, *run_here(words, self.home, variables, stdin))

    @property
    def file(self) -> Path:
        return self.home / "pigpen" / "login.json"

    @property
    def token(self) -> str:
        return str(json.loads(self.file.read_text())["token"])


@pytest.fixture
def remote(tmp_path: Path) -> Iterator[RemoteLadder]:
    with Ladder.open(load_settings(data_dir=tmp_path / "data"), create=True) as ladder:
        with ladder.database.write() as session:
            enter(session, "Trotter", "gongzhu", owner="ada")
        add_person(ladder, "ada")
        with served_app(make_app(ladder, ask_seconds=0.2)) as address:
            yield RemoteLadder(ladder, address, tmp_path)


def confirm(ladder: Ladder, viewer: Viewer, code: str) -> None:
    device.confirm(ladder, viewer, code, [Scope.READ, Scope.SUBMIT])


@contextmanager
def clicking(remote: RemoteLadder, decide: Callable[[Ladder, Viewer, str], None]) -> Iterator[list[str]]:
    """Confirm, or refuse, each log-in as a person with a browser; give the codes."""
    codes: list[str] = []
    over = threading.Event()

    def click() -> None:
        viewer = viewer_by(remote.ladder, session_of(remote.ladder, "ada"), "")
        while not over.wait(0.02):
            with remote.ladder.database.read() as session:
                waiting = [row.user_code for row in session.scalars(select(LoginCode)) if row.owner_id is None]
            for code in waiting:
                codes.append(code)
                decide(remote.ladder, viewer, code)

    thread = threading.Thread(target=click)
    thread.start()
    try:
        yield codes
    finally:
        over.set()
        thread.join()


def test_a_user_logs_in_with_a_code_and_out_again(remote: RemoteLadder) -> None:
    with clicking(remote, confirm) as codes:
        done = remote("login", remote.address)
    assert (done.code, done.err) == (0, "")
    (code,) = codes
    opened, now = done.out.splitlines()
    assert opened.startswith(f"Open {remote.address}/login/code?code={code} ")
    assert opened.endswith(f" {code}")
    assert now.startswith(f"You are ada on {remote.address} ")
    assert now.endswith("pigpen logout")
    assert remote.token not in done.out
    assert stat.S_IMODE(remote.file.stat().st_mode) == 0o600

    who, bots, scopes = remote("whoami").out.splitlines()
    assert all(word in who for word in ("ada", "contestant", remote.address))
    assert bots.endswith(": Trotter.")
    assert scopes.endswith(": read, submit.")
    shown = json.loads(remote("whoami", "--json").out)
    assert shown == {
        "name": "ada",
        "role": "contestant",
        "scopes": ["read", "submit"],
        "bots": ["Trotter"],
        "team": None,
    }

    token = remote.token
    assert remote("logout").out.endswith(f"pigpen login {remote.address}\n")
    assert not remote.file.exists()
    assert viewer_by(remote.ladder, token, "") == ANONYMOUS
    assert remote("logout").is_one_sentence
    assert "pigpen login" in remote("whoami").err


def test_a_token_is_taken_from_the_standard_input(remote: RemoteLadder) -> None:
    token = token_of(remote.ladder, "ada", Scope.READ)
    done = remote("login", f"{remote.address}/", "--token", stdin=f"{token}\n")
    assert (done.code, f"ada on {remote.address} " in done.out) == (0, True)
    assert remote.token == token
    assert remote("standings").out.startswith("Gong Zhu")

    other = token_of(remote.ladder, "ada", Scope.READ)
    again = remote("login", remote.address, "--token", stdin=other)
    assert again.code == 0
    assert f"were ada on {remote.address}" in again.err
    assert viewer_by(remote.ladder, token, "") != ANONYMOUS


def test_who_is_logged_in_need_not_name_the_ladder_again(remote: RemoteLadder) -> None:
    assert remote("login").is_one_sentence
    assert NOT_LOGGED_IN in remote("login").err
    remote("login", remote.address, "--token", stdin=token_of(remote.ladder, "ada"))
    token = token_of(remote.ladder, "ada", Scope.READ)
    done = remote("login", "--token", stdin=token)
    assert (done.code, f"ada on {remote.address} " in done.out) == (0, True)
    assert remote.token == token


@pytest.mark.parametrize("token", ["", "x", "two words", "pgp_wrongwrongwrong", "pgp_ü12345678"])
def test_a_wrong_token_is_not_kept(remote: RemoteLadder, token: str) -> None:
    done = remote("login", remote.address, "--token", stdin=token)
    assert done.is_one_sentence
    assert not remote.file.exists()


def test_what_is_no_ladder_is_not_kept(remote: RemoteLadder) -> None:
    assert "Write it as https://arena.example" in remote("login", "arena.example").err
    assert "--plain-http" in remote("login", "http://arena.example").err
    with telling((200, {"Content-Type": "text/html"}, b"<h1>")) as server:
        done = remote("login", server.address)
        assert (done.code, done.out, "is not understood" in done.err) == (3, "", True)
    assert not remote.file.exists()


def test_a_log_in_that_is_refused_in_the_browser_ends(remote: RemoteLadder) -> None:
    with clicking(remote, device.refuse) as codes:
        done = remote("login", remote.address)
    assert len(codes) == 1
    assert (done.code, ENDED in done.err) == (2, True)
    assert not remote.file.exists()


def test_one_logs_out_while_the_ladder_is_away_and_is_told_so(remote: RemoteLadder) -> None:
    remote("login", remote.address, "--token", stdin=token_of(remote.ladder, "ada"))
    found = json.loads(remote.file.read_text())
    remote.file.write_text(json.dumps(found | {"address": "http://127.0.0.1:9"}))
    done = remote("logout")
    assert (done.code, done.out) == (3, "")
    assert "the token is still" in done.err
    assert "http://127.0.0.1:9 " in done.err
    assert not remote.file.exists()


def test_a_token_that_was_revoked_says_how_to_go_on(remote: RemoteLadder) -> None:
    token = token_of(remote.ladder, "ada", hours=-1)
    remote.file.parent.mkdir()
    remote.file.write_text(json.dumps({"address": remote.address, "name": "ada", "token": token}))
    for words in (("whoami",), ("logs", "1", "0"), ("retire", "Trotter")):
        done = remote(*words)
        assert done.is_one_sentence
        assert BAD_TOKEN in done.err
    assert remote("logout").code == 0
