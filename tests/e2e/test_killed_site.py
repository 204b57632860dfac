"""The site, or the computing command, is killed in the middle of its work: it resumes, and the answer is there once."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from sqlalchemy import select

from ladder.app.computing.computing_run import ASKER
from ladder.app.computing.why import inbox
from ladder.app.ladder import Ladder
from ladder.people.playing import play_with_people
from ladder.people.review.table_replays import record_of
from ladder.people.tables.chairs import table_page
from ladder.settings.settings import load_settings
from ladder.store.computing_models import Computation
from referee.replay.verify import verify
from referee.seats.person_seat import PERSON_DEADLINES, PersonSeat
from tests.e2e.command import PIGPEN, environment
from tests.ladder.ladders import new_ladder, played, recorded_match
from tests.ladder.people.pages.tables_here import TableBrowser, some_answer, tables_here
from tests.ports import free_port
from tests.processes import children, has_ended
from tests.waiting import PATIENCE, until

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


T = TypeVar("T")


@contextmanager
def computing(folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    """`pigpen ladder compute` while it runs; killed at the end."""
    variables = environment(PIGPEN_DATA_DIR=str(folder / "ladder"))
    with (folder / "computing.err").open("ab") as errors, subprocess.Popen(
        [PIGPEN, "ladder", "compute"], cwd=folder, env=variables, stderr=errors
    ) as program:  # fmt: skip
        try:
            yield program
        finally:
            program.kill()


def test_a_killed_process_loses_no_question_and_answers_none_twice(tmp_path: Path) -> None:
    settings = load_settings(data_dir=tmp_path / "ladder")
    made = new_ladder(settings)
    match = recorded_match(made, played("gongzhu", form="deals:1"))
    made.database.close()
    with Ladder.open(settings) as ladder:
        assert inbox(ladder, "Trotter").computing
        with computing(tmp_path) as program:
            (child, *_) = until(lambda: children(program.pid))
            os.kill(program.pid, signal.SIGKILL)
            program.wait()
            until(lambda: has_ended(child))
        assert inbox(ladder, "Trotter").computing, "it was killed while it computed, or before"
        with computing(tmp_path) as program:
            until(lambda: inbox(ladder, "Trotter").computing is None)
            program.terminate()
            assert program.wait() == 128 + signal.SIGTERM
        found = inbox(ladder, "Trotter")
        assert (found.matches, len(found.costliest)) == ((match,), 5)
        with ladder.database.read() as session:
            visitors = session.scalars(select(Computation.visitor)).all()
            assert len([each for each in visitors if each != ASKER]) == 1
