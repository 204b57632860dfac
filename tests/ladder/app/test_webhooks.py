"""Webhooks of a ladder: how they are kept, what is written to their outbox, and that it says no more than the site."""

from __future__ import annotations

import json
from collections import Counter
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import func, select

from ladder.app import bots, webhooks
from ladder.app.accounts import managing
from ladder.app.database_maintenance import check_database
from ladder.app.event import holding, reading
from ladder.app.health import ladder_findings
from ladder.app.ladder import Ladder
from ladder.errors import Forbidden, LadderError, UserError
from ladder.settings.settings import load_settings
from ladder.store.commands import event_news, outbox
from ladder.store.commands.event_rounds import Advance, advance_events
from ladder.store.commands.outbox import disable, post
from ladder.store.commands.results import record_summary
from ladder.store.commands.suspending import suspend_entries
from ladder.store.commands.webhooks import MAX_WEBHOOKS, enable_webhook, find_webhook
from ladder.store.event_rows import find_event
from ladder.store.lookup import find_version
from ladder.store.webhook_models import Webhook, WebhookMessage
from ladder.values.accounts import ANONYMOUS, LOCAL
from ladder.values.held_events import EventState
from ladder.values.webhooks import MessageKind
from ladder.webhooks.message_work import OTHER_KEY
from ladder.webhooks.sending import hash_of
from pigpen.rules import PRESETS
from tests.ladder.app.event_ladders import FILE, coordinator_of, open_cup, own_ways, play, started_cup
from tests.ladder.databases import later_backend as backend
from tests.ladder.ladders import NOW, enter, lease, new_ladder, queue, summary_of
from tests.ladder.virtual import Time, recorded
from tests.ladder.webhooks.receivers import receiver

if TYPE_CHECKING:
    from pathlib import Path

    from sqlalchemy.orm import Session

    from ladder.settings.settings import Settings
    from ladder.store.database import Database
    from ladder.values.reports import Finding

__all__ = ["backend"]

URL = "http://127.0.0.1:9/hook"


@pytest.fixture
def ladder(settings: Settings, database: Database) -> Ladder:
    """A ladder that may reach this machine."""
    changed = settings.model_copy(update={"sandbox": "process", "webhook_loopback": True})
    return Ladder(changed, database, lambda: NOW)


def hook(ladder: Ladder, *kinds: str, event: str | None = None) -> int:
    """A webhook whose messages are only looked at."""
    return webhooks.add(ladder, LOCAL, URL, event, kinds).number


def messages(ladder: Ladder, number: int | None = None) -> list[dict[str, Any]]:
    """All messages of a webhook, in the order in which they were written."""
    wanted = select(WebhookMessage.body).order_by(WebhookMessage.id)
    with ladder.database.read() as session:
        found = session.scalars(wanted if number is None else wanted.where(WebhookMessage.webhook_id == number))
        return [json.loads(each) for each in found]


def kinds(ladder: Ladder, number: int | None = None) -> list[str]:
    return [str(each["type"]).removeprefix("event.") for each in messages(ladder, number)]


def is_over(ladder: Ladder) -> bool:
    return reading.event(ladder, LOCAL, "cup", everything=True).state is EventState.OVER


def to_the_end(ladder: Ladder) -> None:
    coordinator = coordinator_of(ladder, Time())
    while not is_over(ladder):
        play(coordinator, 1, own_ways)


def test_a_webhook_is_added_listed_and_removed(ladder: Ladder) -> None:
    open_cup(ladder)
    added = webhooks.add(ladder, LOCAL, URL, "cup", ["event.over", "event.paused", "event.over"])
    (row,) = webhooks.webhooks(ladder, LOCAL)
    assert (row.url, row.event, row.kinds) == (URL, "cup", (MessageKind.EVENT_OVER, MessageKind.EVENT_PAUSED))
    assert (row.disabled, row.delivered, row.waiting, row.given_up, row.reason) == (None, None, 0, 0, "")
    assert row.model_dump().keys() | {"secret"} == added.model_dump().keys()
    with ladder.database.write() as session:
        post(session, MessageKind.EVENT_OVER, {}, NOW, event=find_event(session, "cup").id)
    assert webhooks.webhooks(ladder, LOCAL)[0].waiting == 1
    assert webhooks.remove(ladder, LOCAL, added.number).url == URL
    assert (webhooks.webhooks(ladder, LOCAL), messages(ladder)) == ([], [])
    with pytest.raises(LadderError, match=r"webhook 1\. .*pigpen ladder webhook"):
        webhooks.remove(ladder, LOCAL, added.number)


