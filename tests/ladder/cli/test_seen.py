"""Output of a ladder's commands on the terminal. The expected output lies in `seen/`."""

from __future__ import annotations

import csv
import io
import json
import re
import shlex
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from jsonschema import Draft202012Validator
from rich.cells import cell_len
from sqlalchemy import select

from ladder.app.schema import api_schema
from ladder.cli.replay.verify import NOT_PROVED
from ladder.cli.results.standings import not_transitive
from ladder.cli.typer_app import run_app
from ladder.results.files import MatchFiles
from ladder.settings.settings import load_settings
from ladder.store import models
from ladder.store.commands.coordinators import write_workers
from ladder.store.commands.estimates import refresh
from ladder.store.commands.opening import open_ladder
from ladder.values.standings import Standings
from pigpen.rules import PRESETS
from referee.records.file import RecordWriter
from tests.ladder import ladders, shown
from tests.ladder.cluster_rows import seen as worker_seen
from tests.ladder.every_database import copy_folder

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ladder.results.files import Logs
    from ladder.store.database import Database

ROOT = Path(__file__).parents[3]
SEEN = Path(__file__).parent / "seen"
SCHEMA = api_schema()
RED = "\x1b[31mred\x07[bold]"
NASTY = f"{RED}\x9b2J\u202eright\u2066\u061c"
LOGS: Logs = {
    table: (
        "",
        "[1] hello\n",
        f"[1] Traceback\n[2] {RED}\n[4] still here\n",
        "".join(f"[{line}] line\n" for line in range(1, 90)),
    )
    for table in range(4)
}


