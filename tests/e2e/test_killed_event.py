"""An event whose runners are killed again and again: each round is drawn, each table played, each step sent once."""

from __future__ import annotations

import json
import random
from collections import Counter
from contextlib import ExitStack
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import select

from ladder.app import webhooks
from ladder.app.database_maintenance import check_database
from ladder.app.event import holding, reading
from ladder.app.event.export_file import export_event
from ladder.app.event.verifying import verify_event
from ladder.app.ladder import Ladder
from ladder.store.webhook_models import WebhookMessage
from ladder.values.accounts import LOCAL
from ladder.values.held_events import EventState
from tests.e2e.judging import assert_each_result_has_its_record, assert_ratings_follow_from_the_records
from tests.e2e.runners import coordinators, playing, runner
from tests.e2e.small_ladder import SLOW, small_ladder
from tests.for_two import FOR_TWO
from tests.ladder.postgres import LASTING, running_server
from tests.ladder.webhooks.receivers import receiver
from tests.waiting import until

if TYPE_CHECKING:
    from pathlib import Path

    from ladder.values.held_events import EventPage
    from tests.ladder.webhooks.receivers import Receiver

SEED = 20261126
FILE = """
[event]
name = "Cup for two"
variant = "for-two"
entrants = [4, 16]
stand_in = "counting"

[[stage]]
name = "Swiss"
kind = "swiss"
rounds = {rounds}
format = "boards:1"
standings = "performance"

[[stage]]
name = "Final"
take = 2
kind = "final"
format = "boards:4"
play_off = "boards:1"
"""
BOTS = [f"Bot-{number}" for number in range(1, 17)]
OVER = 10_000
"""More results than an event has."""
SLOWER = SLOW.replace("sleep(0.01)", "sleep(0.03)")
"""Some three matches end while a runner that was killed starts again, on a quick machine too."""


def assert_each_step_is_one_message(ladder: Ladder, page: EventPage, there: Receiver) -> None:
    """None is lost and none is written twice; one that is delivered twice has the same name."""
    with ladder.database.read() as session:
        written = {row.key: row.kind for row in session.execute(select(WebhookMessage.key, WebhookMessage.kind))}
        assert set(session.scalars(select(WebhookMessage.status))) == {"delivered"}
    rounds, tables = len(page.round_list), sum(len(one.tables) for one in page.round_list)
    assert Counter(written.values()) == {
        "event.opened": 1, "event.frozen": 1, "event.started": 1, "event.over": 1, "event.stage_begun": 2,
        "event.round_drawn": rounds, "event.round_over": rounds, "event.result_shown": tables,
    }  # fmt: skip
    arrived: dict[str, set[str]] = {}
    while not there.arrivals.empty():
        got = there.next()
        arrived.setdefault(got.key, set()).add(json.loads(got.body)["type"])
    assert arrived == {key: {kind} for key, kind in written.items()}


@pytest.mark.postgres
@pytest.mark.parametrize(
    ("times", "rounds"),
    [
        pytest.param(3, 4, marks=pytest.mark.timeout(1200)),
        pytest.param(20, 15, marks=[pytest.mark.long, pytest.mark.timeout(3600)]),
    ],
)
def test_an_event_whose_runners_are_killed_is_held_as_if_nothing_had_happened(
    tmp_path: Path, times: int, rounds: int
) -> None:
    rng = random.Random(SEED)
    with (
        running_server(LASTING) as server,
        small_ladder(
            tmp_path, bots=[*BOTS, "house-counting"], program=SLOWER, database_url=server.url("postgres")
        ) as made,
        Ladder.open(made.settings.model_copy(update={"webhook_loopback": True})) as ladder,
        receiver() as there,
        ExitStack() as stack,
    ):
        (made.settings.data_dir / "pigpen.toml").write_text("webhook_loopback = true\n")
        webhooks.add(ladder, LOCAL, there.url, None, [])
        holding.open_event(ladder, LOCAL, "cup", FILE.format(rounds=rounds), FOR_TWO)
        for bot in BOTS:
            holding.enter(ladder, LOCAL, "cup", bot)
        holding.freeze(ladder, LOCAL, "cup")
        holding.start(ladder, LOCAL, "cup")

        def results() -> int:
            found = reading.event(ladder, LOCAL, "cup", everything=True)
            over = found.state is EventState.OVER
            return OVER if over else sum(bool(each.boards) for one in found.round_list for each in one.tables)

        runners = {name: stack.enter_context(runner(made)) for name in ("one", "other")}
        until(lambda: len(coordinators(made)) == 2)
        for turn in range(times):
            before, victim = results(), rng.choice(sorted(runners))
            until(lambda: (now := results()) == OVER or (now > before and runners[victim].pid in playing(made)))  # noqa: B023
            assert results() < OVER, f"the event was over after {turn} kills"
            runners[victim].kill()
            runners[victim].wait()
            runners[victim] = stack.enter_context(runner(made))
        while (before := results()) < OVER:
            until(lambda: results() > before)
        until(lambda: webhooks.webhooks(ladder, LOCAL)[0].waiting == 0)
        for program in runners.values():
            program.terminate()
            program.wait()

        page = reading.event(ladder, LOCAL, "cup")
        assert sorted(one.name for one in page.standings) == sorted(BOTS)
        assert {each.turn for one in page.round_list for each in one.tables} == {0}
        assert all(each.status == "done" for one in page.round_list for each in one.tables)
        assert_each_step_is_one_message(ladder, page, there)
        export_event(ladder, "cup", tmp_path / "cup.zip")
        verified = verify_event(tmp_path / "cup.zip")
        assert (verified.holds, verified.findings) == (True, ())
        assert_each_result_has_its_record(made)
        assert_ratings_follow_from_the_records(made)
        assert list(check_database(ladder)) == []
