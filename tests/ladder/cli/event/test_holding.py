"""The commands that hold an event: on this machine's ladder, and on the same one over HTTP."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from ladder.app.ladder import Ladder
from ladder.settings.settings import load_settings
from ladder.site.server.viewer import ORGANISERS
from ladder.values.accounts import Role
from tests.ladder.accounts import add_person, token_of
from tests.ladder.app.event_ladders import FILE, coordinator_of, own_ways, play
from tests.ladder.ladders import enter
from tests.ladder.remote_site import log_in, served
from tests.ladder.virtual import Time
from tests.typed import Typed, typed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    Command = Callable[..., Typed]

BOTS = [f"Bot-{number}" for number in range(1, 9)]


@pytest.fixture
def ladder(tmp_path: Path) -> Iterator[Ladder]:
    with Ladder.open(load_settings(data_dir=tmp_path / "data", sandbox="process"), create=True) as ladder:
        with ladder.database.write() as session:
            enter(session, "house-counting", "gongzhu", owner="house-counting")
            for bot in BOTS:
                enter(session, bot, "gongzhu")
            enter(session, "Trotter", "gongzhu", owner="ada")
        add_person(ladder, "olga", Role.ORGANISER)
        add_person(ladder, "ada")
        yield ladder


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "cup.toml"
    path.write_text(FILE.format(show="manual"))
    return path


def of(ladder: Ladder, folder: Path, address: str, name: str) -> Command:
    """Types commands as a user who has logged in there and has no ladder on this machine."""
    login = log_in(folder / name, address, name, token_of(ladder, name))
    return lambda *words: typed("event", *words, folder=folder, **login, PIGPEN_DATA_DIR=str(folder / "nothing"))


@pytest.fixture(params=["here", "there"])
def command(request: pytest.FixtureRequest, ladder: Ladder, tmp_path: Path) -> Iterator[Command]:
    if request.param == "here":
        yield lambda *words: typed("event", *words, folder=tmp_path, PIGPEN_DATA_DIR=str(ladder.settings.data_dir))
        return
    with served(ladder) as address:
        yield of(ladder, tmp_path, address, "olga")


def printed(typed: Typed) -> str:
    assert (typed.code, typed.err) == (0, ""), typed.err
    return typed.out


def tables(command: Command, *words: str) -> list[dict[str, Any]]:
    """The tables of the first round."""
    found: list[dict[str, Any]] = json.loads(printed(command("show", "cup", "--json", *words)))["round_list"][0][
        "tables"
    ]
    return found


def test_an_event_is_held_by_commands(command: Command, ladder: Ladder, file: Path, tmp_path: Path) -> None:
    assert printed(command("open", str(file))) == "cup is open. Bots enter with: pigpen event enter cup BOT\n"
    for bot in (*BOTS, "Trotter"):
        assert printed(command("enter", "cup", bot)) == f"{bot} has entered cup.\n"
    assert printed(command("withdraw", "cup", "Trotter")) == "Trotter has left cup.\n"
    assert json.loads(printed(command("list", "--json")))[0]["entrants"] == 8
    assert printed(command("freeze", "cup")).endswith("is final. Next: pigpen event start cup\n")
    assert printed(command("start", "cup")).startswith("cup runs.")
    assert printed(command("pause", "cup", "--reason", "Dinner.")).startswith("cup is paused.")
    assert "Small cup, gongzhu: paused (Dinner.)" in printed(command("show", "cup"))
    play(coordinator_of(ladder, Time()), 1, own_ways, at_once=2)
    redone = printed(command("redo", "cup", "--round", "1", "--table", "1", "--reason", "A power cut."))
    play(coordinator_of(ladder, Time()), 1, own_ways, at_once=1)
    again = tables(command, "--all")[0]
    assert (again["turn"], redone) == (1, f"Table 1 of round 1 is played again, as match {again['match']}.\n")
    assert [each["boards"] for each in tables(command)] == [None, None]
    assert printed(command("release", "cup")) == "Table 1 of round 1 is shown.\n"
    victim = again["bots"][1]
    ruled = command("rule", "cup", "--round", "1", "--table", "1", "--last", victim, "--reason", "It knew the cards.")
    assert printed(ruled) == f"{victim}: last at table 1 of round 1.\n"
    assert printed(command("draw", "cup")) == "Round 2 of cup is drawn.\n"
    printed(command("start", "cup"))
    coordinator = coordinator_of(ladder, Time())
    while json.loads(printed(command("show", "cup", "--all", "--json")))["state"] != "over":
        play(coordinator, 1, own_ways, at_once=2)
    early = command("export", "cup")
    assert (early.code, early.out) == (2, "")
    assert "Not all results of 'cup' are shown yet." in early.err
    while "is shown" in printed(command("release", "cup")):
        pass
    assert printed(command("export", "cup")).startswith("Wrote cup.zip.")
    assert not list(tmp_path.glob(".cup.zip*"))
    assert "cup.zip' is there already" in command("export", "cup").err
    verified = typed("event", "verify", "cup.zip", folder=tmp_path)
    assert verified.code == 0
    assert verified.out.startswith("cup holds: ")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("show", "cap"), "There is no event 'cap' on this ladder."),
        (("show", "a/b"), "There is no event 'a/b' on this ladder."),
        (("enter", "cup", "Bot-77"), "Bot-77"),
        (("enter", "cup", "x" * 200), "pigpen: "),
        (("start", "cup"), "The event 'cup' is open. First make its list of entrants final: pigpen event freeze cup"),
        (("freeze", "cup"), "0 bots have entered 'cup'; it needs 4."),
        (("redo", "cup", "--round", "1", "--table", "1", "--reason", " "), "A reason is needed"),
        (("export", "cup"), "'cup' is open; it can be exported when it is over."),
        (("open", "cup.toml"), "There is an event 'cup' already. Choose another name with --name."),
    ],
)
def test_a_mistake_is_one_sentence(command: Command, file: Path, words: tuple[str, ...], sentence: str) -> None:
    printed(command("open", str(file)))
    found = command(*words)
    assert found.is_one_sentence, found
    assert sentence in found.err


def test_a_contestant_enters_bots_of_ones_own_and_no_more(ladder: Ladder, file: Path, tmp_path: Path) -> None:
    with served(ladder) as address:
        olga, ada = (of(ladder, tmp_path, address, name) for name in ("olga", "ada"))
        assert ada("open", str(file)).err == f"pigpen: {ORGANISERS}\n"
        printed(olga("open", str(file)))
        assert printed(ada("enter", "cup", "Trotter")) == "Trotter has entered cup.\n"
        assert "You have no bot 'Bot-1' on this ladder." in ada("enter", "cup", "Bot-1").err
        table = ("cup", "--round", "1", "--table", "1", "--reason", "x")
        for words in (
            ("freeze", "cup"), ("start", "cup"), ("pause", "cup"), ("draw", "cup"), ("release", "cup"),
            ("redo", *table), ("rule", *table, "--last", "Trotter"), ("show", "cup", "--all"),
        ):  # fmt: skip
            refused = ada(*words)
            assert refused.is_one_sentence, refused
            assert refused.err == f"pigpen: {ORGANISERS}\n"
        assert json.loads(printed(ada("show", "cup", "--json")))["state"] == "open"
