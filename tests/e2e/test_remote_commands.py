"""Each command asks this machine's ladder and the same one over HTTP, and says the same."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import httpx
import pytest

from ladder.app.ladder import Ladder
from ladder.app.missing_runner import START_HERE, START_THERE
from ladder.settings.settings import load_settings
from ladder.store import models
from ladder.values.accounts import Role
from tests.ladder import ladders, shown
from tests.ladder.accounts import add_person, token_of
from tests.ladder.ladders import packed
from tests.ladder.remote_site import log_in, served
from tests.typed import Typed, typed
from tests.waiting import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MATCHES = 6
NO_RUNNER = "Nothing plays: no runner has been seen yet. "
PRINTED = tuple(f"[1] hello from {seat}\n[2] \x1b[2Jlast\n" for seat in range(4))


class Both(NamedTuple):
    """A ladder on this machine, and the same one as a remote one."""

    folder: Path
    address: str
    login: dict[str, str]
    """Variables of an organiser who has logged in."""

    def here(self, *words: str) -> Typed:
        return typed(*words, "--local", folder=self.folder, **self.login)

    def there(self, *words: str) -> Typed:
        nothing = str(self.folder / "nothing")  # there is no ladder: all comes from the remote one
        return typed(*words, folder=self.folder, **{**self.login, "PIGPEN_DATA_DIR": nothing})


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Both]:
    folder = tmp_path_factory.mktemp("both")
    with Ladder.open(load_settings(data_dir=folder / "data"), create=True) as ladder:
        with ladder.database.write() as session:
            versions = shown.a_ladder(session, matches=MATCHES)
            four = [*versions.values()][:4]
            session.get_one(models.StoredMatch, 1).record_kept = False
            ladders.queue(session, four, "gongzhu")
            ladders.lease(session, ladders.queue(session, four, "gongzhu"))
        for match in range(2, MATCHES + 1):
            sinner = 2 if match == MATCHES else None
            logs = dict.fromkeys(range(4), PRINTED)
            ladder.files.keep(match, 1, packed(ladders.played("gongzhu", str((match - 1) % 10), sinner)), logs)
        add_person(ladder, "olga", Role.ORGANISER)
        with served(ladder) as address:
            yield Both(folder, address, log_in(folder / "config", address, "olga", token_of(ladder, "olga")))


GOOD = [
    ("standings",),
    ("standings", "--variant", "gongzhu", "--all", "--first", "2"),
    ("standings", "--csv"),
    ("bots",),
    ("show", "Trotter"),
    ("show", "Mud@1", "--variant", "gongzhu", "--opponents", "1"),
    ("matches",),
    ("matches", "--bot", "Trotter", "--limit", "2"),
    ("matches", "--status", "queued"),
    ("matches", "--status", "running", "--variant", "gongzhu"),
    ("matches", "--status", "quarantined"),
    ("matches", "7"),
    ("explain", "3"),
    ("logs", "3", "0"),
    ("logs", "3", "1", "--rotation", "3", "--lines", "1"),
    ("replay", "3", "--deal", "1"),
    ("replay", "3", "--board", "1", "--rotation", "2", "--as", "0"),
    ("why", "3", "--board", "1", "--rotation", "2", "--step", "20"),
    ("rerun", "3", "0", "cautious", "--sandbox", "inline", "--rotation", "1"),
    ("submissions",),
    ("allow-people", "Trotter"),
    ("allow-people", "Trotter", "--off"),
]
BAD = [
    ("standings", "--variant", "bridge"),
    ("show", "Troter"),
    ("show", "Xyzzy"),
    ("show", "Trotter@9"),
    ("show", "a/b"),
    ("show", ".."),
    ("show", "?"),
    ("show", "Trotter", "--variant", "hearts"),
    ("matches", "99"),
    ("matches", "0"),
    ("matches", "99999999999"),
    ("matches", "--bot", "Nobody"),
    ("matches", "--variant", "bridge"),
    ("explain", "7"),
    ("explain", "99"),
    ("logs", "99", "0"),
    ("logs", "3", "Xyzzy"),
    ("logs", "3", "0", "--rotation", "10"),
    ("logs", "1", "0"),
    ("logs", "8", "0"),
    ("replay", "1"),
    ("replay", "8"),
    ("replay", "99"),
    ("replay", "3", "--deal", "10"),
    ("why", "3", "Xyzzy"),
    ("rerun", "99", "0", "cautious"),
    ("retire", "Xyzzy"),
    ("retire", "Trotter", "--variant", "bridge"),
    ("submissions", "9"),
    ("submissions", "9", "--withdraw"),
    ("allow-people", "Xyzzy"),
    ("table", "bridge"),
    ("table", "hearts", "--chairs", "person"),
    ("table", "hearts", "--chairs", "person,counting,Xyzzy,counting"),
    ("table", "hearts", "--chairs", "person,counting,Mud,counting"),
    ("table", "hearts", "--name", "#1"),
    ("table", "hearts", "--today", "--practice"),
    ("table", "--board", "17/3"),
    ("table", "--board", "999/1/1/0"),
]


def plain(done: Typed) -> tuple[int, str, str]:
    """Give the parts of the output that are to be equal: think times of a bot that is asked again are not."""
    return done.code, done.out, done.err


@pytest.mark.parametrize("words", GOOD, ids=" ".join)
def test_a_command_says_the_same_of_both(both: Both, words: tuple[str, ...]) -> None:
    here = both.here(*words)
    assert here.is_civil
    assert here.code == 0, here.err
    if here.err == f"{NO_RUNNER}{START_HERE}\n":
        here = replace(here, err=f"{NO_RUNNER}{START_THERE}\n")
    if words[0] != "rerun":  # which measures times
        assert plain(both.there(*words)) == plain(here)
    if words[0] == "replay" or "--csv" in words:
        return
    there = both.there(*words, "--json")
    assert (there.code, there.err) == (0, here.err)
    if words[0] != "rerun":
        assert there.out == both.here(*words, "--json").out


def test_a_table_is_opened_here_and_there_with_links_to_each_chair(both: Both) -> None:
    words = ("table", "hearts", "--chairs", "counting,person,random,person", "--deals", "2", "--practice")
    here, there = both.here(*words), both.there(*words)
    assert (here.code, there.code) == (0, 0)
    for done, site in ((here, "http://127.0.0.1:8020"), (there, both.address)):
        own, others = done.out.splitlines()
        assert own.startswith(f"Your chair: {site}/play/")
        assert others.startswith(f"For another person: {site}/play/")
    links = json.loads(both.there(*words, "--json").out)["links"]
    assert [*links] == ["1", "3"]
    assert httpx.get(links["1"], timeout=PATIENCE).status_code == 303


def test_only_the_place_of_a_record_differs(both: Both) -> None:
    here, there = both.here("matches", "3").out.splitlines(), both.there("matches", "3").out.splitlines()
    (place,) = [(one, other) for one, other in zip(here, there, strict=True) if one != other]
    assert place[0].endswith("3-1.jsonl.gz")
    assert place[1].split()[-1] == f"{both.address}/api/v1/matches/3/record"


@pytest.mark.parametrize("words", BAD, ids=" ".join)
def test_a_mistake_is_told_with_the_same_sentence(both: Both, words: tuple[str, ...]) -> None:
    here = both.here(*words)
    assert here.is_one_sentence, here
    assert plain(both.there(*words)) == plain(here)


def test_a_bot_of_a_remote_ladder_is_retired_and_its_owner_is_told_so_here(both: Both) -> None:
    done = both.there("retire", "Mud", "--reason", "enough")
    assert (done.code, done.out.count("\n")) == (0, 1)
    assert done.out.startswith("Mud@1 has retired ")
    assert "gongzhu" in done.out
    assert both.here("show", "Mud").out == both.there("show", "Mud").out
    again = both.there("retire", "Mud")
    assert plain(again) == plain(both.here("retire", "Mud"))
    assert again.code == 2


def test_what_is_for_the_ladder_of_this_machine_says_so(both: Both) -> None:
    for words in (("suspend", "Trotter", "--reason", "x"), ("resume-bot", "Trotter")):
        done = both.there(*words)
        assert done.is_one_sentence
        assert f"logged in to {both.address}" in done.err
        assert "--local" in done.err
    assert "is suspended" in both.here("suspend", "Trotter", "--reason", "x").out
    assert "plays again" in both.here("resume-bot", "Trotter").out