def test_the_secret_is_in_the_result_alone_and_the_database_does_not_give_it(ladder: Ladder) -> None:
    one, other = (webhooks.add(ladder, LOCAL, URL, None, []) for _ in range(2))
    assert one.secret.startswith("whsec_")
    assert one.secret != other.secret
    with ladder.database.read() as session:
        rows = session.execute(select(*Webhook.__table__.c)).all()
        assert one.secret.removeprefix("whsec_") not in repr(rows)
        assert find_webhook(session, one.number).secret_hash == hash_of(one.secret)
    key = ladder.settings.data_dir / "webhooks" / "key"
    assert key.stat().st_mode & 0o077 == 0
    assert [each.action for each in managing.audit(ladder, LOCAL)] == ["webhook.add", "webhook.add"]
    assert "secret" not in repr(managing.audit(ladder, LOCAL))


def test_only_an_organiser_knows_of_webhooks(ladder: Ladder) -> None:
    for act in (
        lambda: webhooks.add(ladder, ANONYMOUS, URL, None, []), lambda: webhooks.webhooks(ladder, ANONYMOUS),
        lambda: webhooks.remove(ladder, ANONYMOUS, 1), lambda: webhooks.send_test(ladder, ANONYMOUS, 1),
    ):  # fmt: skip
        with pytest.raises(Forbidden):
            act()


@pytest.mark.parametrize(
    ("url", "event", "on", "sentence"),
    [
        (URL, "cup", ["event.close"], "'event.close' is no kind of message. There are: event.opened, "),
        (URL, None, ["webhook.test"], "'webhook.test' is no kind of message"),
        (URL, "cup", ["bot.entered"], "'bot.entered' is no kind of message for the webhook of an event"),
        (URL, "spring", [], "There is no event 'spring' on this ladder"),
        ("https://10.0.0.7/", None, [], "Messages are not sent to 10.0.0.7: a private address."),
        ("hooks.example", None, [], "'hooks.example' cannot be a webhook. Write it as https://hooks.example/pigpen"),
    ],
)
def test_what_makes_no_sense_is_refused(
    ladder: Ladder, url: str, event: str | None, on: list[str], sentence: str
) -> None:
    with pytest.raises((UserError, LadderError)) as refused:
        webhooks.add(ladder, LOCAL, url, event, on)
    assert str(refused.value).startswith(sentence)
    assert webhooks.webhooks(ladder, LOCAL) == []


def test_there_is_an_end_to_the_number_of_webhooks(ladder: Ladder) -> None:
    for _ in range(MAX_WEBHOOKS):
        hook(ladder)
    with pytest.raises(LadderError, match=f"There are {MAX_WEBHOOKS} webhooks"):
        hook(ladder)


