"""Tables for people, opened by programs: not without end."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ladder.app.ladder import Ladder
from ladder.people.tables.chairs import open_tables_of
from ladder.settings.settings import load_settings
from ladder.site.server import attempts
from ladder.site.server.attempts import Attempt
from ladder.values.people import TableVisitor
from tests.ladder.accounts import add_person, token_of
from tests.ladder.site.person import Program

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

ORDER = {"variant": "hearts"}


@pytest.fixture
def ladder(tmp_path: Path) -> Iterator[Ladder]:
    with Ladder.open(load_settings(data_dir=tmp_path), create=True) as ladder:
        add_person(ladder, "ada")
        yield ladder


def test_a_program_that_opens_tables_without_end_is_told_to_wait(
    ladder: Ladder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(attempts.LIMITS, Attempt.OPEN_TABLE, (60, 2, 3600))
    program = Program(ladder, token_of(ladder, "ada"))
    assert program.ask("POST", "/tables", ORDER).status_code == 201
    assert program.ask("POST", "/tables", {"variant": "bridge"}).status_code == 422, "an attempt, too"
    refused = program.ask("POST", "/tables", ORDER)
    assert (refused.status_code, refused.json()["status"]) == (429, 429)
    assert 0 < int(refused.headers["retry-after"]) <= 3600
    assert "Too many attempts" in refused.json()["detail"]
    assert len(open_tables_of(ladder, TableVisitor(account="ada"))) == 1


def test_the_api_says_that_it_may_answer_so(ladder: Ladder) -> None:
    described = Program(ladder).ask("GET", "/../openapi.json").json()
    assert "429" in described["paths"]["/api/v1/tables"]["post"]["responses"]
