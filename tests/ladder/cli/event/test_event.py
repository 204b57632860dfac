"""`pigpen event`, as an organiser types it, on this machine's ladder and on the same one over HTTP."""

from __future__ import annotations

import hashlib
import json
import time
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import select

from ladder.app.event import holding
from ladder.app.ladder import Ladder
from ladder.cli.event.event_tables import UNLISTED
from ladder.events.chain import STAMP
from ladder.settings.settings import load_settings
from ladder.site.server.viewer import ORGANISERS
from ladder.store.event_models import EventEntry
from ladder.values.accounts import Role
from ladder.values.held_events import NOT_FINAL
from ladder.values.value import time_of
from tests.e2e.command import pigpen
from tests.ladder.accounts import add_person, token_of
from tests.ladder.app.event_ladders import FILE, coordinator_of, own_ways, play
from tests.ladder.events.files import EXAMPLES
from tests.ladder.ladders import enter
from tests.ladder.remote_site import log_in, served
from tests.ladder.virtual import Time
from tests.typed import Typed, typed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    Command = Callable[..., Typed]

ENTRANTS = "name,owner,rating\n" + "".join(f"bot{n},owner{n},{1500 + n}\n" for n in range(1, 7))


def files(folder: Path, *words: str) -> list[str]:
    """Make a cup for tables of four and its entrants; give the words of a draw."""
    done = pigpen("event", "new", str(folder / "cup.toml"), "--deals", "256", *words)
    assert done.returncode == 0, done.stderr
    (folder / "entrants.csv").write_text(ENTRANTS)
    return ["event", "draw", str(folder / "cup.toml"), "--entrants", str(folder / "entrants.csv"), "--seed", "tonight"]


@pytest.mark.parametrize("entrants", [3, 4, 9, 16, 17, 64, 200])
@pytest.mark.parametrize("variant", ["hearts-jack", "gongzhu-five", "gongzhu-partners"])
def test_a_new_file_has_nothing_wrong(tmp_path: Path, variant: str, entrants: int) -> None:
    files(tmp_path, "--variant", variant, "--entrants", str(entrants))
    done = pigpen("event", "check", str(tmp_path / "cup.toml"), "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    assert json.loads(done.stdout)["wrong"] == []


def test_a_file_that_is_there_stays(tmp_path: Path) -> None:
    (tmp_path / "cup.toml").write_text("mine")
    done = pigpen("event", "new", str(tmp_path / "cup.toml"))
    assert (done.returncode, (tmp_path / "cup.toml").read_text()) == (2, "mine")
    assert "is there already" in done.stderr


def test_what_is_wrong_is_printed_and_is_exit_code_2(tmp_path: Path) -> None:
    text = (EXAMPLES / "gongzhu-weekend.toml").read_text("utf-8").replace('"performance"\n', '"points"\n', 1)
    (tmp_path / "weekend.toml").write_text(text.replace('standings = "performance"', 'standings = "points"'))
    done = pigpen("event", "check", str(tmp_path / "weekend.toml"))
    assert done.returncode == 2
    assert "Wrong: Stage 'Swiss': " in done.stdout
    assert "With 200 entrants" in done.stdout


def test_a_file_that_is_no_event_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "cup.toml").write_text('[event]\nname = "A"\n[[stage]]\nname = "S"\n')
    for command in ("check", "draw"):
        words = ["--entrants", str(tmp_path / "e.csv"), "--seed", "1"] if command == "draw" else []
        done = pigpen("event", command, str(tmp_path / "cup.toml"), *words)
        assert done.returncode == 2
        assert done.stderr.startswith(f"pigpen: {tmp_path}/cup.toml: event: variant: ")
        assert done.stderr.count("\n") == 1


def test_a_file_that_cannot_be_read_is_one_sentence(tmp_path: Path) -> None:
    draw, results = files(tmp_path), tmp_path / "results.json"
    (tmp_path / "latin.toml").write_bytes(b"\xff")
    for words, path, why in (
        (["event", "check"], tmp_path / "none.toml", "it cannot be read: No such file or directory"),
        (["event", "check"], tmp_path, "it cannot be read: Is a directory"),
        (["event", "check"], tmp_path / "latin.toml", "it is not UTF-8 text"),
        ([*draw, "--results"], results, "it cannot be read: No such file or directory"),
    ):
        done = pigpen(*words, str(path))
        assert (done.returncode, done.stderr) == (2, f"pigpen: {path}: {why}.\n")


