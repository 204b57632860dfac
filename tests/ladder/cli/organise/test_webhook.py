"""`pigpen ladder webhook`, as an organiser types it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from ladder.settings.settings import load_settings
from ladder.store.commands.opening import open_ladder
from ladder.store.commands.outbox import disable
from ladder.store.commands.webhooks import find_webhook
from ladder.values.webhooks import CHOICES
from tests.e2e.command import pigpen
from tests.ladder.ladders import NOW
from tests.ladder.webhooks.receivers import receiver

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from subprocess import CompletedProcess

    from tests.ladder.webhooks.receivers import Receiver


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The data of a ladder."""
    open_ladder(load_settings(data_dir=tmp_path), create=True).close()
    return tmp_path


@pytest.fixture
def there() -> Iterator[Receiver]:
    with receiver() as found:
        yield found


def command(folder: Path, *words: str, loopback: str = "true") -> CompletedProcess[str]:
    return pigpen("ladder", "webhook", *words, PIGPEN_DATA_DIR=str(folder), PIGPEN_WEBHOOK_LOOPBACK=loopback)


def test_a_webhook_is_added_tested_listed_and_removed(folder: Path, there: Receiver) -> None:
    added = command(folder, "add", there.url, "--on", "event.over", "--on", "event.paused")
    assert (added.returncode, added.stderr) == (0, "")
    first, second = added.stdout.splitlines()
    assert first.endswith("pigpen ladder webhook test 1")
    secret = second.removeprefix("Its secret, which is not shown again: ")
    assert command(folder, "list").stdout == (
        f"1  {there.url}\n   about all events: event.over, event.paused\n"
        "   last accepted: never; 0 waiting; 0 given up\n"
    )  # fmt: skip
    tested = command(folder, "test", "1")
    assert (tested.returncode, tested.stdout) == (0, "Accepted. The receiver answered 204.\n")
    assert there.next().verified(secret)["type"] == "webhook.test"
    assert secret not in command(folder, "list", "--json").stdout
    removed = command(folder, "remove", "1")
    assert (removed.returncode, removed.stdout) == (0, f"Webhook 1 is removed: {there.url}\n")
    assert command(folder, "list").stdout.endswith("pigpen ladder webhook add URL\n")


def test_the_same_as_json(folder: Path, there: Receiver) -> None:
    added = json.loads(command(folder, "add", there.url, "--json").stdout)
    assert added["secret"].startswith("whsec_")
    (row,) = json.loads(command(folder, "list", "--json").stdout)
    assert row == {key: value for key, value in added.items() if key != "secret"}
    there.answers.append(302)
    tested = command(folder, "test", "1", "--json")
    sent = json.loads(tested.stdout)
    assert (tested.returncode, sent["number"], sent["accepted"]) == (1, 1, False)
    assert sent["sentence"].startswith("The receiver answered 302. ")
    assert json.loads(command(folder, "remove", "1", "--json").stdout)["url"] == there.url


def test_the_list_says_why_one_is_disabled_and_what_to_do(folder: Path, there: Receiver) -> None:
    command(folder, "add", there.url)
    database = open_ladder(load_settings(data_dir=folder))
    with database.write() as session:
        disable(session, find_webhook(session, 1), "The receiver answered 410 (gone).", NOW)
    database.close()
    assert command(folder, "list").stdout.splitlines()[1:] == [
        "   about all events and bots: all messages",
        "   last accepted: never; 0 waiting; 0 given up",
        "   disabled since 2027-01-15 08:00 UTC. The receiver answered 410 (gone). "
        "To enable it: pigpen ladder webhook test 1",
    ]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("add", "http://127.0.0.1:9/"), "to 127.0.0.1: an address of this machine (setting webhook_loopback)."),
        (("add", "https://192.168.0.7/"), "to 192.168.0.7: a private address."),
        (("add", "https://ada:secret@hooks.example/"), "has no user, password or fragment: 'https://hooks.example/'."),
        (("add", "https://8.8.8.8/", "--on", "all"), "'all' is no kind of message. There are: event.opened, "),
        (("add", "https://8.8.8.8/", "--event", "cup"), "There is no event 'cup' on this ladder."),
        (("add", "http://8.8.8.8/"), "webhook_http = true"),
        (("remove", "7"), "There is no webhook 7. To list all: pigpen ladder webhook list"),
        (("test", "7"), "There is no webhook 7."),
    ],
)
def test_what_cannot_be_is_one_sentence(folder: Path, words: tuple[str, ...], sentence: str) -> None:
    done = command(folder, *words, loopback="false")
    assert (done.returncode, done.stdout) == (2, "")
    assert sentence in " ".join(done.stderr.split())


def test_the_help_and_the_docs_name_every_kind_of_message(folder: Path) -> None:
    shown = " ".join(command(folder, "add", "--help").stdout.split())
    assert [kind for kind in CHOICES if f"{kind}" not in shown] == []
