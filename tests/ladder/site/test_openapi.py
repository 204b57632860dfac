"""Requests made up from the description of the API, and the types of the site's scripts."""

from __future__ import annotations

from contextlib import suppress
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from hypothesis.errors import Unsatisfiable
from pydantic import BaseModel
from schemathesis import GenerationMode
from schemathesis.checks import (
    content_type_conformance,
    not_a_server_error,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from sqlalchemy import select

from ladder.app.ladder import Ladder
from ladder.serving.application import make_app
from ladder.settings.settings import load_settings
from ladder.site import shapes
from ladder.store.commands.studies import mark_puzzle
from ladder.store.study_models import Study, StudyPosition
from tests.ladder.accounts import add_person, token_of
from tests.ladder.ladders import NOW
from tests.ladder.puzzles import made_up
from tests.ladder.site.visitor import small_site
from tests.ladder.studies import GONGZHU, HEARTS, add_to, new_study

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from schemathesis import Case
    from schemathesis.schemas import APIOperation

    from ladder.site.server.headers import EveryResponse
    from tests.ladder.site.visitor import Visitor

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]
EXAMPLES = pytest.mark.parametrize("examples", [1, pytest.param(200, marks=pytest.mark.long)])
"""Requests for each operation."""
some = settings(
    deadline=None,
    derandomize=True,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)


SLOW = ("/stream", "/why", "/costliest", "/inbox", "/mistakes", "/against/{other}", "/style")
"""A stream has no end, and an estimate takes a while."""


NOT_THERE = ("/export", "/puzzle/{number}")
"""Routes of an event that is over, and of puzzles, which this ladder does not have."""


ACCOUNTS = ("/api/v1/me", "/api/v1/login/")
"""Beginnings of the routes for accounts."""


KNOWN = {"name": "Mud", "variant": "gongzhu", "number": 2, "match": 2, "board": 1, "rotation": 2, "bot": "Mud@1"}
KNOWN |= {"event": "cup", "other": "Trotter", "table": "deals", "part": "000000001-000000002.parquet"}
"""Names of existing things, so that not all answers are of missing ones."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Visitor]:
    """The site of a small ladder that has a study with a puzzle, too."""
    with small_site(tmp_path_factory.mktemp("studied")) as site:
        add_person(site.ladder, "ada")
        name = new_study(site.ladder)
        add_to(site.ladder, name, GONGZHU)
        number = add_to(site.ladder, name, HEARTS)
        with site.ladder.database.write() as session:
            mark_puzzle(session, session.get_one(StudyPosition, number), made_up(), NOW)
            session.scalars(select(Study)).one().name = str(KNOWN["name"])
        yield site


@EXAMPLES
def test_made_up_requests_are_answered_as_described(site: Visitor, examples: int) -> None:
    asked = [each for each in operations(site.app) if not each.path.startswith(ACCOUNTS)]
    assert len(asked) >= 13
    for operation in asked:
        check(operation, examples)


@EXAMPLES
def test_made_up_requests_of_people_are_answered_as_described(tmp_path: Path, examples: int) -> None:
    with Ladder.open(load_settings(data_dir=tmp_path), create=True) as ladder:
        add_person(ladder, "ada")
        app = make_app(ladder)
        asked = [each for each in operations(app) if each.path.startswith(ACCOUNTS)]
        assert len(asked) >= 6
        for operation in asked:
            for mode in GenerationMode:
                headers = {"Authorization": f"Bearer {token_of(ladder, 'ada')}"}
                seen = ask(operation.as_strategy(generation_mode=mode), examples, headers=headers)
                assert seen <= {200, 204, 400, 401, 403, 404, 422, 429}, operation.label


def operations(app: EveryResponse) -> list[APIOperation]:  # type: ignore[type-arg]
    """List the operations of the API that answer at once."""
    schema = schemathesis.openapi.from_asgi("/api/openapi.json", app)
    found = [each.ok() for each in schema.get_all_operations()]  # type: ignore[union-attr]
    return [operation for operation in found if not operation.path.endswith(SLOW)]


def check(operation: APIOperation, examples: int) -> None:  # type: ignore[type-arg]
    """Make requests up for one operation: with values that its description allows, and with others."""
    for mode in GenerationMode:
        seen = ask(operation.as_strategy(generation_mode=mode), examples)
        assert seen <= {200, 400, 401, 404, 405, 413, 422, 431}, operation.label
    is_refused = is_for_people(operation) or operation.path.endswith(NOT_THERE)
    assert ask(operation.as_strategy(), examples, KNOWN) & ({401, 404} if is_refused else {200}), operation.label


def is_for_people(operation: APIOperation) -> bool:  # type: ignore[type-arg]
    """True if it answers those alone who have logged in."""
    return "401" in operation.definition.raw["responses"]


def ask(
    cases: st.SearchStrategy[Case[Any]],
    examples: int,
    known: Mapping[str, object] = MappingProxyType({}),
    headers: Mapping[str, str] = MappingProxyType({}),
) -> set[int]:
    """Ask, with *known* values in the place of made-up ones, and check the answers; gives their status codes."""
    seen: set[int] = set()

    @settings(some, max_examples=examples)
    @given(case=cases)
    def each(case: Case[Any]) -> None:
        for given_ones in (case.path_parameters, case.query):
            given_ones.update({name: value for name, value in known.items() if name in given_ones})
        response = case.call(headers=dict(headers))
        seen.add(response.status_code)
        case.validate_response(response, checks=CHECKS)

    with suppress(Unsatisfiable):  # where every text is allowed, nothing can be wrong
        each()
    return seen


def test_the_declarations_are_fresh() -> None:
    assert shapes.PLACE.read_text(encoding="utf-8") == shapes.declarations(), "run: make schema"


def test_each_kind_of_field_has_its_type(monkeypatch: pytest.MonkeyPatch) -> None:
    class DealPlace(BaseModel):
        """A part."""

        number: int

    class Whole(BaseModel):
        """
        The whole, in
        two lines.

        And more.
        """

        kind: Literal["a", "b"]
        only: Literal["c"] | None
        parts: tuple[DealPlace, ...]
        rows: tuple[tuple[float | None, ...], ...]
        by_name: dict[str, DealPlace]
        is_over: bool = False

    monkeypatch.setattr(shapes, "SENT", (Whole,))
    assert shapes.declarations() == (
        shapes.HEAD
        + "\n/** A part. */\nexport interface Place {\n  number: number;\n}\n"
        + "\n/** The whole, in two lines. */\nexport interface Whole {\n"
        + '  kind: "a" | "b";\n  only: "c" | null;\n  parts: Place[];\n  rows: (number | null)[][];\n'
        + "  by_name: Record<string, Place>;\n  is_over: boolean;\n}\n"
    )