def test_every_step_of_an_event_is_one_message(ladder: Ladder) -> None:
    number = hook(ladder)
    open_cup(ladder)
    holding.freeze(ladder, LOCAL, "cup")
    holding.start(ladder, LOCAL, "cup")
    holding.pause(ladder, LOCAL, "cup", "Dinner.")
    holding.start(ladder, LOCAL, "cup")
    to_the_end(ladder)
    found = kinds(ladder, number)
    assert found[:9] == [
        "opened", "frozen", "started", "stage_begun", "round_drawn", "paused", "resumed", "result_shown",
        "result_shown",
    ]  # fmt: skip
    page = reading.event(ladder, ANONYMOUS, "cup")
    tables = sum(len(each.tables) for each in page.round_list)
    assert Counter(found) == {
        "opened": 1, "frozen": 1, "started": 1, "paused": 1, "resumed": 1, "over": 1, "stage_begun": 2,
        "round_drawn": len(page.round_list), "round_over": len(page.round_list), "result_shown": tables,
    }  # fmt: skip
    assert found[-1] == "over"
    (paused,) = (each["data"] for each in messages(ladder) if each["type"] == "event.paused")
    stamps = [one.stamp for one in page.stamps if one.kind == "event.paused"]
    assert paused == {
        "event": "cup", "title": "Small cup", "path": "/events/cup", "reason": "Dinner.", "stamp": stamps[0],
    }  # fmt: skip
    over = messages(ladder)[-1]
    assert over["timestamp"] == "2027-01-15T08:00:00Z"
    assert over["data"]["winners"] == [{"place": each.place, "bot": each.name} for each in page.standings[:3]]


def test_a_result_says_what_the_page_says(ladder: Ladder) -> None:
    hook(ladder, "event.result_shown")
    started_cup(ladder, 6)
    play(coordinator_of(ladder, Time()), 1, own_ways)
    page = reading.event(ladder, ANONYMOUS, "cup").round_list[0]
    for each, table in zip(messages(ladder), page.tables, strict=True):
        data = each["data"]
        assert (data["stage"], data["round"], data["table"], data["path"]) == (
            "Round robin", 1, table.number, "/events/cup/rounds/1",
        )  # fmt: skip
        assert table.points is not None
        points = {one["bot"]: one["board_points"] for one in data["bots"]}
        assert points == dict(zip(table.bots, table.points, strict=True))
        assert [one["stand_in"] for one in data["bots"]] == [each.startswith("stand-in") for each in table.bots]


def test_a_ruling_and_a_table_that_is_played_again_are_sent_as_results(ladder: Ladder) -> None:
    started_cup(ladder)
    play(coordinator_of(ladder, Time()), 1, own_ways, at_once=1)
    hook(ladder, "event.result_shown", "event.round_over")
    last = reading.event(ladder, LOCAL, "cup").round_list[0].tables[0].bots[0]
    holding.rule(ladder, LOCAL, "cup", 1, 1, [last], "It knew the cards.")
    (ruled,) = messages(ladder)
    assert (ruled["data"]["rulings"], ruled["data"]["bots"][0]["board_points"]) == (1, 0.0)
    holding.redo(ladder, LOCAL, "cup", 1, 1, "Its machine had failed.")
    assert kinds(ladder) == ["result_shown"]
    play(coordinator_of(ladder, Time()), 1, own_ways, at_once=2)
    assert kinds(ladder) == ["result_shown", "result_shown", "result_shown", "round_over"]


def test_a_new_webhook_gets_nothing_about_what_was_before(ladder: Ladder) -> None:
    started_cup(ladder)
    play(coordinator_of(ladder, Time()), 2, own_ways)
    first = hook(ladder)
    assert messages(ladder) == []
    holding.pause(ladder, LOCAL, "cup")
    second = hook(ladder)
    holding.start(ladder, LOCAL, "cup")
    assert kinds(ladder, first)[:2] == ["paused", "resumed"]
    assert kinds(ladder, second)[:1] == ["resumed"]


def test_a_webhook_that_is_enabled_again_gets_nothing_about_what_was_meanwhile(ladder: Ladder) -> None:
    open_cup(ladder)
    number = hook(ladder)
    with ladder.database.write() as session:
        disable(session, find_webhook(session, number), "It is gone.", NOW)
    holding.freeze(ladder, LOCAL, "cup")
    holding.start(ladder, LOCAL, "cup")
    with ladder.database.write() as session:
        enable_webhook(session, number, NOW)
    holding.pause(ladder, LOCAL, "cup")
    assert kinds(ladder, number) == ["paused"]


