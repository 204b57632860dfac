"""The chain of an event: each edit of an export is found, and a copy of a stamp tells one event from another."""

from __future__ import annotations

import copy
import json
import zipfile
from collections import Counter
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from ladder.app.event import holding, reading, verifying
from ladder.app.event.export_file import export_event
from ladder.app.event.verifying import verify_event
from ladder.errors import UserError
from ladder.settings.settings import load_settings
from ladder.values.accounts import LOCAL
from ladder.values.held_events import EventState
from ladder.values.value import time_of
from referee.records.file import PackedRecord
from referee.replay.verify import checked_lines
from tests.ladder.app.event_ladders import answering, coordinator_of, open_cup, own_ways, play, seeds_in_order
from tests.ladder.ladders import NOW, enter, new_ladder
from tests.ladder.virtual import Time

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from ladder.app.ladder import Ladder

FILE = f"""
[event]
name = "Small cup"
variant = "gongzhu"
entrants = [2, 5]
waiting_list = 2
check_in = {time_of(NOW + 600).isoformat()}
freezes = {time_of(NOW + 1800).isoformat()}
show = "live"
prizes = ["A pig", "A sheep"]
takeovers = 1
tie_breaks = ["board points", "boards won", "lot"]

[[stage]]
name = "Round"
kind = "round-robin"
rounds = 1
format = "boards:1"
"""
UNBOUND: dict[str, str] = {}
"""Fields of an export of which an edit is not found, each with the reason that it need not be. There is none."""


LARGER = FILE.replace("[2, 5]", "[2, 6]").replace("rounds = 1", "rounds = 2").replace("takeovers = 1", "takeovers = 2")
"""With two tables and two rounds, so that they can be exchanged."""


def held_cup(ladder: Ladder, file: str) -> None:
    """
    A cup of five bots: one was withdrawn, one taken over, a table was played twice, and there is a ruling.

    Three others are not on the list: one was withdrawn, one has not checked in, and one had no place.
    """
    time = Time()
    ladder = replace(ladder, clock=time)
    open_cup(ladder, 7, file=file)
    holding.withdraw(ladder, LOCAL, "cup", "Bot-6")
    with ladder.database.write() as session:
        enter(session, "Bot-8", "gongzhu")
    holding.enter(ladder, LOCAL, "cup", "Bot-8")
    time.now += 600
    for number in (1, 2, 3, 4, 5, 8):
        holding.check_in(ladder, LOCAL, "cup", f"Bot-{number}")
    time.now += 1200
    holding.hold(ladder, LOCAL, "cup", "Coffee.")
    holding.freeze(ladder, LOCAL, "cup")
    holding.withdraw(ladder, LOCAL, "cup", "Bot-5")
    holding.start(ladder, LOCAL, "cup")
    coordinator = coordinator_of(ladder, time)
    (task,) = play(coordinator, 1, own_ways, at_once=1)
    assert task
    holding.pause(ladder, LOCAL, "cup", "Dinner.")
    holding.redo(ladder, LOCAL, "cup", 1, 1, "A power cut.")
    victim = next(bot for bot in reading.event(ladder, LOCAL, "cup").round_list[0].tables[0].bots if "Bot" in bot)
    holding.start(ladder, LOCAL, "cup")
    while reading.event(ladder, LOCAL, "cup").state is not EventState.OVER:
        play(coordinator, 1, partial(own_ways, sinner="Bot-4"), at_once=1)
    holding.rule(ladder, LOCAL, "cup", 1, 1, [victim], "It knew the cards.")
    while reading.event(ladder, LOCAL, "cup").state is not EventState.OVER:
        play(coordinator, 1, own_ways, at_once=1)