def test_a_round_is_drawn_the_same_again(tmp_path: Path) -> None:
    words = files(tmp_path)
    one, other = pigpen(*words, "--json"), pigpen(*words, "--json")
    assert one.returncode == 0, one.stderr
    assert one.stdout == other.stdout
    drawn = json.loads(one.stdout)
    bots = [bot for table in drawn["tables"] for bot in table["bots"]]
    assert sorted(bots) == [f"bot{n}" for n in range(1, 7)] + ["stand-in 1", "stand-in 2"]
    assert pigpen(*words[:-1], "another", "--json").stdout != one.stdout
    shown = pigpen(*words)
    assert "Round robin: Round 1, boards:2" in shown.stdout
    assert drawn["entrants_hash"] in shown.stdout


def test_an_event_is_drawn_to_its_end_from_results(tmp_path: Path) -> None:
    words, rounds = files(tmp_path), list[dict[str, object]]()
    for _ in range(12):
        (tmp_path / "rounds.json").write_text(json.dumps(rounds))
        done = pigpen(*words, "--results", str(tmp_path / "rounds.json"), "--json")
        assert done.returncode == 0, done.stderr
        drawn = json.loads(done.stdout)
        if drawn["kind"] == "over":
            break
        boards = int(drawn["format"].removeprefix("boards:"))
        strength = {f"bot{n}": 10 * n for n in range(1, 7)}
        tables = [
            {"bots": table["bots"], "boards": [[strength.get(bot, 0) for bot in table["bots"]]] * boards}
            for table in drawn["tables"]
        ]
        rounds.append({"stage": drawn["stage"], "round": drawn["round"], "tables": tables})
    assert [(each["stage"], each["round"]) for each in rounds] == [
        *(("Round robin", number) for number in range(1, 8)),
        ("Final", 1),
    ]
    assert [row["name"] for row in drawn["standings"]] == ["bot6", "bot5", "bot4", "bot3", "bot2", "bot1"]
    assert drawn["standings"][0]["why"].startswith("board points: ")


@pytest.mark.parametrize(
    ("results", "sentence"),
    [
        ("[", "Invalid JSON"),
        ('[{"stage": "Quarter", "round": 1, "tables": []}]', "has no stage 'Quarter'"),
        ('[{"stage": "Final", "round": 1, "tables": []}]', "where round 1 of 'Round robin' (stage 1) comes next"),
        (
            '[{"stage": "Final", "round": 1, "tables": [{"bots": ["nobody"], "boards": [[1]]}]}]',
            "no entrant is named 'nobody'",
        ),
        (
            '[{"stage": "Final", "round": 1, "tables": [{"bots": ["bot1"], "boards": []}]}]',
            "needs boards with a number",
        ),
    ],
)
def test_wrong_results_are_named(tmp_path: Path, results: str, sentence: str) -> None:
    words = files(tmp_path)
    (tmp_path / "rounds.json").write_text(results)
    done = pigpen(*words, "--results", str(tmp_path / "rounds.json"))
    assert done.returncode == 2
    assert sentence in done.stderr


@pytest.mark.parametrize(
    ("entrants", "sentence"),
    [
        ("name,owner\na,x\n", "1 entrant; 'My event' is for 4 to 16"),
        ("name,owner\na,x\nb,x\nc,y\nd,z\n", "'x' has 2 bots; 'My event' allows 1 of an owner"),
    ],
)
def test_entrants_that_the_event_does_not_allow_are_named(tmp_path: Path, entrants: str, sentence: str) -> None:
    words = files(tmp_path)
    (tmp_path / "entrants.csv").write_text(entrants)
    done = pigpen(*words)
    assert done.returncode == 2
    assert sentence in done.stderr


