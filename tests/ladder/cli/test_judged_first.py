"""Mistakes that can be judged without an engine are judged before anything is built, started or sent."""

from __future__ import annotations

import os
import socket
import threading
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from ladder.app.ladder import Ladder
from ladder.app.remote.connection import API
from ladder.serving.application import make_app
from ladder.settings.settings import load_settings
from tests.ladder.accounts import add_person, token_of
from tests.ladder.remote_site import log_in, served_app
from tests.ladder.store.submitted import BETTER, TROTTER, submit
from tests.referee.recorded import match_lines, write_record
from tests.typed import typed

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator
    from pathlib import Path

BOTS = ("random",) * 4
CASES: dict[str, tuple[str, ...]] = {
    "submit: no such variant": ("submit", "random", "--owner", "ada", "--variant", "bridge"),
    "submit: no such variant beside one": ("submit", "random", "--variant", "gongzhu", "--variant", "bridge"),
    "submit: no rules in the file": ("submit", "random", "--owner", "ada", "--variant", "empty.toml"),
    "submit: the ladder plays it otherwise": ("submit", "random", "--owner", "ada", "--variant", "other.toml"),
    "submit: no such bot": ("submit", "nobody", "--owner", "ada"),
    "submit: no name": ("submit", "random", "--owner", "ada", "--name", "a/b"),
    "submit: a name like another": ("submit", "random", "--owner", "ada", "--name", "trotter"),
    "submit: a name of another's": ("submit", "random", "--owner", "eve", "--name", "Trotter"),
    "submit: no owner": ("submit", "random", "--owner", "a/b"),
    "submit: another sandbox than the ladder's": ("submit", "random", "--owner", "ada", "--sandbox", "process"),
    "play: no such variant": ("play", *BOTS, "--rules", "bridge"),
    "play: no such bot": ("play", "random", "nobody", "random", "random"),
    "play: too few bots": ("play", "random", "random"),
    "play: two lengths": ("play", *BOTS, "--boards", "1", "--deals", "1"),
    "play: too many deals": ("play", *BOTS, "--deals", "1000000000"),
    "play: no clock": ("play", *BOTS, "--clock", "soon"),
    "play: the record is there": ("play", *BOTS, "--record", "match.jsonl"),
    "play: no folder for the record": ("play", *BOTS, "--record", "nowhere/match.jsonl"),
    "play: nothing to resume": ("play", *BOTS, "--resume", "nothing.jsonl"),
    "play: nothing left to resume": ("play", *BOTS, "--resume", "match.jsonl"),
    "play: no person at a terminal": ("play", "human", *BOTS[1:]),
    "check: no such variant": ("check", "random", "--rules", "bridge"),
    "check: no such case": ("check", "random", "--case", "follow trumps"),
    "check: no such bot": ("check", "nobody"),
    "compare: no such variant": ("compare", "random", "random", "--rules", "bridge"),
    "compare: no such bot": ("compare", "random", "nobody"),
    "compare: no such opponent": ("compare", "random", "random", "--field", "nobody"),
    "compare: hypotheses the wrong way round": ("compare", "random", "random", "--elo0", "9", "--elo1", "3"),
    "compare: no probability": ("compare", "random", "random", "--alpha", "2"),
    "compare: no clock": ("compare", "random", "random", "--clock", "soon"),
    "duel: no such variant": ("duel", "random", "random", "--rules", "bridge"),
    "duel: no such bot": ("duel", "random", "nobody"),
    "duel: no such anchor": ("duel", "random", "counting", "--anchors", "nobody"),
    "duel: a team alone": ("duel", "random", "counting", "--alone", "--rules", "gongzhu-partners"),
    "rerun: no record": ("rerun", "nothing.jsonl", "0", "random"),
    "rerun: no such seat": ("rerun", "match.jsonl", "nobody", "random"),
    "rerun: no such deal": ("rerun", "match.jsonl", "0", "random", "--deal", "99"),
    "rerun: no such bot": ("rerun", "match.jsonl", "0", "nobody"),
    "lock: no folder": ("lock", "nobody"),
    "lock: nothing to lock": ("lock", "nothing"),
    "ladder run: no such variant": ("ladder", "run", "--variant", "bridge"),
    "ladder run: two goals": ("ladder", "run", "--matches", "1", "--until-ci", "9"),
    "ladder run: no cluster": ("ladder", "run", "--cluster"),
    "up: no certificate": ("up", "--port", "0", "--tls", "nothing.pem", "nothing.pem"),
    "up: no such address": ("up", "--port", "0", "--host", "nowhere.invalid"),
    "worker: no address": ("worker", "mars", "--certificate", "nothing.pem"),
    "worker: no certificate": ("worker", "tls://127.0.0.1:1", "--certificate", "nothing.pem"),
}
"""Mistakes, each of which needs no engine to be seen."""


