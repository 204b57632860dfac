"""No public byte tells a result of an event before it is shown: routes and commands, with and without an account."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import replace
from itertools import product
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import select, update

from ladder.app import webhooks
from ladder.app.accounts import managing
from ladder.app.dataset.exporting import export_dataset
from ladder.app.dataset.offered import FOLDER
from ladder.app.event import holding, reading
from ladder.serving.application import PAGES, PERSONAL_API, PUBLIC_API
from ladder.settings.settings import load_settings
from ladder.store.models import Owner
from ladder.store.webhook_models import WebhookMessage
from ladder.values.accounts import LOCAL, Role
from ladder.values.held_events import EventState
from tests.ladder.accounts import token_of
from tests.ladder.app.event_ladders import FILE, coordinator_of, own_ways, play, seeds_in_order, started_cup
from tests.ladder.cluster_rows import add_workers, seen
from tests.ladder.ladders import new_ladder
from tests.ladder.remote_site import log_in, served
from tests.ladder.site.person import CSRF, PASSWORD, Person, Program, quick_passwords
from tests.ladder.virtual import Time, recorded
from tests.typed import typed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from ladder.app.ladder import Ladder
    from ladder.runner.coordinator import Coordinator
    from ladder.worker.match_tasks import MatchOutcome, MatchTask

    Answer = Callable[[MatchTask], MatchOutcome]

BOTS = [f"Bot-{number}" for number in range(1, 9)]
NUMBERS = [str(number) for number in range(1, 8)]
VALUES = {
    "match": NUMBERS, "number": NUMBERS, "variant": ["gongzhu"], "board": ["1"], "rotation": ["1"], "step": ["1"],
    "seat": ["0", "Bot-1"], "bot": BOTS, "key": ["1"], "upload": ["1"],
    "table": ["versions", "ratings"], "part": ["all.parquet"], "listed": ["requirements"],
    "one": BOTS[:2], "two": BOTS[1:3], "other": BOTS[:2],
}  # fmt: skip
"""Values for each parameter of an address but `name`, which depends on the thing that has the name."""
NAMES = {"/b": BOTS}
"""The same for `name`, by the beginning of the address."""
QUERIES = ("/m?bot=Bot-1", "/b?owner=eve", "/me/logs?bot=Bot-1", "/api/v1/matches?status=queued",
           "/api/v1/matches?status=running", "/api/v1/matches?status=quarantined", "/api/v1/matches?bot=Bot-1",
           "/api/v1/standings?variant=gongzhu")  # fmt: skip
OWN = re.compile(r"pigpen_request|pigpen_logins|(?!pigpen_)")
"""Metrics of the process of the site, and not of the ladder."""
COMMANDS = (
    *(words.split() for words in (
        "standings", "standings --all --json", "bots", "matches", "matches --status queued", "matches --bot Bot-1",
        "submissions", "whoami", "logs 1 Bot-1", "event list", "event show cup", "event show cup --json",
        "event show cup --all", "event export cup", "event withdraw cup Bot-2",
    )),
    *(["show", bot] for bot in BOTS),
    *([command, number] for command in ("matches", "explain", "replay", "verify", "why") for number in NUMBERS),
)  # fmt: skip
"""All that a remote contestant can type to read of the ladder."""
PEOPLE = ("", "eve", "ada")
"""A visitor, a contestant without a bot in the event, and one with a bot in it."""


def addresses(known: Mapping[str, list[str]] = VALUES, names: Mapping[str, list[str]] = NAMES) -> Iterator[str]:
    """
    All that can be read of a site.

    Args:
        known: Values for each parameter of an address.
        names: The same for `name`, by the beginning of the address; of tables with people nothing is read without any.
    """
    for prefix, routers in (("", PAGES), ("/api/v1", (*PUBLIC_API, *PERSONAL_API))):
        for route in (each for router in routers for each in router.routes):
            path = str(getattr(route, "path", ""))
            if "GET" in (getattr(route, "methods", None) or ()) and (not path.startswith("/play") or "/play" in names):
                wanted = [_values(path, name, known, names) for name in re.findall(r"{(\w+)", path)]
                for values in product(*wanted):
                    yield prefix + re.sub(r"{\w+[^}]*}", "{}", path).format(*values)


def _values(path: str, name: str, known: Mapping[str, list[str]], names: Mapping[str, list[str]]) -> list[str]:
    if path.startswith("/events/"):
        return ["cup"] if name in ("name", "event") else known[name]
    if name == "name":
        return next((values for begin, values in names.items() if path.startswith(begin)), names["/b"])
    return known[name]


def known(ladder: Ladder, name: str) -> dict[str, str]:
    """All that a person may read of a ladder, by address; and what is answered to what they do."""
    person = Person(ladder)
    if name:
        assert person.log_in(name).status_code == 303
    found = {}
    for path in (*addresses(), *QUERIES):
        response = person.get(path)
        text = CSRF.sub("", response.text)
        if path == "/metrics":
            text = "\n".join(line for line in text.splitlines() if not OWN.match(line))
            assert len(text) > 100
        found[path] = f"{response.status_code} {text}"
    entered = person.send("/events/cup/entries", bot="Bot-1", act="enter")
    found["enter"] = f"{entered.status_code} {CSRF.sub('', entered.text)}"
    program = Program(ladder, token_of(ladder, name) if name else "", person.app)
    found["withdraw"] = program.ask("POST", "/events/cup/acts", {"act": "withdraw", "bot": "Bot-1"}).text
    assert ('"round":' in found["withdraw"]) == (name == "ada")
    found["then"] = person.get("/api/v1/events/cup").text
    return found


def room_beside(folder: Path) -> Any:
    """A disk on which only this ladder is, with some 10 GiB left."""
    taken = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
    return SimpleNamespace(free=10 * 2**30 + 2**29 - taken)


def typed_by(ladder: Ladder, address: str, folder: Path, name: str) -> dict[str, str]:
    """All that a command shows a contestant who has logged in to a ladder at *address*."""
    login = log_in(folder / name, address, name, token_of(ladder, name)) | {"PIGPEN_DATA_DIR": str(folder / "none")}
    found = {}
    for words in COMMANDS:
        done = typed(*words, folder=folder, **login)
        assert done.is_civil, done
        found[" ".join(words)] = f"{done.code} {done.out}{done.err}".replace(address, "").replace(str(folder), "")
    assert Counter(text[0] for text in found.values())["0"] >= 15
    return found


def messages(ladder: Ladder) -> list[Any]:
    """All that webhooks get, without the times of what the organiser does: they are those of this test."""
    with ladder.database.read() as session:
        bodies = session.scalars(select(WebhookMessage.body).order_by(WebhookMessage.id))
        return [{**json.loads(each), "timestamp": ""} for each in bodies]


def first_round(coordinator: Coordinator, ladder: Ladder, answer: Answer) -> None:
    """Play one of its two tables."""
    play(coordinator, 1, answer, at_once=1)


def five_tables(coordinator: Coordinator, ladder: Ladder, answer: Answer) -> None:
    """Play the round robin, and a table more: the final, or a play-off."""
    for tables in (2, 2, 1):
        play(coordinator, 1, answer, at_once=tables)


def to_the_end(coordinator: Coordinator, ladder: Ladder, answer: Answer) -> None:
    """Play the event, and no other match: in one of the two many play-offs."""
    while (found := reading.event(ladder, LOCAL, "cup", everything=True)).state is not EventState.OVER:
        play(coordinator, 1, answer, at_once=sum(not each.boards for one in found.round_list for each in one.tables))


@pytest.mark.timeout(1200)  # it asks for every address, thrice for each of two events
@pytest.mark.parametrize(
    ("show", "course"),
    [("round", (first_round, first_round)), ("manual", (to_the_end, to_the_end)),
     ("manual", (to_the_end, five_tables))],
    ids=["round", "over", "over, and not over"],
)  # fmt: skip
def test_two_events_with_other_results_cannot_be_told_apart(
    tmp_path: Path, show: str, course: tuple[Callable[..., None], ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ladder.app.health.shutil.disk_usage", room_beside)
    public, results = [], []
    for number, answer in enumerate((own_ways, recorded)):
        monkeypatch.setattr(holding, "new_seed", seeds_in_order())
        ladder = new_ladder(load_settings(data_dir=tmp_path / str(number), sandbox="process", webhook_loopback=True))
        webhooks.add(ladder, LOCAL, "http://127.0.0.1:9/", None, [])
        started_cup(ladder, file=FILE.format(show=show))
        with ladder.database.write() as session:
            session.execute(update(Owner).where(Owner.name == "owner of Bot-1").values(name="ada"))
        add_workers(ladder, seen("barn", busy=number, tasks=10 * number, voids=number, seen=ladder.clock()))
        for name in filter(None, PEOPLE):
            managing.add_with_password(ladder, quick_passwords(), LOCAL, name, Role.CONTESTANT, PASSWORD)
        course[number](coordinator_of(ladder, Time()), ladder, answer)
        export_dataset(replace(ladder, clock=lambda: 0.0), ladder.settings.data_dir / FOLDER)
        everything = reading.event(ladder, LOCAL, "cup", everything=True)
        results.append([each.points for one in everything.round_list[:2] for each in one.tables])
        public.append({(name, path): text for name in PEOPLE for path, text in known(ladder, name).items()})
        with served(ladder) as address:
            for name in filter(None, PEOPLE):
                shown = typed_by(ladder, address, tmp_path / str(number), name)
                public[-1] |= {(name, words): text for words, text in shown.items()}
        public[-1]["", "messages of webhooks"] = repr(messages(ladder))
        ladder.database.close()
    assert results[0] != results[1]
    assert [path for path in public[0] if public[0][path] != public[1][path]] == []
    assert "not shown yet" in public[0]["", "/events/cup"]
    assert "event.round_drawn" in public[0]["", "messages of webhooks"]
