"""Check-in and waiting list: who is on the list follows from the chain, and an organiser cannot change it unseen."""

from __future__ import annotations

import json
import zipfile
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import select

from ladder.app import webhooks
from ladder.app.event import holding, reading, verifying
from ladder.app.event.export_file import EXPORT_JSON, event_links, export_event, read_export
from ladder.app.event.verifying import verify_event
from ladder.errors import LadderError, UserError
from ladder.events.chain import Link, linked
from ladder.events.event_file import parse_event
from ladder.settings.settings import load_settings
from ladder.site.pages.feeds import UNLISTED, calendar, news
from ladder.store.commands import event_entries
from ladder.store.event_models import EventEntry
from ladder.store.lookup import code_of
from ladder.store.webhook_models import WebhookMessage
from ladder.values.accounts import LOCAL, Role, Viewer
from ladder.values.held_events import EventState
from ladder.values.value import time_of
from ladder.values.webhooks import MessageKind
from tests.ladder.accounts import add_person
from tests.ladder.app.event_ladders import coordinator_of, open_cup, own_ways, play
from tests.ladder.ladders import NOW, enter, new_ladder
from tests.ladder.virtual import Time

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from ladder.app.ladder import Ladder
    from ladder.values.held_events import EventPage, ExportedEvent

CHECK_IN, FREEZES = NOW + 600, NOW + 1800
FILE = """
[event]
name = "Small cup"
variant = "{variant}"
entrants = [2, 4]
waiting_list = 3
show = "live"
check_in = {check_in}
freezes = {freezes}

[[stage]]
name = "Round"
kind = "round-robin"
rounds = 1
format = "boards:1"
"""


def text(variant: str = "gongzhu", **lines: str) -> str:
    """The file; a line that is empty is left out."""
    found = FILE.format(
        variant=variant, check_in=time_of(CHECK_IN).isoformat(), freezes=time_of(FREEZES).isoformat()
    )  # fmt: skip
    for name, line in lines.items():
        (old,) = (each for each in found.splitlines() if each.startswith(f"{name} = "))
        found = found.replace(f"{old}\n", line and f"{name} = {line}\n")
    return found


def account(name: str, *, organises: bool = False) -> Viewer:
    return Viewer(name, is_organiser=organises)


@pytest.fixture
def time() -> Time:
    return Time()


@pytest.fixture
def ladder(tmp_path: Path, time: Time) -> Iterator[Ladder]:
    found = new_ladder(load_settings(data_dir=tmp_path / "data", sandbox="process"))
    yield replace(found, clock=time)
    found.database.close()


def page(ladder: Ladder) -> EventPage:
    return reading.event(ladder, LOCAL, "cup")


def opened(ladder: Ladder, bots: int = 6, **lines: str) -> None:
    open_cup(ladder, bots, file=text(**lines))


def check_in(ladder: Ladder, *bots: int) -> None:
    for number in bots:
        holding.check_in(ladder, owner_of(ladder, number), "cup", f"Bot-{number}")


def owner_of(ladder: Ladder, number: int) -> Viewer:
    (owner,) = (one.owner for one in page(ladder).entrant_list if one.name == f"Bot-{number}")
    return account(owner)


def played(ladder: Ladder, time: Time, path: Path) -> Path:
    """Play the event, which is open, to its end; export it."""
    coordinator = coordinator_of(ladder, time)
    time.now = max(time.now, FREEZES)
    coordinator.advance_events()
    assert page(ladder).state is EventState.FROZEN
    holding.start(ladder, LOCAL, "cup")
    while page(ladder).state is not EventState.OVER:
        play(coordinator, 1, own_ways)
    export_event(ladder, "cup", path)
    return path


def names(ladder: Ladder) -> list[str]:
    return [one.name for one in page(ladder).entrant_list]