def export_of(file: str, folder: Path) -> Path:
    ladder = new_ladder(load_settings(data_dir=folder / "data", sandbox="process"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(holding, "new_seed", seeds_in_order())
        held_cup(ladder, file)
    export_event(ladder, "cup", folder / "cup.zip")
    ladder.database.close()
    return folder / "cup.zip"


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return export_of(FILE, tmp_path_factory.mktemp("chain"))


@pytest.fixture(scope="module")
def plain(exported: Path) -> Any:
    return read(exported)


@pytest.fixture(scope="module")
def larger(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return export_of(LARGER, tmp_path_factory.mktemp("larger"))


def read(path: Path) -> Any:
    with zipfile.ZipFile(path) as file:
        return json.loads(file.read("event.json"))


def edits(value: Any, where: tuple[str | int, ...] = ()) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    """All edits of one field: where it is, and what is there instead."""
    if isinstance(value, dict):
        for name, each in value.items():
            yield from edits(each, (*where, name))
    elif isinstance(value, list):
        for place, each in enumerate(value):
            yield from edits(each, (*where, place))
        if value:
            yield where, value[1:]
            yield where, [*value, value[-1]]
        if len(value) > 1 and value[0] != value[1]:
            yield where, [value[1], value[0], *value[2:]]
    elif isinstance(value, bool):
        yield where, not value
    elif isinstance(value, int | float):
        yield where, value + 1
    elif value is None:
        yield from ((where, other) for other in (0, "0" * 64, [[0, 0, 0, 0]]))
    elif len(value) == 64:
        yield where, value[:-1] + ("0" if value[-1] != "0" else "1")
    elif where[-1:] == ("file",):
        lines = value.splitlines()
        for place, line in enumerate(lines):
            if '"' in line:
                yield where, value.replace(line, line.replace('"', '"x', 1))
            yield where, "\n".join([*lines[:place], *lines[place + 1 :]])
        yield where, value.replace('"board points", "boards won"', '"boards won", "board points"')
        yield where, value.replace('"A pig", "A sheep"', '"A sheep", "A pig"')
    else:
        yield where, value + "x"
        if value[:2] == "20":  # a time
            yield where, value.replace("20", "21", 1)


def put(plain: Any, where: tuple[str | int, ...], value: Any) -> Any:
    found = copy.deepcopy(plain)
    inside = found
    for name in where[:-1]:
        inside = inside[name]
    inside[where[-1]] = value
    return found


def test_every_edit_of_one_field_of_an_export_is_found(
    exported: Path, plain: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Records are not played again for each: an edit of what they say is one of a result, too."""
    monkeypatch.setattr(verifying._Verifier, "_verify_match", lambda *_: None)
    monkeypatch.setattr(verifying._Verifier, "_verify_draw", lambda *_: None)
    path, tried, passed = tmp_path / "edited.zip", 0, dict[str, Any]()
    for where, value in edits(plain):
        with zipfile.ZipFile(path, "w") as file:
            file.writestr("event.json", json.dumps(put(plain, where, value)))
        tried += 1
        try:
            if verify_event(path).holds:
                passed[".".join(map(str, where))] = value
        except UserError:
            pass
    assert tried > 300
    assert passed == UNBOUND


def rows(value: Any, where: tuple[str | int, ...] = ()) -> Iterator[tuple[str, tuple[str | int, ...], Any]]:
    """All edits of the structure: a row is missing, there twice, or after the next one; a field is missing, or new."""
    if isinstance(value, dict):
        for name, each in value.items():
            yield "missing", where, {other: kept for other, kept in value.items() if other != name}
            yield from rows(each, (*where, name))
        yield "new", where, {**value, "new": 1}
    elif isinstance(value, list):
        for place, each in enumerate(value):
            yield "missing", where, [*value[:place], *value[place + 1 :]]
            yield "twice", where, [*value[: place + 1], *value[place:]]
            if place + 1 < len(value) and each != value[place + 1]:
                yield "after the next", where, [*value[:place], value[place + 1], each, *value[place + 2 :]]
            yield from rows(each, (*where, place))


HARMLESS: dict[tuple[str, str], str] = {}
"""Edits of the structure that are not found, by kind and place, each with the reason. There is none."""


def test_every_row_of_an_export_that_is_missing_new_there_twice_or_in_another_order_is_found(
    larger: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The links are edited, too, each alone: that is found by its hash, and one whose hashes are right by the stamp."""
    monkeypatch.setattr(verifying._Verifier, "_verify_match", lambda *_: None)
    monkeypatch.setattr(verifying._Verifier, "_verify_draw", lambda *_: None)
    path, tried, passed, plain = tmp_path / "edited.zip", Counter[str](), set[tuple[str, str]](), read(larger)
    assert [len(each["tables"]) for each in plain["rounds"][:2]] == [2, 2]
    for kind, where, value in rows(plain):
        inside_a_link = where[:1] == ("links",) and len(where) > 2
        if (
            inside_a_link and where[1] != len(plain["links"]) - 1
        ):  # all links are alike to a hash; the last one is tried
            continue
        tried[kind] += 1
        packed(path, put(plain, where, value) if where else value, larger)
        try:
            if verify_event(path).holds:
                passed.add((kind, ".".join(map(str, where))))
        except UserError:
            pass
    assert min(tried[kind] for kind in ("missing", "new", "twice", "after the next")) > 30, tried
    assert passed == set(HARMLESS)


def packed(
    path: Path, event: Any, records: Path, *, without: str = "", more: Mapping[str, bytes] | None = None
) -> None:
    """Write an export with another `event.json`, and the records of *records*."""
    with zipfile.ZipFile(path, "w") as target, zipfile.ZipFile(records) as source:
        target.writestr("event.json", event if isinstance(event, str) else json.dumps(event))
        for name in source.namelist():
            if name not in ("event.json", without):
                target.writestr(name, source.read(name))
        for name, content in (more or {}).items():
            target.writestr(name, content)


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_records_that_are_missing_new_exchanged_or_there_twice_are_found(exported: Path, tmp_path: Path) -> None:
    path, plain = tmp_path / "edited.zip", read(exported)
    with zipfile.ZipFile(exported) as file:
        names = [name for name in file.namelist() if name != "event.json"]
        first, second = (file.read(name) for name in names[:2])
    packed(path, plain, exported, without=names[0])
    assert any(f"{names[0]} is missing" in each for each in verify_event(path).findings)
    packed(path, plain, exported, without=names[0], more={names[0]: second})
    assert any("is not the one" in each for each in verify_event(path).findings)
    for more in ({"records/9-9-9.jsonl.gz": first}, {names[0]: second}, {names[0]: first}, {"event.json": b"{}"}):
        packed(path, plain, exported, more=more)
        try:
            findings = verify_event(path).findings
        except UserError:
            continue
        assert any("is no part" in each or "is there twice" in each for each in findings)


def test_a_field_that_stands_in_the_file_twice_is_refused(exported: Path, plain: Any, tmp_path: Path) -> None:
    """Programs differ in which of the two they read."""
    path, text = tmp_path / "edited.zip", json.dumps(plain)
    packed(path, text, exported)
    assert verify_event(path).holds
    for name in ("places", "reason"):
        packed(path, text.replace(f'"{name}": ', f'"{name}": [], "{name}": ', 1), exported)
        with pytest.raises(UserError, match=f"'{name}' is there twice"):
            verify_event(path)


def test_an_export_holds_and_not_with_a_record_of_another_start_that_holds_by_itself(
    exported: Path, tmp_path: Path
) -> None:
    assert verify_event(exported).findings == ()
    record, edited = tmp_path / "record.jsonl.gz", PackedRecord()
    with zipfile.ZipFile(exported) as source, zipfile.ZipFile(tmp_path / "edited.zip", "w") as target:
        name = next(name for name in source.namelist() if name != "event.json")
        record.write_bytes(source.read(name))
        for line in checked_lines(record):
            edited.write(
                line.model_copy(update={"started": "2001-01-31T12:00:00+00:00"} if line.type == "match" else {})
            )
        record.write_bytes(bytes(edited))
        assert list(checked_lines(record)), "nothing in a record shows when it started"
        for each in source.namelist():
            target.writestr(each, bytes(edited) if each == name else source.read(each))
    assert len(verify_event(tmp_path / "edited.zip").findings) == 1


def test_margins_of_places_are_recomputed_also_where_all_links_were_made_anew(
    exported: Path, plain: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(verifying._Verifier, "_verify_match", lambda *_: None)
    monkeypatch.setattr(verifying._Verifier, "_verify_links", lambda *_: None)
    path, edited = tmp_path / "edited.zip", list(edits(plain["places"][0]["margin"]))
    assert len(edited) == 6
    for where, value in [((), plain["places"][0]["margin"]), *edited]:
        with zipfile.ZipFile(path, "w") as file:
            file.writestr("event.json", json.dumps(put(plain, ("places", 0, "margin", *where), value)))
        assert len(verify_event(path).findings) == bool(where)


def test_the_chain_tells_of_every_redo_and_ruling_with_its_reason_and_what_it_replaced(plain: Any) -> None:
    kinds = [each["kind"] for each in plain["links"] if not each["kind"].startswith("event.entry")]
    assert kinds[:5] == ["event.opened", "event.held", "event.frozen", "event.bot_left", "event.started"]
    assert [one["reason"] for one in plain["unlisted"]] == ["withdrawn", "check-in", "full"]
    (redone,) = (each["data"] for each in plain["links"] if each["kind"] == "event.table_redone")
    assert redone["redo"]["reason"] == "A power cut."
    assert redone["replaced"][0]["boards"] == plain["rounds"][0]["tables"][0]["turns"][0]["boards"]
    last = [each["data"] for each in plain["links"] if each["kind"] == "event.result_shown"][-1]
    assert last["turns"][-1]["rulings"][0]["reason"] == "It knew the cards."
    assert kinds.count("event.over") == 2
    left = [each["data"] for each in plain["links"] if each["kind"] == "event.bot_left"]
    assert [each["by"] for each in left] == ["withdrawal", "takeovers"]
    (failed,) = (
        (place, one)
        for place, each in enumerate(plain["rounds"][0]["tables"], 1)
        for one in each["turns"][-1]["taken_over"]
    )
    assert (left[1]["tables"], left[1]["entrant"]) == ([[1, failed[0]]], failed[1])


def test_a_published_stamp_tells_an_event_from_another_of_the_same_name(exported: Path, tmp_path: Path) -> None:
    ladder = new_ladder(load_settings(data_dir=tmp_path / "data", sandbox="process"))
    open_cup(ladder, 5, file=FILE)
    early, other = tmp_path / "early.json", tmp_path / "other.json"
    other.write_text(reading.event(ladder, LOCAL, "cup").model_dump_json())
    ladder.database.close()
    stamp = verify_event(exported).stamp
    early.write_text(f"<p>{stamp}</p>")
    assert verify_event(exported, [str(early)]).published == 1
    assert verify_event(exported, [str(exported)]).findings == ()
    findings = verify_event(exported, [str(other)]).findings
    assert findings
    assert all("was another one" in each for each in findings)
    early.write_text(stamp.replace("event cup", "event cap"))
    with pytest.raises(UserError, match="no stamp"):
        verify_event(exported, [str(early)])
    with pytest.raises(UserError, match="cannot be read"):
        verify_event(exported, [str(tmp_path / "none.json")])


def test_a_copy_is_fetched_from_an_address(exported: Path) -> None:
    stamp = verify_event(exported).stamp
    other = stamp[:-1] + ("1" if stamp.endswith("0") else "0")
    with answering((200, f"<p>{stamp}</p>".encode()), (200, other.encode()), (404, b"")) as address:
        assert verify_event(exported, [address]).published == 1
        assert len(verify_event(exported, [address]).findings) == 1
        with pytest.raises(UserError, match="404"):
            verify_event(exported, [address])
    with pytest.raises(UserError, match="cannot be read"):
        verify_event(exported, [address])