def test_a_webhook_gets_the_messages_that_it_is_for(ladder: Ladder) -> None:
    open_cup(ladder)
    numbers = [
        hook(ladder), hook(ladder, event="cup"), hook(ladder, "event.frozen", "bot.suspended"),
        hook(ladder, "event.over"),
    ]  # fmt: skip
    holding.open_event(ladder, LOCAL, "other", FILE.format(show="live"), PRESETS["gongzhu"])
    holding.freeze(ladder, LOCAL, "cup")
    assert [kinds(ladder, each) for each in numbers] == [["opened", "frozen"], ["frozen"], ["frozen"], []]
    with ladder.database.write() as session:
        disable(session, find_webhook(session, numbers[0]), "It is gone.", NOW)
    holding.start(ladder, LOCAL, "cup")
    assert kinds(ladder, numbers[0]) == ["opened", "frozen"]
    assert kinds(ladder, numbers[1]) == ["frozen", "started", "stage_begun", "round_drawn"]


def test_nothing_is_written_by_a_transaction_that_fails(ladder: Ladder) -> None:
    hook(ladder)
    open_cup(ladder)
    before = kinds(ladder)
    with suppress(RuntimeError), ladder.database.write() as session:
        event = find_event(session, "cup")
        event.state = EventState.FROZEN
        event_news.announce_event(session, event, NOW)
        assert session.execute(select(func.count(WebhookMessage.id))).scalar_one() == len(before) + 1
        raise RuntimeError
    assert kinds(ladder) == before


def test_two_coordinators_that_draw_the_same_round_write_one_message(ladder: Ladder) -> None:
    hook(ladder)
    started_cup(ladder)
    play(coordinator_of(ladder, Time()), 1, own_ways)
    other: list[list[Advance]] = []
    real = ladder.database.write
    first = True

    def write() -> Any:
        nonlocal first
        if first:  # the other one is quicker by a moment
            first = False
            other.append(advance_events(ladder.database, NOW))
        return real()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ladder.database, "write", write)
        assert advance_events(ladder.database, NOW) == []
    assert other == [[Advance("cup", 2)]]
    assert [each["data"]["round"] for each in messages(ladder) if each["type"] == "event.round_drawn"] == [1, 2]


