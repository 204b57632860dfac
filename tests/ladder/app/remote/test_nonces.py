"""Nonces of entries that are kept at home."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ladder.app.remote import nonces
from ladder.app.remote.nonces import kept_nonces, make_nonce
from ladder.errors import UserError
from ladder.sandbox.host.whole_file import write_whole

if TYPE_CHECKING:
    from pathlib import Path

LADDER = "https://arena.example"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    return tmp_path


def test_two_bots_that_are_entered_at_the_same_time_keep_both_their_nonces(monkeypatch: pytest.MonkeyPatch) -> None:
    others = ["Late"]

    def meanwhile(path: Path, content: bytes) -> None:
        while others:
            make_nonce(LADDER, "cup", others.pop())
        write_whole(path, content)

    monkeypatch.setattr(nonces, "write_whole", meanwhile)
    made = make_nonce(LADDER, "cup", "Trotter")
    assert {each.bot for each in kept_nonces(LADDER, "cup")} == {"Trotter", "Late"}
    assert made in kept_nonces()
    assert kept_nonces("https://other.example") == kept_nonces(LADDER, "league") == []


@pytest.mark.parametrize(
    "content", ["", "[1]", '{"nonce": "ff"}', '{"address": "", "event": "", "bot": "", "nonce": "ff"}']
)
def test_a_file_that_was_changed_is_named(home: Path, content: str) -> None:
    make_nonce(LADDER, "cup", "Trotter")
    (path,) = (home / "pigpen" / nonces.FOLDER).iterdir()
    path.write_text(content)
    with pytest.raises(UserError) as refused:
        kept_nonces()
    assert repr(str(path)) in str(refused.value)


def test_where_it_cannot_be_kept_the_way_out_is_said(home: Path) -> None:
    (home / "pigpen").write_text("")
    with pytest.raises(UserError, match="--ladder-nonce"):
        make_nonce(LADDER, "cup", "Trotter")