@pytest.mark.parametrize("variant", ["gongzhu", "hearts"])
def test_the_list_has_who_checked_in_and_the_waiting_take_free_places_in_order_of_entry(
    ladder: Ladder, time: Time, tmp_path: Path, variant: str
) -> None:
    open_cup(ladder, 7, file=text(variant), variant=variant)
    assert [one.waiting for one in page(ladder).entrant_list] == [None] * 4 + [1, 2, 3]
    time.now = CHECK_IN
    check_in(ladder, 7, 6, 4, 3, 1)
    path = played(ladder, time, tmp_path / "cup.zip")
    found = page(ladder)
    assert [(one.number, one.name) for one in found.entrant_list] == [
        (1, "Bot-1"), (2, "Bot-3"), (3, "Bot-4"), (4, "Bot-6"),
    ]  # fmt: skip
    assert [(one.name, one.reason, one.by) for one in found.unlisted] == [
        ("Bot-2", "check-in", ""), ("Bot-5", "check-in", ""), ("Bot-7", "full", ""),
    ]  # fmt: skip
    assert verify_event(path).findings == ()
    assert [(one.name, one.reason) for one in read_export(path).unlisted] == [
        (one.name, one.reason) for one in found.unlisted
    ]
    assert all(one.owner.startswith("#") for one in read_export(path).unlisted)
    assert all(one.owner.startswith("#") for one in read_export(path).entrants)
    (title,) = (each.title for each in news([found]) if "is final" in each.title)
    assert f"Bot-2 {UNLISTED['check-in']}" in title
    assert f"Bot-7 {UNLISTED['full']}" in title
    start = f"DTSTART:{time_of(CHECK_IN):%Y%m%dT%H%M%SZ}"
    assert calendar(found, "https://pigpen.example").decode().replace("\r\n", "\n").count(start) == 1


def test_a_waiting_list_without_a_check_in_fills_places_of_bots_that_were_withdrawn(
    ladder: Ladder, time: Time, tmp_path: Path
) -> None:
    opened(ladder, check_in="")
    holding.withdraw(ladder, owner_of(ladder, 2), "cup", "Bot-2")
    path = played(ladder, time, tmp_path / "cup.zip")
    assert names(ladder) == ["Bot-1", "Bot-3", "Bot-4", "Bot-5"]
    assert [(one.name, one.reason) for one in page(ladder).unlisted] == [("Bot-6", "full")]
    assert verify_event(path).findings == ()


def test_a_check_in_is_from_its_time_to_the_freeze_and_for_who_has_entered(ladder: Ladder, time: Time) -> None:
    opened(ladder)
    for at, sentence in ((CHECK_IN - 1, "from 2"), (FREEZES, "could check in")):
        time.now = at
        with pytest.raises(LadderError, match=sentence):
            check_in(ladder, 1)
    time.now = FREEZES - 1
    check_in(ladder, 1, 1)
    assert [one.checked_in for one in page(ladder).entrant_list if one.name == "Bot-1"] == [time_of(FREEZES - 1)]
    with pytest.raises(LadderError, match="has not entered"):
        holding.check_in(ladder, LOCAL, "cup", "house-counting")
    holding.withdraw(ladder, owner_of(ladder, 2), "cup", "Bot-2")
    assert [one.waiting for one in page(ladder).entrant_list] == [None] * 4 + [1]


def test_a_bot_that_enters_during_the_check_in_is_checked_in_and_keeps_that_when_it_enters_again(
    ladder: Ladder, time: Time
) -> None:
    opened(ladder, 3)
    time.now = CHECK_IN
    mine = owner_of(ladder, 2)
    holding.withdraw(ladder, mine, "cup", "Bot-2")
    holding.enter(ladder, mine, "cup", "Bot-2")
    time.now += 1
    holding.enter(ladder, mine, "cup", "Bot-2", "12" * 32)
    last = page(ladder).entrant_list[-1]
    assert (last.name, last.checked_in, last.checked_in_by) == ("Bot-2", time_of(CHECK_IN), mine.name)
    kinds = [one.kind for one in event_kinds(ladder)]
    assert kinds[-4:] == [
        MessageKind.ENTRY_WITHDRAWN, MessageKind.ENTRY_MADE, MessageKind.ENTRY_CHECKED_IN, MessageKind.ENTRY_MADE,
    ]  # fmt: skip


def event_kinds(ladder: Ladder) -> list[Any]:
    from ladder.store.event_rows import find_event, links_of

    with ladder.database.read() as session:
        return links_of(session, find_event(session, "cup").id)


