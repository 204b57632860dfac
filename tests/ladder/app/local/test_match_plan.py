"""A local match before it is played: a new folder with a bot, the plan from the words of a user, processes apart."""

from __future__ import annotations

import asyncio
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ladder.app.local.folder import new_folder, wire_contract
from ladder.app.local.match_plan import MatchRequest, new_match, resumed_match
from ladder.app.local.play import play_apart
from ladder.errors import UserError
from pigpen import ClockSetting
from pigpen.rules import seed_from
from referee.match.formats import Format
from referee.match.match import Unfinished
from referee.records.file import RecordWriter
from tests.referee.recorded import SEED, match_lines


def test_an_empty_folder_is_filled(tmp_path: Path) -> None:
    assert "bot.py" in new_folder(tmp_path, "random").files
    assert (tmp_path / "bot.py").is_file()


def test_who_may_read_it_is_up_to_the_users_umask(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not to how Pigpen was installed: `docker build` copies modes, and a bot must be able to read its program."""
    (sample := tmp_path / "samples" / "random").mkdir(parents=True, mode=0o700)
    (sample / "bot.py").touch(0o600)
    monkeypatch.setattr("ladder.app.local.folder.SAMPLES", tmp_path / "samples")
    before = os.umask(0o022)
    try:
        new_folder(tmp_path / "mybot", "random")
    finally:
        os.umask(before)
    modes = [path.stat().st_mode & 0o777 for path in (tmp_path / "mybot", tmp_path / "mybot" / "bot.py")]
    assert modes == [0o755, 0o644]


def test_a_bot_in_another_language_gets_the_wire_contract_of_the_installed_sdk(tmp_path: Path) -> None:
    assert "protos" in new_folder(tmp_path, "node").files
    written = {path.name: path.read_bytes() for path in (tmp_path / "protos" / "pigpen" / "v1").iterdir()}
    assert written == {path.name: path.read_bytes() for path in wire_contract()}
    assert set(written) == {"referee.proto", "rules.proto", "view.proto"}


def test_a_bot_in_python_gets_no_wire_contract(tmp_path: Path) -> None:
    assert "protos" not in new_folder(tmp_path, "random").files


@pytest.mark.parametrize("there", ["a file in it", "a file", "a broken link"])
def test_what_is_there_stays_as_it_is(tmp_path: Path, there: str) -> None:
    folder = tmp_path / "mybot"
    if there == "a file":
        folder.write_text("precious")
    elif there == "a broken link":
        folder.symlink_to("nowhere")
    else:
        folder.mkdir()
        (folder / "main.py").write_text("precious")
    before = {path: path.is_file() and path.read_text() for path in tmp_path.rglob("*")}
    with pytest.raises(UserError, match="already, and not empty"):
        new_folder(folder, "random")
    assert before == {path: path.is_file() and path.read_text() for path in tmp_path.rglob("*")}


FOUR = ("random", "cautious", "random", "counting")


@pytest.mark.parametrize(
    ("given", "form"),
    [
        ({}, Format(boards=16)),
        ({"boards": 3}, Format(boards=3)),
        ({"deals": 3}, Format(deals=3)),
        ({"game": True}, Format()),
    ],
)
def test_a_request_says_how_long_a_match_is(given: dict[str, Any], form: Format) -> None:
    assert new_match(MatchRequest(bots=FOUR, **given)).spec.format == form


def test_a_plan_has_all_that_was_asked_for() -> None:
    plan = new_match(MatchRequest(bots=FOUR, rules="hearts", deals=2, seed="7", clock="5+1", limit=0.5))
    assert plan.spec.rules.name == "hearts"
    assert plan.spec.bots == ("random", "cautious", "random#2", "counting")
    assert tuple(source.name for source in plan.sources) == FOUR
    assert plan.spec.clock == ClockSetting(5.0, 1.0, 0.5, plan.spec.clock.start_up)
    assert plan.spec.seed == seed_from("7")
    assert (plan.deals, plan.deals_done, plan.begun, plan.record) == (2, 0, None, None)


def test_without_a_seed_every_match_has_its_own() -> None:
    first, second = (new_match(MatchRequest(bots=FOUR)).spec.seed for _ in range(2))
    assert first != second


def test_with_partners_two_bots_take_both_chairs_of_their_teams() -> None:
    plan = new_match(MatchRequest(bots=("random", "cautious"), rules="gongzhu-partners"))
    assert plan.spec.bots == ("random", "cautious", "random#2", "cautious#2")


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"bots": FOUR[:3]}, "gongzhu takes 4 bots; 3 named"),
        ({"bots": FOUR, "boards": 1, "game": True}, "--boards and --game exclude each other"),
        ({"bots": FOUR, "clock": "soon"}, "'soon' is not a clock"),
    ],
)
def test_what_cannot_be_played_is_refused_in_a_sentence(given: dict[str, Any], sentence: str) -> None:
    with pytest.raises(UserError, match=sentence):
        new_match(MatchRequest(**given))


@pytest.mark.parametrize("record", [None, Path("match.jsonl")], ids=["not recorded", "recorded"])
def test_a_match_must_fit_into_a_record_even_if_it_is_not_recorded(record: Path | None) -> None:
    assert new_match(MatchRequest(bots=FOUR, boards=24_999, record=record)).deals == 99_996
    with pytest.raises(UserError, match=r"boards:25000 has 100,000 deals; .* 99,998\."):
        new_match(MatchRequest(bots=FOUR, boards=25_000, record=record))


def test_an_interrupted_match_goes_on_after_its_recorded_deals(tmp_path: Path) -> None:
    path, lines = tmp_path / "match.jsonl", match_lines("hearts", "deals:3")
    with RecordWriter.create(path) as writer:
        for line in lines[:3]:
            writer.write(line)
    bots = [str(tmp_path / f"bot{number}") for number in range(4)]
    for bot in bots:
        Path(bot).mkdir()
        (Path(bot) / "bot.py").write_text("")
    with pytest.raises(UserError, match="these bots, in this"):
        resumed_match(path, FOUR, SEED.hex())
    with pytest.raises(UserError, match="again with --seed"):
        resumed_match(path, bots)
    plan = resumed_match(path, bots, SEED.hex())
    assert (plan.deals, plan.deals_done, plan.spec.seed, plan.record) == (3, 2, SEED, path)
    with plan.recorded(print) as write:
        for line in lines[3:]:
            write(line)
    assert len(path.read_text().splitlines()) == len(lines)


@pytest.mark.parametrize(
    ("given", "form"), [({}, Format()), ({"boards": 3}, Format(boards=3)), ({"deals": 3}, Format(deals=3))]
)
def test_with_a_person_a_match_is_a_game_unless_told_otherwise(given: dict[str, Any], form: Format) -> None:
    plan = new_match(MatchRequest(bots=("random", "human", "random", "counting"), human_limit=7.0, **given))
    assert plan.spec.format == form
    assert plan.spec.bots == ("random", "human", "random#2", "counting")
    assert tuple(source.name for source in plan.sources) == ("random", "random", "counting")
    assert {bot: clock.limit for bot, clock in plan.spec.people.items()} == {1: 7.0}
    assert plan.spec.clock.limit == 1.0


def test_a_folder_of_that_name_is_a_bot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "human").mkdir()
    (tmp_path / "human" / "bot.py").write_text("")
    monkeypatch.chdir(tmp_path)
    plan = new_match(MatchRequest(bots=("./human", "random", "random", "random")))
    assert plan.spec.bots[0] == "human"
    assert not plan.spec.people


def test_a_person_resumes_only_what_a_person_began(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "match.jsonl"
    (first, *_) = match_lines("hearts", "deals:2")
    with RecordWriter.create(path) as writer:
        writer.write(first.model_copy(update={"bots": ("human", "random", "random#2", "random#3")}))
    with pytest.raises(UserError, match="these bots, in this"):
        resumed_match(path, ("human", "random", "random", "random"), SEED.hex())


def test_a_match_is_not_resumed_beside_the_bots(tmp_path: Path) -> None:
    """The record so far is here, and the referee would be there."""
    plan = new_match(MatchRequest(bots=("random",) * 4, record=tmp_path / "match.jsonl"))
    begun = replace(plan, begun=Unfinished.__new__(Unfinished))
    with pytest.raises(UserError, match="--resume needs a Docker"):
        asyncio.run(play_apart(begun, "gongzhu", (), print))
    assert list(tmp_path.iterdir()) == []