class Seen:
    """A ladder, and the command as one types it."""

    def __init__(self, folder: Path, database: Database, capture: pytest.CaptureFixture[str]) -> None:
        self.folder = folder
        self.database = database
        self._capture = capture

    def __call__(self, *words: str, columns: int = 80, code: int = 0) -> str:
        """Run ``pigpen WORDS``; give what it prints, with the ladder's folder called DATA."""
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(sys, "argv", ["pigpen", *words])
            patch.setenv("COLUMNS", str(columns))
            with pytest.raises(SystemExit) as ended:
                run_app()
        printed = self._capture.readouterr()
        assert (ended.value.code or 0) == code, printed
        return (printed.err if code == 2 else printed.out).replace(str(self.folder), "DATA")

    def json(self, *words: str) -> Any:
        """Run the command, and give its JSON, which fits the schema."""
        found = json.loads(self(*words, "--json"))
        command = "matches MATCH" if words[0] == "matches" and words[1:2] and words[1].isdigit() else words[0]
        command = " ".join(words[:2]) if command == "cluster" else command
        Draft202012Validator({"$defs": SCHEMA["$defs"], **SCHEMA["properties"][command]}).validate(found)
        return found


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give the folder of a test's ladder; its clocks show UTC."""
    monkeypatch.setenv("PIGPEN_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    return tmp_path


@pytest.fixture
def empty(folder: Path, capsys: pytest.CaptureFixture[str]) -> Iterator[Seen]:
    """A ladder with nothing in it."""
    database = open_ladder(load_settings(), create=True)
    yield Seen(folder, database, capsys)
    database.close()


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a ladder with thirty matches of gongzhu, one running, one queued, and Mud suspended."""
    folder = tmp_path_factory.mktemp("played")
    database = open_ladder(load_settings(data_dir=folder), create=True)
    with database.write() as session:
        versions = shown.a_ladder(session)
        shown.suspend(session, versions["Mud"], "taken over in 3 matches in a row (28, 29, 30): timeout")
        four = [*versions.values()][:4]
        ladders.lease(session, ladders.queue(session, four, "gongzhu", "98"))
        ladders.queue(session, four, "gongzhu", "99")
    refresh(database, "gongzhu")
    database.close()
    MatchFiles(folder).keep(30, 1, b"", LOGS)
    return folder


@pytest.fixture
def seen(played: Path, folder: Path, capsys: pytest.CaptureFixture[str]) -> Iterator[Seen]:
    """A copy of it."""
    copy_folder(played, folder)
    database = open_ladder(load_settings())
    yield Seen(folder, database, capsys)
    database.close()


@pytest.mark.parametrize("columns", [60, 80, 120])
def test_the_standings_fit_the_terminal_and_read_like_this(seen: Seen, columns: int) -> None:
    printed = seen("standings", columns=columns)
    assert printed == (SEEN / f"standings_{columns}.txt").read_text()
    assert max(map(cell_len, printed.splitlines())) <= columns


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("standings_of_all", "standings --all"),
        ("bots", "bots"),
        ("show", "show Mud"),
        ("matches", "matches --limit 4"),
        ("queued", "matches --status queued"),
        ("match", "matches 30"),
        ("explain", "explain 30"),
        ("logs", "logs 30 2 --rotation 2"),
    ],
)
def test_a_page_reads_like_this(seen: Seen, name: str, words: str) -> None:
    assert seen(*words.split()) == (SEEN / f"{name}.txt").read_text()


def test_a_wide_terminal_has_every_column_and_a_narrow_one_the_most_telling(seen: Seen) -> None:
    headings = {columns: seen("standings", columns=columns).splitlines()[1].split() for columns in (36, 60, 80, 120)}
    assert headings[120] == [
        "rank", "ranks", "bot", "owner", "Elo", "±", "margin", "matches", "places", "faults", "trend", "moved",
    ]  # fmt: skip
    assert headings[36] == ["rank", "bot", "Elo", "matches"]
    for narrow, wide in ((36, 60), (60, 80), (80, 120)):
        assert [heading for heading in headings[wide] if heading in headings[narrow]] == headings[narrow]


@pytest.fixture
def disagreeing(seen: Seen) -> Seen:
    """The last by places is first by points, and surely wins more of them than the second by places."""
    with seen.database.write() as session:
        ids = {bot.name: bot.id for bot in session.scalars(select(models.StoredBot))}
        last = session.get_one(models.Rating, ("gongzhu", ids["Truffle"]))
        last.margin, last.margin_rank_low, last.margin_rank_high = 60.0, 1, 2
        last.outplaced_by = ids["Acorn"]
    return seen


@pytest.mark.parametrize("columns", [60, 80])
def test_standings_by_points_have_the_ranks_and_the_order_of_the_margins(disagreeing: Seen, columns: int) -> None:
    printed = disagreeing("standings", "--by", "points", columns=columns)
    assert printed == (SEEN / f"standings_by_points_{columns}.txt").read_text()
    (by_points,) = disagreeing.json("standings", "--by", "points")
    (usual,) = disagreeing.json("standings")
    assert [(row["bot"], row["margin_rank"], row["rank"]) for row in by_points["standings"]] == [
        ("Truffle", 1, 4), ("Snout", 2, 1), ("Acorn", 3, 2), ("Trotter", 4, 3),
    ]  # fmt: skip
    assert [row["rank"] for row in usual["standings"]] == [1, 2, 3, 4]
    assert (by_points["by"], usual["by"]) == ("points", "elo")


def test_the_organiser_chooses_the_usual_order(disagreeing: Seen, monkeypatch: pytest.MonkeyPatch) -> None:
    by_points, by_elo = (disagreeing("standings", "--by", order) for order in ("points", "elo"))
    assert disagreeing("standings") == by_elo != by_points
    monkeypatch.setenv("PIGPEN_STANDINGS_BY", "points")
    assert disagreeing("standings") == by_points


def test_bots_that_beat_each_other_in_a_circle_are_named_below_the_table(seen: Seen) -> None:
    (before,) = seen.json("standings")
    assert before["circles"] == []
    with seen.database.write() as session:
        ids = {bot.name: bot.id for bot in session.scalars(select(models.StoredBot))}
        names, boards = ("Acorn", "Snout", "Truffle"), ((64, 30), (1200, 1000), (70, 9))
        circle = [[ids[name], *counts] for name, counts in zip(names, boards, strict=True)]
        session.get_one(models.StoredEstimate, "gongzhu").circles = [circle]
    (found,) = seen.json("standings", "--by", "points")
    steps = [{"bot": name, "ahead": ahead, "behind": behind}
             for name, (ahead, behind) in zip(names, boards, strict=True)]  # fmt: skip
    assert found["circles"] == [{"steps": steps}]
    sentence = not_transitive(Standings.model_validate(found).circles[0])
    assert [words.split() for words in sentence.split(", ")] == [
        ["Acorn", "beats", "Snout", "(64", "boards", "to", "30)"],
        ["Snout", "beats", "Truffle", "(1200", "boards", "to", "1000)"],
        ["Truffle", "beats", "Acorn", "(70", "boards", "to", "9)"],
    ]
    for by in ("elo", "points"):
        assert len([line for line in seen("standings", "--by", by).splitlines() if sentence in line]) == 1


def test_a_bot_that_wins_more_points_and_fewer_places_is_named(disagreeing: Seen) -> None:
    sentence = "wins more points, fewer places than Acorn"
    assert f"Truffle {sentence}.\n" in disagreeing("standings")
    assert f"  {sentence}\n" in disagreeing("show", "Truffle")
    assert sentence not in disagreeing("show", "Acorn")


def test_long_and_wide_names_are_cut_and_break_nothing(empty: Seen) -> None:
    with empty.database.write() as session:
        for name in ("猪" * 64, "P" * 64, "short"):
            ladders.enter(session, name, owner=name)
    for columns in (60, 80, 120):
        lines = empty("standings", columns=columns).splitlines()
        assert max(map(cell_len, lines)) <= columns
        assert "…" in "".join(lines)
    assert {row["bot"] for row in empty.json("standings")[0]["standings"]} == {"猪" * 64, "P" * 64, "short"}


def test_names_and_reasons_cannot_make_a_terminal_do_things(empty: Seen) -> None:
    with empty.database.write() as session:
        versions = [ladders.enter(session, f"{NASTY}{number}", owner=f"{NASTY}{number}") for number in range(4)]
        match = shown.play(session, versions, "hearts", 1, sinner=2)
        hearts = session.get_one(models.Variant, "hearts")
        hearts.rules = {**hearts.rules, "title": NASTY}
        shown.suspend(session, versions[0], NASTY, "hearts")
        shown.suspend(session, versions[1], NASTY, "hearts")
        for fault in session.scalars(select(models.StoredFault)):
            fault.why = NASTY
        queued = ladders.queue(session, versions)
        session.get_one(models.StoredMatch, queued).reason = NASTY
    MatchFiles(empty.folder).keep(match, 1, b"", {0: (NASTY,) * 4})
    for words in (
        ["standings", "--all"], ["bots"], ["show", f"{NASTY}2"], ["matches"], ["matches", "--status", "queued"],
        ["matches", str(match)], ["matches", str(queued)], ["explain", str(match)], ["logs", str(match), "2"],
    ):  # fmt: skip
        printed = empty(*words, columns=200)
        assert "[31mred" in printed, words
        assert all(letter.isprintable() or letter == "\n" for letter in printed), words
        assert "[bold]" in printed, words
        as_json = empty(*words, "--json")
        assert all(letter.isprintable() for letter in as_json.removesuffix("\n")), words
        assert NASTY in _texts(json.loads(as_json)), words
    rows = empty("standings", "--all", "--csv")
    assert all(letter.isprintable() or letter == "\n" for letter in rows)
    as_json = empty("retire", f"{NASTY}3", "--reason", NASTY)
    assert "[31mred" in as_json
    assert all(letter.isprintable() or letter == "\n" for letter in as_json)


def _texts(value: Any) -> str:
    """All texts of a JSON value in one."""
    if isinstance(value, dict):
        return "".join(_texts(item) for item in value.values())
    return "".join(map(_texts, value)) if isinstance(value, list) else str(value)


def test_the_mark_of_a_provisional_rating_is_explained_where_it_stands(seen: Seen) -> None:
    assert "provisional" not in seen("standings")
    with seen.database.write() as session:
        ladders.enter(session, "Trotter", "hearts")
    printed = seen("standings", "--variant", "hearts")
    assert "1500?" in printed
    assert "?: fewer than 20 matches" in printed


def test_a_bot_that_cannot_play_says_for_whom_it_waits(empty: Seen) -> None:
    with empty.database.write() as session:
        ladders.enter(session, "Trotter", "hearts", owner="ada")
        ladders.enter(session, "Mud", "hearts", owner="ada")
    assert "waits for 3 more owners" in empty("standings")
    assert "waits for 3 more owners" in empty("show", "Mud")
    with empty.database.write() as session:
        for bot in ("Snout", "Truffle", "Acorn"):
            ladders.enter(session, bot, "hearts")
    assert "waits" not in empty("standings") + empty("show", "Mud")
    assert [found["missing_owners"] for found in empty.json("standings")] == [0]


@pytest.mark.parametrize(("variant", "shares"), [("gongzhu-partners", 2), ("gongzhu-five", 5)])
def test_the_places_of_partners_and_of_five_seats_are_as_many_as_there_are(
    empty: Seen, variant: str, shares: int
) -> None:
    with empty.database.write() as session:
        shown.a_ladder(session, variant, 6)
    (found,) = empty.json("standings")
    assert {len(row["shares"]) for row in found["standings"] if row["matches"]} == {shares}
    assert f"places: 1st to {'2nd' if shares == 2 else '5th'} in %" in empty("standings").replace("\n", "")
    assert empty("explain", "2").count("against") == shares
    first = next(csv.DictReader(io.StringIO(empty("standings", "--csv"))))
    assert [bool(first[name]) for name in ("1st", "2nd", "3rd", "5th")] == [True, True, shares == 5, shares == 5]


def test_eight_seats_the_most_that_rules_can_have_have_eight_places(empty: Seen) -> None:
    eight = replace(PRESETS["gongzhu-five"], name="eight", players=8, removed=("2C", "2D", "3C", "3D"))
    with empty.database.write() as session:
        session.add(models.Variant(name="eight", rules=eight.to_plain(), added=ladders.NOW))
        session.flush()
        ladders.enter(session, "Trotter", "eight")
        session.get_one(models.Rating, ("eight", 1)).places = [0] * 7 + [1]
    assert " 1st to 8th in %" in empty("standings").replace("\n", "")
    assert empty("standings", "--csv").splitlines()[0].count("8th") == 1


def test_standings_as_json_have_every_figure(seen: Seen) -> None:
    (found,) = seen.json("standings", "--all")
    assert found["variant"] == "gongzhu"
    assert (found["matches"], found["low_is_better"], len(found["standings"])) == (30, False, 5)
    first = found["standings"][0]
    assert set(first) == {
        "rank", "bot", "version", "owner", "state", "since", "reason", "elo", "error", "rank_low", "rank_high",
        "margin", "margin_error", "margin_rank", "margin_rank_low", "margin_rank_high", "outplaced_by", "matches",
        "deals", "points_per_deal", "shares", "decisions", "faults", "takeovers", "history", "provisional",
        "fault_rate", "change",
    }  # fmt: skip
    assert (first["rank"], first["bot"], first["owner"], first["state"]) == (1, "Snout", "ben", "active")
    assert found["standings"][-1]["reason"].startswith("taken over in 3 matches")
    assert [row["elo"] for row in found["standings"] if row["rank"]] == sorted(
        (row["elo"] for row in found["standings"] if row["rank"]), reverse=True
    )


def test_standings_as_csv_say_what_the_json_says(seen: Seen) -> None:
    rows = list(csv.DictReader(io.StringIO(seen("standings", "--all", "--csv"))))
    as_json = seen.json("standings", "--all")[0]["standings"]
    for row, wanted in zip(rows, as_json, strict=True):
        assert (row["variant"], row["bot"], row["rank"]) == ("gongzhu", wanted["bot"], str(wanted["rank"] or ""))
        assert float(row["elo"]) == wanted["elo"]
        assert [float(row[name]) for name in ("1st", "2nd", "3rd", "4th")] == wanted["shares"]
        for name in ("error", "margin", "margin_error", "margin_rank"):
            assert row[name] == ("" if wanted[name] is None else str(wanted[name]))
        assert row["5th"] == ""


def test_every_page_is_there_as_json(seen: Seen) -> None:
    assert [bot["bot"] for bot in seen.json("bots")] == ["Acorn", "Mud", "Snout", "Trotter", "Truffle"]
    page = seen.json("show", "Mud", "--opponents", "2")
    assert [len(there["opponents"]) for there in page["variants"]] == [2]
    assert page["changes"][0]["state"] == "suspended"
    assert seen.json("matches", "--bot", "Trotter", "--limit", "3")[0]["id"] == 31
    match = seen.json("matches", "30")
    assert match["record"].endswith("/records/0/30-1.jsonl.gz")
    assert (match["added"], match["finished"]) == ("2027-01-15T08:00:00Z", "2027-01-15T08:29:00Z")
    explained = seen.json("explain", "30")
    assert [move["place"] for move in explained["moves"]] == [1, 2, 3, 4]
    for move in explained["moves"]:
        assert sum(part["change"] for part in move["against"]) == pytest.approx(move["after"] - move["before"])
    (as_json,) = seen.json("logs", "30", "2")
    assert [each["printed"] for each in as_json["rotations"]] == [LOGS[table][2] for table in range(4)]
    assert [fault["decision"] for fault in as_json["rotations"][1]["faults"]] == [1, 2, 3]


@pytest.mark.parametrize("words", [("matches", "--limit"), ("standings", "--first")])
def test_a_number_that_no_database_knows_is_a_mistake(seen: Seen, words: tuple[str, str]) -> None:
    assert f"Invalid value for '{words[1]}'" in seen(*words, str(10**20), code=2)


def test_no_seed_is_shown_before_its_match_is_done(seen: Seen) -> None:
    with seen.database.read() as session:
        secret = [
            match.seed
            for match in session.scalars(
                select(models.StoredMatch).where(models.StoredMatch.status != models.Status.DONE)
            )
        ]
    assert len(secret) == 2
    for words in (["matches"], ["matches", "--status", "queued"], ["matches", "31"], ["matches", "32"]):
        for printed in (seen(*words), seen(*words, "--json")):
            assert not any(seed in printed for seed in secret)


def test_what_bots_print_is_shown_at_most_so_far_back(seen: Seen) -> None:
    printed = seen("logs", "30", "3", "--rotation", "1", "--lines", "2")
    assert printed.endswith("no fault, 89 lines\n  │ [88] line\n  │ [89] line\n")
    assert printed == seen("logs", "30", name_in(seen, 30, 3), "--rotation", "1", "--lines", "2")


def name_in(seen: Seen, match: int, seat: int) -> str:
    return str(seen.json("matches", str(match))["seats"][seat]["bot"])


def test_a_stored_rating_that_does_not_follow_from_its_match_is_said(seen: Seen) -> None:
    with seen.database.write() as session:
        session.get_one(models.StoredSeat, (30, 1)).rating_after = 1400.0
    printed = seen("explain", "30", code=1)
    assert printed.count("✗ The ladder has stored") == 1


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("show Troter", "There is no bot 'Troter' on this ladder. Did you mean Trotter?"),
        ("show Trotter@7", "There is no Trotter@7; there is Trotter@1."),
        ("show Trotter --variant hearts", "This ladder does not play 'hearts'. It plays gongzhu."),
        ("standings --variant gonzhu", "This ladder does not play 'gonzhu'. It plays gongzhu."),
        ("standings --csv --json", "Choose one of --json and --csv."),
        ("matches 99", "There is no match 99 on this ladder; the newest one is 32."),
        ("matches --bot trotter", "There is no bot 'trotter' on this ladder. Did you mean Trotter?"),
        ("explain 32", "Match 32 is queued: it has changed no rating yet."),
        ("logs 30 Mood", "No bot 'Mood' played in match 30; its seats are: 0 Mud, 1 Trotter, 2 Snout, 3 Acorn."),
        ("logs 30 2 --rotation 8", "Match 30 has no rotation 8; its rotations are 1 to 4."),
        ("logs 31 Trotter", "Match 31 is not over yet; what its bots print is shown afterwards."),
        (
            "logs 29 1",
            "What the bots of match 29 printed cannot be read from 'DATA/records/0/29-1.log.json.gz': "
            "No such file or directory.",
        ),
    ],
)
def test_a_mistake_is_one_sentence(seen: Seen, words: str, sentence: str) -> None:
    assert seen(*words.split(), code=2) == f"pigpen: {sentence}\n"


def test_what_retention_has_removed_is_said_to_be(seen: Seen) -> None:
    with seen.database.write() as session:
        session.get_one(models.StoredMatch, 30).record_kept = False
    assert "the setting records keeps" in seen("logs", "30", "2", code=2)
    assert "record      removed" in seen("matches", "30")
    assert seen.json("matches", "30")["record"] is None


def test_a_ladder_without_bots_says_how_to_begin(empty: Seen) -> None:
    assert empty("standings").endswith("pigpen submit FOLDER\n")
    assert empty.json("standings") == empty.json("bots") == empty.json("matches") == []
    assert "no such matches" in empty("matches")
    assert empty("standings", "--csv").startswith("variant,rank,bot,")


@pytest.mark.sqlite
def test_without_a_ladder_every_command_says_so(empty: Seen, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIGPEN_DATA_DIR", str(empty.folder / "other"))
    for words in ("standings", "bots", "show Trotter", "matches", "logs 1 0", "explain 1"):
        assert empty(*words.split(), code=2).partition("no ladder in 'DATA/other'")[1]
    assert not (empty.folder / "other").exists()


def test_a_match_of_the_ladder_is_replayed_and_verified_by_its_number(seen: Seen) -> None:
    writer = RecordWriter.create(MatchFiles(seen.folder).record(1, 1))
    for line in ladders.played("gongzhu", "0"):
        writer.write(line)
    writer.close()
    wanted = "holds: boards:1 of gongzhu by cautious, random, counting, cautious, 4 deals."
    assert seen("verify", "1") == f"match 1 {wanted} {NOT_PROVED}\n"
    assert "Board 1, rotation 3" in seen("replay", "1", "--plain", "--rotation", "3")
    with seen.database.write() as session:
        session.get_one(models.StoredMatch, 1).record_kept = False
    assert "match 1 was removed" in seen("replay", "1", code=2)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("replay 32", "Match 32 is not over yet, so there is no record of it."),
        ("verify 99", "There is no match 99 on this ladder; the newest one is 32."),
        ("replay nothing", "'nothing' cannot be read: No such file or directory."),
    ],
)
def test_a_record_that_is_not_there_is_one_sentence(seen: Seen, words: str, sentence: str) -> None:
    assert seen(*words.split(), code=2) == f"pigpen: {sentence}\n"


def test_the_commands_of_the_organiser_s_page_work_one_after_the_other(
    seen: Seen, monkeypatch: pytest.MonkeyPatch
) -> None:
    for match in range(1, 31):
        MatchFiles(seen.folder).keep(match, 1, b"", LOGS)
    with seen.database.write() as session:
        session.get_one(models.StoredMatch, 31).status = models.Status.QUARANTINED
    monkeypatch.chdir(seen.folder)
    tried = commands_in("ladder.md")
    assert len(tried) >= 15
    for words in tried:
        # tests/e2e/test_ladder_run.py plays matches; what `doctor` finds depends on the machine and the user.
        if words[:2] != ["ladder", "run"] and words != ["doctor"]:
            seen(*words)
    assert (seen.folder / "ladder-monday.db").stat().st_size > 0


def test_the_commands_of_the_page_about_many_machines_work_one_after_the_other(
    empty: Seen, monkeypatch: pytest.MonkeyPatch
) -> None:
    with empty.database.write() as session:
        write_workers(session, [worker_seen("barn", seen=time.time() - 3600)])
    monkeypatch.chdir(empty.folder)
    tried = commands_in("operating.md")
    assert len(tried) >= 12
    for words in tried:
        empty(*words)
    assert empty.json("cluster", "status") == []
    assert (empty.folder / "barn.pem").stat().st_mode & 0o777 == 0o600
    assert (empty.folder / "monday.db").stat().st_size > 0


def commands_in(page: str) -> list[list[str]]:
    """List the words after ``pigpen`` in each line of the blocks of a page that are for a shell here."""
    blocks = re.findall(r"```sh\n(.*?)```", (ROOT / "docs" / page).read_text(), flags=re.DOTALL)
    tried = [shlex.split(re.split(" *[>#]", line)[0]) for block in blocks for line in block.splitlines()]
    assert all(words[0] == "pigpen" for words in tried)
    return [words[1:] for words in tried]