def test_an_organiser_checks_in_and_withdraws_bots_of_others_and_the_page_says_who_did(
    ladder: Ladder, time: Time
) -> None:
    opened(ladder)
    time.now = CHECK_IN
    add_person(ladder, "olga", Role.ORGANISER)
    olga = account("olga", organises=True)
    holding.check_in(ladder, olga, "cup", "Bot-1")
    assert page(ladder).entrant_list[0].checked_in_by == "olga"
    with pytest.raises(LadderError, match="no bot"):
        holding.check_in(ladder, owner_of(ladder, 1), "cup", "Bot-2")
    holding.withdraw(ladder, olga, "cup", "Bot-3")
    assert [(one.name, one.reason, one.by) for one in page(ladder).unlisted] == [("Bot-3", "withdrawn", "olga")]
    holding.enter(ladder, LOCAL, "cup", "Bot-3")
    assert (page(ladder).unlisted, names(ladder)[-1]) == ((), "Bot-3")
    holding.withdraw(ladder, owner_of(ladder, 4), "cup", "Bot-4")
    assert page(ladder).unlisted == ()


def test_no_list_is_final_before_the_check_in_ends(ladder: Ladder, time: Time) -> None:
    opened(ladder)
    time.now = FREEZES - 1
    check_in(ladder, 1, 2)
    holding.hold(ladder, LOCAL, "cup")
    with pytest.raises(LadderError, match="check in"):
        holding.freeze(ladder, LOCAL, "cup")
    time.now = FREEZES
    holding.freeze(ladder, LOCAL, "cup")
    assert names(ladder) == ["Bot-1", "Bot-2"]


def test_too_few_who_check_in_put_the_event_on_hold_in_public_and_the_check_in_stays_open(
    ladder: Ladder, time: Time, tmp_path: Path
) -> None:
    opened(ladder)
    time.now = CHECK_IN
    check_in(ladder, 1)
    time.now = FREEZES
    coordinator_of(ladder, time).advance_events()
    held = page(ladder)
    assert (held.state, held.on_hold) == (EventState.OPEN, True)
    assert "1 bot has checked in" in held.reason
    assert held.stamps[-1].kind == MessageKind.EVENT_HELD
    time.now += 60
    check_in(ladder, 2)
    holding.freeze(ladder, LOCAL, "cup")
    assert verify_event(played(ladder, time, tmp_path / "cup.zip")).findings == ()


def test_an_event_without_a_check_in_has_no_link_for_an_entry(ladder: Ladder) -> None:
    opened(ladder, 4, check_in="", waiting_list="")
    assert [one.kind for one in event_kinds(ladder)] == [MessageKind.EVENT_OPENED]
    with pytest.raises(LadderError, match="no check-in"):
        holding.check_in(ladder, LOCAL, "cup", "Bot-1")
    with ladder.database.write() as session:
        enter(session, "Bot-5", "gongzhu")
    with pytest.raises(LadderError, match="full: 4 bots"):
        holding.enter(ladder, LOCAL, "cup", "Bot-5")


def test_an_owner_enters_a_bot_a_limited_number_of_times(ladder: Ladder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_entries, "MAX_ENTRIES", 3)
    opened(ladder, 2)
    holding.enter(ladder, LOCAL, "cup", "Bot-1")
    holding.enter(ladder, LOCAL, "cup", "Bot-1")
    with pytest.raises(LadderError, match="3 times"):
        holding.enter(ladder, LOCAL, "cup", "Bot-1")
    holding.enter(ladder, LOCAL, "cup", "Bot-2")


@pytest.mark.parametrize(
    "lines", [{"freezes": ""}, {"check_in": time_of(FREEZES + 1).isoformat()}, {"waiting_list": "-1"}]
)
def test_a_file_with_an_impossible_check_in_is_refused(lines: dict[str, str]) -> None:
    with pytest.raises(UserError, match=r"check_in|waiting_list"):
        parse_event(text(**lines))


# An organiser who writes into the database, and one who writes the chain anew.


def drop(ladder: Ladder) -> None:
    change(ladder, "Bot-3", checked_in=None)


def admit_late(ladder: Ladder) -> None:
    change(ladder, "Bot-5", checked_in=FREEZES - 1)


def reorder(ladder: Ladder) -> None:
    change(ladder, "Bot-1", number=9)


def exchange(ladder: Ladder) -> None:
    change(ladder, "Bot-4", commitment="34" * 32)