@pytest.mark.parametrize("show", ["live", "round", "manual"])
def test_no_message_says_more_than_the_site_says_at_that_moment(
    ladder: Ladder, show: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each message is compared with the page of a visitor, as it is in the transaction that writes the message."""
    seen = Counter[str]()

    def looked_at(session: Session, kind: MessageKind, data: dict[str, Any], now: float, *, event: int) -> None:
        page = reading._page(session, find_event(session, "cup"), everything=False)
        seen[kind] += 1
        assert data["event"] == page.name
        if "round" in data:
            shown = page.round_list[data["round"] - 1]
            assert (shown.stage, shown.kind == "play-off") == (data["stage"], data["play_off"])
            assert shown.is_over or kind is not MessageKind.ROUND_OVER
            if kind is MessageKind.RESULT_SHOWN:
                table = shown.tables[data["table"] - 1]
                assert table.points == tuple(one["board_points"] for one in data["bots"])
        if kind is MessageKind.EVENT_OVER:
            assert page.state is EventState.OVER
            assert [one["bot"] for one in data["winners"]] == [one.name for one in page.standings[:3]]
        post(session, kind, data, now, event=event)

    monkeypatch.setattr(event_news, "post", looked_at)
    hook(ladder)
    started_cup(ladder, file=FILE.format(show=show))
    to_the_end(ladder)
    if show == "manual":
        assert {"event.result_shown", "event.round_over", "event.over"}.isdisjoint(seen)
        assert seen["event.round_drawn"] == 1
    while holding.release(ladder, LOCAL, "cup"):
        pass
    page = reading.event(ladder, LOCAL, "cup")
    assert seen["event.result_shown"] == sum(len(each.tables) for each in page.round_list)
    assert (seen["event.round_drawn"], seen["event.over"]) == (len(page.round_list), 1)


def test_bots_that_enter_and_are_suspended_are_messages(ladder: Ladder) -> None:
    hook(ladder)
    hook(ladder, event=None)
    with ladder.database.write() as session:
        outbox.announce_entered(session, "Big Trotter", 2, ["hearts"], NOW)
        enter(session, "Snout", "hearts")
    for _ in range(2):
        with ladder.database.write() as session:
            suspend_entries(session, find_version(session, "Snout"), None, "Too noisy.", NOW)
    assert [(each["type"], each["data"]) for each in messages(ladder, 1)] == [
        ("bot.entered", {"bot": "Big Trotter", "version": 2, "variants": ["hearts"], "path": "/b/Big%20Trotter"}),
        ("bot.suspended", {"bot": "Snout", "variant": "hearts", "reason": "Too noisy.", "path": "/b/Snout"}),
    ]


def test_the_message_about_a_bot_that_failed_too_often_has_the_reason_of_its_page(ladder: Ladder) -> None:
    hook(ladder, "bot.suspended")
    with ladder.database.write() as session:
        versions = [enter(session, name) for name in ("Trotter", "Snout", "Truffle", "Bristle")]
    for _ in range(3):
        with ladder.database.write() as session:
            match = queue(session, versions)
            assert record_summary(session, match, lease(session, match), summary_of(sinner=2), NOW)
    change, (message,) = bots.bot_page(ladder, "Truffle").changes[0], messages(ladder)
    assert message["data"] == {"bot": "Truffle", "variant": "hearts", "reason": change.reason, "path": "/b/Truffle"}
    assert change.reason.startswith("It failed 3 matches in a row (1, 2, 3)")


def test_a_test_is_sent_at_once_and_enables_a_webhook_that_is_disabled(ladder: Ladder) -> None:
    with receiver() as there:
        added = webhooks.add(ladder, LOCAL, there.url, None, ["event.over"])
        with ladder.database.write() as session:
            disable(session, find_webhook(session, added.number), "It is gone.", NOW)
        assert "1, of which 1 are disabled" in [each.found for each in ladder_findings_of(ladder)]
        there.answers.append(500)
        refused = webhooks.send_test(ladder, LOCAL, added.number)
        assert (refused.accepted, refused.sentence) == (False, "The receiver answered 500.")
        assert webhooks.webhooks(ladder, LOCAL)[0].disabled
        there.next()
        assert webhooks.send_test(ladder, LOCAL, added.number).accepted
        assert json.loads(there.next().body)["type"] == "webhook.test"
        (row,) = webhooks.webhooks(ladder, LOCAL)
        assert (row.disabled, row.reason) == (None, "")
        assert row.delivered
        assert "1" in [each.found for each in ladder_findings_of(ladder) if each.holds]


def ladder_findings_of(ladder: Ladder) -> list[Finding]:
    return [each for each in ladder_findings(ladder.settings) if each.name == "Webhooks"]


def test_with_another_key_a_test_says_so(ladder: Ladder) -> None:
    number = hook(ladder)
    (ladder.settings.data_dir / "webhooks" / "key").unlink()
    tested = webhooks.send_test(ladder, LOCAL, number)
    assert not tested.accepted
    assert OTHER_KEY in tested.sentence


def test_a_check_of_the_database_misses_the_key(ladder: Ladder) -> None:
    hook(ladder)
    hook(ladder)
    assert list(webhooks.key_findings(ladder)) == []
    key = ladder.settings.data_dir / "webhooks" / "key"
    key.unlink()
    assert [each[:10] for each in webhooks.key_findings(ladder)] == ["Webhook 1:", "Webhook 2:"]
    assert not key.exists()
    hook(ladder)
    assert [each[:10] for each in check_database(ladder)] == ["Webhook 1:", "Webhook 2:"]


def test_a_ladder_without_webhooks_writes_nothing(tmp_path: Path) -> None:
    found = new_ladder(load_settings(data_dir=tmp_path / "data", sandbox="process"))
    started_cup(found)
    play(coordinator_of(found, Time()), 2, recorded)
    assert (messages(found), ladder_findings_of(found)) == ([], [])
    found.database.close()