class Engine:
    """An engine for DOCKER_HOST: it notes that it was reached, and answers nobody."""

    def __init__(self, path: Path) -> None:
        self.address, self.reached = f"unix://{path}", 0
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(path))
        self._listener.listen()
        self._thread = threading.Thread(target=self._accept)
        self._thread.start()

    def _accept(self) -> None:
        while True:
            caller, _ = self._listener.accept()
            with caller:
                if caller.recv(1) == b"!":
                    return
                self.reached += 1

    def close(self) -> None:
        with socket.socket(socket.AF_UNIX) as end:
            end.connect(self.address.removeprefix("unix://"))
            end.send(b"!")
            self._thread.join()
        self._listener.close()


@pytest.fixture
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    engine = Engine(tmp_path_factory.mktemp("e") / "sock")
    yield engine
    engine.close()


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """A folder with a ladder of containers, a finished record, and files that are of no use."""
    with Ladder.open(load_settings(data_dir=tmp_path / "data"), create=True) as ladder:
        submit(ladder.database, replace(TROTTER, sandbox="docker"))
    write_record(tmp_path / "match.jsonl", match_lines())
    (tmp_path / "empty.toml").touch()
    gongzhu = typed("rules", "gongzhu", "--toml", folder=tmp_path).out
    (tmp_path / "other.toml").write_text(gongzhu.replace('title = "', 'title = "Other '))
    hearts = typed("rules", "hearts", "--toml", folder=tmp_path).out
    (tmp_path / "preset.toml").write_text(hearts.replace('title = "', 'title = "Other '))
    (tmp_path / "nothing").mkdir()
    (tmp_path / "nothing" / "bot.py").touch()
    return tmp_path


@pytest.mark.parametrize("name", CASES)
def test_a_mistake_is_said_before_an_engine_is_reached(name: str, here: Path, engine: Engine) -> None:
    done = typed(*CASES[name], folder=here, DOCKER_HOST=engine.address)
    assert done.is_civil, done
    assert done.code == 2, done
    assert done.err.splitlines()[-1].startswith("pigpen: "), done
    assert engine.reached == 0, done


def test_the_engine_of_these_tests_notes_who_reaches_it(here: Path, engine: Engine) -> None:
    """Without a mistake each of these commands asks the engine."""
    commands = (("submit", "random", "--owner", "ada"), ("play", *BOTS), ("check", "random"))
    for number, words in enumerate(commands):
        assert typed(*words, folder=here, DOCKER_HOST=engine.address).code == 3
        assert engine.reached > number


class Requests:
    """An application that notes what is asked of the one below, and counts the bytes of bodies."""

    def __init__(self, app: Any) -> None:
        self.app, self.asked, self.bytes = app, list[str](), 0

    async def __call__(self, scope: dict[str, Any], receive: Callable[[], Awaitable[Any]], send: object) -> None:
        async def counted() -> Any:
            message = await receive()
            self.bytes += len(message.get("body", b""))
            return message

        if scope["type"] == "http":
            self.asked.append(f"{scope['method']} {scope['path'].removeprefix(API)}")
        await self.app(scope, counted, send)


HERE: list[str] = []
"""Judged on this machine, without a request."""
CHECKED = ["POST /submissions/check"]
"""Judged by the ladder, which has the order alone."""