def change(ladder: Ladder, bot: str, **fields: Any) -> None:
    with ladder.database.write() as session:
        entry = session.scalars(select(EventEntry).where(EventEntry.name == bot)).one()
        for name, value in fields.items():
            setattr(entry, name, value)


@pytest.mark.parametrize(
    ("steer", "sentence"),
    [
        (drop, "Bot-3 is not on the list of entrants, and by the chain it has a place."),
        (admit_late, "Bot-5 is on the list of entrants, and by the chain it has no place."),
        (reorder, "The list of entrants is not in the order in which they entered."),
        (exchange, "Bot-4 has not entered, or checked in, as the chain tells."),
    ],
)
def test_an_organiser_who_writes_into_the_database_is_found(
    ladder: Ladder, time: Time, tmp_path: Path, steer: Callable[[Ladder], None], sentence: str
) -> None:
    opened(ladder)
    time.now = CHECK_IN
    check_in(ladder, 1, 2, 3, 4)
    if steer is admit_late:
        holding.withdraw(ladder, owner_of(ladder, 2), "cup", "Bot-2")
    steer(ladder)
    assert sentence in verify_event(played(ladder, time, tmp_path / "cup.zip")).findings


@pytest.fixture(scope="module")
def held(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An event that was on hold when the last bot checked in."""
    folder, time = tmp_path_factory.mktemp("held"), Time()
    ladder = new_ladder(load_settings(data_dir=folder / "data", sandbox="process"))
    ladder = replace(ladder, clock=time)
    opened(ladder)
    time.now = CHECK_IN
    check_in(ladder, 1, 2, 3)
    holding.hold(ladder, LOCAL, "cup", "One more is on the way.")
    time.now = FREEZES + 10
    check_in(ladder, 4)
    holding.freeze(ladder, LOCAL, "cup")
    path = played(ladder, time, folder / "cup.zip")
    ladder.database.close()
    assert verify_event(path).findings == ()
    return path


Links = list[Link]


def forged(path: Path, alter: Callable[[Links], Links]) -> Path:
    """Write the export with another chain, all of whose hashes are right."""
    exported, made = read_export(path), Links()
    for each in alter(event_links(exported)):
        made.append(linked(made[-1] if made else None, each.kind, each.at, each.data))
    links = [{"kind": one.kind, "at": one.at, "data": one.data, "hash": one.hash} for one in made]
    plain: ExportedEvent = exported.model_copy(update={"links": ()})
    other = path.with_name("forged.zip")
    with zipfile.ZipFile(path) as source, zipfile.ZipFile(other, "w") as target:
        for name in source.namelist():
            if name != EXPORT_JSON:
                target.writestr(name, source.read(name))
        target.writestr(EXPORT_JSON, json.dumps(plain.model_dump(mode="json") | {"links": links}))
    return other


def places(links: Links, kind: MessageKind) -> list[int]:
    return [place for place, each in enumerate(links) if each.kind == kind]


def moved(links: Links, place: int, seconds: float) -> Links:
    """With another time at one link."""
    at = time_of(seconds).isoformat()
    return [replace(each, at=at) if number == place else each for number, each in enumerate(links)]


def after_the_freeze(links: Links) -> Links:
    place, frozen = places(links, MessageKind.ENTRY_CHECKED_IN)[-1], places(links, MessageKind.EVENT_FROZEN)[0]
    return [*links[:place], *links[place + 1 : frozen + 1], links[place], *links[frozen + 1 :]]


def without_the_hold(links: Links) -> Links:
    return [each for each in links if each.kind != MessageKind.EVENT_HELD]


def checked_in_too_early(links: Links) -> Links:
    return moved(links, places(links, MessageKind.ENTRY_CHECKED_IN)[0], CHECK_IN - 1)


def frozen_too_early(links: Links) -> Links:
    return moved(links, places(links, MessageKind.EVENT_FROZEN)[0], FREEZES - 1)


def checked_in_without_entry(links: Links) -> Links:
    return [each for each in links if (each.kind, each.data.get("bot")) != (MessageKind.ENTRY_MADE, "Bot-2")]


def one_more_than_there_is_room_for(links: Links) -> Links:
    place = places(links, MessageKind.ENTRY_MADE)[-1]
    more = [
        replace(links[place], data={**links[place].data, "bot": f"Late-{number}", "owner": f"late-{number}"})
        for number in range(2)
    ]
    return [*links[: place + 1], *more, *links[place + 1 :]]


def two_of_one_owner(links: Links) -> Links:
    place = places(links, MessageKind.ENTRY_MADE)[-1]
    return [*links[: place + 1], replace(links[place], data={**links[place].data, "bot": "Other"}), *links[place + 1 :]]


def without_sense(links: Links) -> Links:
    place = places(links, MessageKind.ENTRY_CHECKED_IN)[0]
    return [*links[:place], replace(links[place], data={}), *links[place + 1 :]]


@pytest.mark.parametrize(
    ("alter", "sentence"),
    [
        (list, ""),
        (after_the_freeze, "comes after the list of entrants was final."),
        (without_the_hold, "and the event was not on hold."),
        (checked_in_too_early, "comes before the check-in began."),
        (frozen_too_early, "before the end of the check-in."),
        (checked_in_without_entry, "is about a bot that had not entered."),
        (one_more_than_there_is_room_for, "and no more may."),
        (two_of_one_owner, "and may not have more."),
        (without_sense, "makes no sense."),
    ],
)
def test_an_organiser_who_writes_the_chain_anew_against_the_rules_is_found(
    held: Path, alter: Callable[[Links], Links], sentence: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(verifying._Verifier, "_verify_match", lambda *_: None)
    findings = verify_event(forged(held, alter)).findings
    assert [each for each in findings if each.endswith(sentence)] or not sentence, findings
    assert not any("does not follow from" in each for each in findings)


def test_a_chain_that_was_written_anew_so_that_all_follows_lacks_the_stamp_of_a_check_in(
    ladder: Ladder, time: Time, tmp_path: Path
) -> None:
    """The organiser drops the check-in of a rival, and everything else follows from that."""
    opened(ladder)
    time.now = CHECK_IN
    check_in(ladder, 1, 2, 3)
    kept = tmp_path / "kept.json"
    kept.write_text(page(ladder).model_dump_json())
    change(ladder, "Bot-3", checked_in=None, checked_in_by=None)
    path = played(ladder, time, tmp_path / "cup.zip")

    def without_it(links: Links) -> Links:
        return [each for each in links if (each.kind, each.data.get("bot")) != (MessageKind.ENTRY_CHECKED_IN, "Bot-3")]

    other = forged(path, without_it)
    assert verify_event(other).findings == ()
    (finding,) = verify_event(other, [str(kept)]).findings
    assert "was another one" in finding


def test_each_entry_is_a_message_of_webhooks_and_says_who_did_it(ladder: Ladder, time: Time) -> None:
    ladder = replace(ladder, settings=ladder.settings.model_copy(update={"webhook_loopback": True}))
    webhooks.add(ladder, LOCAL, "http://127.0.0.1:9/hook", None, [])
    opened(ladder, 3)
    time.now = CHECK_IN
    add_person(ladder, "olga", Role.ORGANISER)
    holding.check_in(ladder, account("olga", organises=True), "cup", "Bot-1")
    check_in(ladder, 2)
    holding.withdraw(ladder, owner_of(ladder, 3), "cup", "Bot-3")
    time.now = FREEZES
    coordinator_of(ladder, time).advance_events()
    with ladder.database.read() as session:
        olga, second, third = (code_of(session, name) for name in ("olga", "owner of Bot-2", "owner of Bot-3"))
        sent = [json.loads(one.body) for one in session.scalars(select(WebhookMessage).order_by(WebhookMessage.id))]
    found = [(each["type"], each["data"]) for each in sent if each["type"].startswith("event.entry")]
    assert [(kind, data["bot"], data["by"]) for kind, data in found[3:]] == [
        (MessageKind.ENTRY_CHECKED_IN, "Bot-1", olga), (MessageKind.ENTRY_CHECKED_IN, "Bot-2", second),
        (MessageKind.ENTRY_WITHDRAWN, "Bot-3", third),
    ]  # fmt: skip
    assert all("pigpen-event cup link" in data["stamp"] for _, data in found)
    assert sent[-1]["data"]["unlisted"] == []