def test_a_simulation_compares_files_and_recommends(tmp_path: Path) -> None:
    files(tmp_path)
    other = (tmp_path / "cup.toml").read_text().replace('deals = "half"', 'format = "boards:1"')
    (tmp_path / "other.toml").write_text(other)
    words = [
        "event",
        "simulate",
        str(tmp_path / "other.toml"),
        "--compare",
        str(tmp_path / "cup.toml"),
        "--events",
        "200",
    ]
    done = pigpen(*words, "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert [each["name"] for each in found["formats"]] == ["other.toml", "cup.toml"]
    assert found["entrants"] == 16
    assert pigpen(*words, "--json").stdout == done.stdout
    shown = pigpen(*words).stdout
    assert "16 entrants, 200 simulated events" in shown
    assert found["recommendation"] in shown
    assert found["formats"][0]["best_wins"] < found["recommended"]["best_wins"]


def test_a_simulation_with_ratings_says_what_each_may_hope_for(tmp_path: Path) -> None:
    words = files(tmp_path)
    done = pigpen("event", "simulate", words[2], "--entrants", words[4], "--events", "100", "--json")
    assert done.returncode == 0, done.stderr
    each = json.loads(done.stdout)["each"]
    assert [one["name"] for one in each] == ["bot6", "bot5", "bot4", "bot3", "bot2", "bot1"]
    assert sum(one["wins"] for one in each) == pytest.approx(1)
    (tmp_path / "entrants.csv").write_text("name,owner\na,x\nb,y\nc,z\nd,w\n")
    done = pigpen("event", "simulate", words[2], "--entrants", words[4])
    assert (done.returncode, "'a' has no rating" in done.stderr) == (2, True)
    done = pigpen("event", "simulate", words[2], "--entrants", "99")
    assert (done.returncode, " 4 to 16 entrants, " in done.stderr) == (2, True)


def test_a_stand_in_replaces_a_bot_that_has_left(tmp_path: Path) -> None:
    words = files(tmp_path)
    drawn = json.loads(pigpen(*words, "--left", "bot3:0", "--json").stdout)
    bots = [bot for table in drawn["tables"] for bot in table["bots"]]
    assert "bot3" not in bots
    assert sorted(bot for bot in bots if bot.startswith("stand-in")) == ["stand-in 1", "stand-in 2", "stand-in 3"]
    done = pigpen(*words, "--left", "bot3")
    assert (done.returncode, "'bot3' is not NAME:N" in done.stderr) == (2, True)


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
    assert printed(command("open", str(file))).endswith("pigpen event enter cup BOT\n")
    for bot in (*BOTS, "Trotter"):
        assert printed(command("enter", "cup", bot, "--ladder-nonce")) == f"{bot} has entered cup.\n"
    assert printed(command("withdraw", "cup", "Trotter")) == "Trotter has left cup.\n"
    assert json.loads(printed(command("list", "--json")))[0]["entrants"] == 8
    assert printed(command("freeze", "cup")).endswith("pigpen event start cup\n")
    assert printed(command("start", "cup")).startswith("cup runs.")
    assert printed(command("pause", "cup", "--reason", "Dinner.")).startswith("cup is paused.")
    assert "gongzhu: paused (Dinner.)" in printed(command("show", "cup"))
    play(coordinator_of(ladder, Time()), 1, own_ways, at_once=2)
    redone = printed(command("redo", "cup", "--round", "1", "--table", "1", "--reason", "A power cut."))
    play(coordinator_of(ladder, Time()), 1, own_ways, at_once=1)
    again = tables(command, "--all")[0]
    assert again["turn"] == 1
    assert redone.endswith(f" match {again['match']}.\n")
    assert [each["boards"] for each in tables(command)] == [None, None]
    assert printed(command("release", "cup")).startswith("Table 1 of round 1 ")
    victim = again["bots"][1]
    ruled = command("rule", "cup", "--round", "1", "--table", "1", "--last", victim, "--reason", "It knew the cards.")
    assert printed(ruled).startswith(f"{victim}: last ")
    assert printed(command("draw", "cup")).startswith("Round 2 of cup ")
    printed(command("start", "cup"))
    coordinator = coordinator_of(ladder, Time())
    while json.loads(printed(command("show", "cup", "--all", "--json")))["state"] != "over":
        play(coordinator, 1, own_ways, at_once=2)
    early = command("export", "cup")
    assert (early.code, early.out) == (2, "")
    assert "results of 'cup' " in early.err
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
        assert printed(ada("enter", "cup", "Trotter")).startswith("Trotter has entered cup.\n")
        assert "no bot 'Bot-1'" in ada("enter", "cup", "Bot-1").err
        table = ("cup", "--round", "1", "--table", "1", "--reason", "x")
        for words in (
            ("freeze", "cup"), ("start", "cup"), ("pause", "cup"), ("draw", "cup"), ("release", "cup"),
            ("redo", *table), ("rule", *table, "--last", "Trotter"), ("show", "cup", "--all"),
        ):  # fmt: skip
            refused = ada(*words)
            assert refused.is_one_sentence, refused
            assert refused.err == f"pigpen: {ORGANISERS}\n"
        assert json.loads(printed(ada("show", "cup", "--json")))["state"] == "open"


def test_a_contestants_nonce_is_kept_at_home_and_revealed_after_the_freeze(
    ladder: Ladder, file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with served(ladder) as address:
        olga, ada = (of(ladder, tmp_path, address, name) for name in ("olga", "ada"))
        printed(olga("open", str(file)))
        for bot in BOTS[:3]:
            printed(olga("enter", "cup", bot, "--ladder-nonce"))
        printed(ada("enter", "cup", "Trotter"))
        (kept,) = (tmp_path / "ada" / "pigpen" / "nonces").iterdir()
        nonce = json.loads(kept.read_text())
        assert kept.stat().st_mode & 0o77 == 0
        (entry,) = (one for one in shown(ada)["entrant_list"] if one["name"] == "Trotter")
        assert entry["commitment"] == hashlib.sha256(bytes.fromhex(nonce["nonce"])).hexdigest()
        assert (entry["has_own_nonce"], entry["nonce"]) == (True, None)
        with monkeypatch.context() as patched:
            patched.setattr(holding, "reveal", lambda *_: pytest.fail("the organiser's machine has got the nonce"))
            early = ada("reveal", "cup")
        assert (early.is_one_sentence, early.err) == (True, f"pigpen: {NOT_FINAL.format('cup')}\n")
        printed(olga("freeze", "cup"))
        assert "Trotter" in olga("start", "cup").err
        stamp = shown(olga)["stamp"]
        assert STAMP.fullmatch(stamp)
        final, revealed = printed(ada("reveal", "cup", "--wait")).splitlines()
        assert final.endswith(stamp)
        assert "Trotter" in revealed
        assert "Trotter" not in printed(ada("reveal", "cup"))
        assert next(one for one in shown(ada)["entrant_list"] if one["name"] == "Trotter")["nonce"] == nonce["nonce"]
        printed(olga("start", "cup"))
        kept.write_text("[1]")
        assert ada("reveal", "cup").is_one_sentence


def test_bots_check_in_and_the_waiting_list_is_shown(command: Command, ladder: Ladder, file: Path) -> None:
    now = time.time()
    times = f"check_in = {time_of(now - 60).isoformat()}\nfreezes = {time_of(now + 3600).isoformat()}\n"
    text = FILE.format(show="manual").replace("[4, 16]", "[2, 2]\nwaiting_list = 1")
    file.write_text(text.replace("\n[[stage]]", f"{times}\n[[stage]]", 1))
    printed(command("open", str(file)))
    printed(command("enter", "cup", "Bot-1", "--ladder-nonce"))
    with ladder.database.write() as session:
        session.scalars(select(EventEntry)).one().checked_in = None
    for bot in BOTS[1:3]:
        printed(command("enter", "cup", bot, "--ladder-nonce"))
    page = printed(command("show", "cup"))
    assert "; 1 more on" in page
    assert "check-in cup BOT: 2 of 3" in page
    done = printed(command("check-in", "cup", "Bot-1"))
    assert done.endswith(f": {shown(command)['stamp']}\n")
    assert "number 1 on" in printed(command("check-in", "cup", "Bot-3"))
    assert "3 of 3 have." in printed(command("show", "cup"))
    printed(command("withdraw", "cup", "Bot-2"))
    assert f": {UNLISTED['withdrawn']}" in printed(command("show", "cup"))
    assert "waiting list" not in printed(command("check-in", "cup", "Bot-3"))
    early = command("freeze", "cup")
    assert early.is_one_sentence
    assert "'cup' until" in early.err


def shown(command: Command) -> dict[str, Any]:
    """The event, as anyone may see it."""
    found: dict[str, Any] = json.loads(printed(command("show", "cup", "--json")))
    return found