@pytest.mark.parametrize(
    ("words", "asked"),
    [
        (("submit", "./bot", "--variant", "bridge"), CHECKED),
        (("submit", "./bot", "--variant", "gongzhu", "--variant", "bridge"), CHECKED),
        (("submit", "./bot", "--variant", "other.toml"), CHECKED),
        (("submit", "./bot", "--variant", "preset.toml"), CHECKED),
        (("submit", "./bot", "--name", "Snout"), CHECKED),
        (("submit", "./bot", "--name", "snout"), CHECKED),
        (("submit", "mybot:1", "--variant", "bridge"), CHECKED),
        (("submit", "mybot:1"), CHECKED),
        (("submit", "./bot", "--variant", "empty.toml"), HERE),
        (("submit", "./bot", *("--variant", "hearts") * 51), HERE),
        (("submit", "./bot", "--name", "a/b"), HERE),
        (("submit", "./bot", "--owner", "eve"), HERE),
        (("submit", "./bot", "--sandbox", "process"), HERE),
        (("push", "mybot:1", "--name", "A B"), HERE),
    ],
)
def test_a_mistake_is_said_before_anything_is_sent(
    words: tuple[str, ...], asked: list[str], here: Path, engine: Engine
) -> None:
    (here / "bot").mkdir()
    (here / "bot" / "bot.py").write_text("import pigpen\n")
    (here / "bot" / "weights").write_bytes(os.urandom(2**20))
    with Ladder.open(load_settings(data_dir=here / "data")) as ladder:
        add_person(ladder, "ada")
        submit(ladder.database, replace(BETTER, bot="Snout", owner="ben", sandbox="docker"))
        requests = Requests(make_app(ladder))
        with served_app(requests) as address:
            login = log_in(here / "config", address, "ada", token_of(ladder, "ada"))
            done = typed(*words, folder=here, DOCKER_HOST=engine.address, **login)
    assert (done.is_one_sentence, done.code) == (True, 2), done
    assert (requests.asked, engine.reached) == (asked, 0)
    assert requests.bytes < 8 * 1024


OTHER_LANGUAGES = {
    "a language that it does not build": ("bot.js", None),
    "dockerfile": ("bot.go", "FROM pigpen/bot\nRUN go build\nCMD ./bot\n"),
    "another base": ("bot.rb", "FROM ruby:3\nCOPY . .\nCMD ruby bot.rb\n"),
}


@pytest.mark.parametrize("registry", ["", "arena.example:5000"])
@pytest.mark.parametrize("builds", ["base", "allowed"])
@pytest.mark.parametrize("name", OTHER_LANGUAGES)
def test_a_folder_that_the_ladder_does_not_build_is_not_sent(
    name: str, builds: str, registry: str, here: Path, engine: Engine
) -> None:
    """The sentence names only ways that this ladder has: without a registry an image leads back here."""
    main, dockerfile = OTHER_LANGUAGES[name]
    (here / "bot").mkdir()
    (here / "bot" / main).write_text("// a bot\n")
    (here / "bot" / "weights").write_bytes(os.urandom(2**20))
    if dockerfile:
        (here / "bot" / "Dockerfile").write_text(dockerfile)
    settings = load_settings(data_dir=here / "data", registry=registry, builds=builds, languages="go")
    with Ladder.open(settings) as ladder:
        add_person(ladder, "ada")
        requests = Requests(make_app(ladder))
        with served_app(requests) as address:
            login = log_in(here / "config", address, "ada", token_of(ladder, "ada"))
            done = typed("submit", "./bot", folder=here, DOCKER_HOST=engine.address, **login)
    assert (done.is_one_sentence, done.code) == (True, 2), done
    assert (requests.asked, engine.reached) == (CHECKED, 0)
    assert requests.bytes < 8 * 1024
    assert ("docker build -t bot:1 ." in done.err) == bool(registry)
    assert ("takes no images" in done.err) != bool(registry)
    assert "builds =" not in done.err  # that setting is for this machine's own users
