"""`pigpen ladder mail` and `pigpen account mail`, as an organiser types them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from ladder.settings.settings import load_settings
from ladder.store.commands.opening import open_ladder
from tests.e2e.command import pigpen
from tests.ladder.accounts import add_person
from tests.ladder.ladders import new_ladder
from tests.ladder.mail.servers import SENDER, SITE, smtp_server

if TYPE_CHECKING:
    from pathlib import Path
    from subprocess import CompletedProcess


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The data of a ladder with an account."""
    settings = load_settings(data_dir=tmp_path)
    ladder = new_ladder(settings)
    add_person(ladder, "ada")
    ladder.database.close()
    open_ladder(settings).close()
    return tmp_path


def command(folder: Path, *words: str, port: int = 25, host: str = "127.0.0.1") -> CompletedProcess[str]:
    return pigpen(
        *words,
        PIGPEN_DATA_DIR=str(folder),
        PIGPEN_MAIL_HOST=host,
        PIGPEN_MAIL_SECURITY="none",
        PIGPEN_MAIL_PORT=str(port),
        PIGPEN_MAIL_SENDER=SENDER,
        PIGPEN_SITE_URL=SITE,
    )


def test_the_settings_are_tried(folder: Path) -> None:
    with smtp_server() as box:
        tested = command(folder, "ladder", "mail", "test", "olga@arena.example", port=box.port)
        assert (tested.returncode, tested.stdout) == (0, "Accepted. 127.0.0.1 has accepted it.\n")
        assert box.recipients == ["olga@arena.example"]
        box.to_recipient.append("550 5.7.1 <olga@arena.example>: relaying denied")
        refused = command(folder, "ladder", "mail", "test", "olga@arena.example", "--json", port=box.port)
    assert refused.returncode == 1
    found = json.loads(refused.stdout)
    assert (found["accepted"], "550 5.7.1" in found["sentence"], "olga" in found["sentence"]) == (False, True, False)
    wrong = command(folder, "ladder", "mail", "test", "olga")
    assert (wrong.returncode, wrong.stdout, "'olga'" in wrong.stderr) == (2, "", True)
    off = command(folder, "ladder", "mail", "test", "olga@arena.example", host="")
    assert (off.returncode, "mail_host" in off.stderr) == (2, True)


def test_an_organiser_gives_and_removes_an_address(folder: Path) -> None:
    for address in ("old@mail.example", "ada@mail.example"):
        asked = command(folder, "account", "mail", "ada", address, "--language", "zh")
        assert (asked.returncode, address in asked.stdout) == (0, True)
    status = json.loads(command(folder, "ladder", "mail", "status", "--json").stdout)
    assert (status["addresses"], status["waiting"], status["server"]) == (0, 1, "127.0.0.1:25")
    assert command(folder, "ladder", "mail", "status").stdout.startswith("Server: 127.0.0.1:25\n")
    shown = json.loads(command(folder, "account", "mail", "ada", "--json").stdout)
    assert (shown["address"], shown["pending"], shown["language"]) == (None, "ada@mail.example", "zh")
    removed = command(folder, "account", "mail", "ada", "--remove")
    assert (removed.returncode, "ada@" in removed.stdout) == (0, False)
    assert json.loads(command(folder, "account", "mail", "ada", "--json").stdout)["pending"] is None
    for words in (("ada", "--remove"), ("ben", "ben@mail.example"), ("ada", "ada"), ("ada", "a@b.example", "--remove")):
        refused = command(folder, "account", "mail", *words)
        assert (refused.returncode != 0, refused.stdout, refused.stderr.count("\n")) == (True, "", 1)
