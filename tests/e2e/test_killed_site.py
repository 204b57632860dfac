"""The site is killed in the middle of a deal that a person plays: the deal resumes where it was."""

from __future__ import annotations

import asyncio
import subprocess
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from ladder.app.ladder import Ladder
from ladder.people.playing import play_with_people
from ladder.people.review.table_replays import record_of
from ladder.people.tables.chairs import table_page
from ladder.settings.settings import load_settings
from referee.replay.verify import verify
from referee.seats.person_seat import PERSON_DEADLINES, PersonSeat
from tests.e2e.command import PIGPEN, environment
from tests.ladder.people.pages.tables_here import TableBrowser, some_answer, tables_here
from tests.ports import free_port
from tests.waiting import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import pytest


@contextmanager
def serving(folder: Path, port: int) -> Iterator[subprocess.Popen[str]]:
    """``pigpen serve``; killed with SIGKILL in the end."""
    given = environment(PIGPEN_DATA_DIR=str(folder), PIGPEN_SITE_PORT=str(port))
    with subprocess.Popen([PIGPEN, "serve"], cwd=folder, env=given, stdout=subprocess.PIPE, text=True) as program:
        try:
            yield program
        finally:
            program.kill()


async def is_up(program: subprocess.Popen[str]) -> str:
    """The address, once it serves."""
    assert program.stdout
    line = await asyncio.to_thread(program.stdout.readline)
    return line.removeprefix("The site is at ").strip().rstrip("/")


async def test_a_deal_goes_on_after_the_site_was_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The table waits for the next site, however long that takes to begin."""
    deadlines = replace(PERSON_DEADLINES, reconnect=PATIENCE)
    monkeypatch.setattr(play_with_people, "PersonSeat", partial(PersonSeat, deadlines=deadlines))
    port = free_port()
    with Ladder.open(load_settings(data_dir=tmp_path), create=True) as ladder:
        async with tables_here(ladder), TableBrowser(f"http://127.0.0.1:{port}") as ada:
            with serving(tmp_path, port) as site:
                assert await is_up(site) == ada.base
                await ada.open(length="deals:1", seconds="600", shown="Ada")
                before = await ada.play(lambda state: state.question and state.moment and state.moment.trick >= 3)
                assert before.question
            with serving(tmp_path, port) as site:
                await is_up(site)
                after = await ada.until(lambda state: state.question or state.away or state.over)
                assert after.number > before.number
                assert after.deal == before.deal
                assert not after.away
                assert after.moment
                assert before.moment
                assert after.moment.cards == before.moment.cards  # not a card was played meanwhile
                body = {"decision": before.question.decision, "action": some_answer(before)}
                assert (await ada.post("answer", **body)).status_code == 204  # type: ignore[arg-type]
                last = await ada.play()
                assert last.over
        found = verify(record_of(ladder, table_page(ladder, ada.name, ada.seat)))
        assert found.holds, found.difference
        assert found.finished
