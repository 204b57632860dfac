"""Requests made up from the description of the API: never a failure of ours, and answers as they are described."""

from __future__ import annotations

from contextlib import suppress
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode
from schemathesis.checks import (
    content_type_conformance,
    not_a_server_error,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from tests.counts import count

if TYPE_CHECKING:
    from collections.abc import Mapping

    from schemathesis import Case
    from schemathesis.schemas import APIOperation

    from tests.ladder.site.visitor import Visitor

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]
some = settings(
    max_examples=count(15, 200),
    deadline=None,
    derandomize=True,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)


SLOW = ("/stream", "/why", "/dearest", "/inbox")
"""A stream has no end, and an estimate takes a while."""


KNOWN = {"name": "Mud", "variant": "gongzhu", "number": 2, "match": 2, "board": 0, "table": 1, "bot": "Mud@1"}
"""What is there, so that it is not only said what is not."""


def test_made_up_requests_are_answered_as_described(site: Visitor) -> None:
    schema = schemathesis.openapi.from_asgi("/api/openapi.json", site.app)
    operations = [found.ok() for found in schema.get_all_operations()]  # type: ignore[union-attr]
    asked = [operation for operation in operations if not operation.path.endswith(SLOW)]
    assert len(asked) >= 13
    for operation in asked:
        check(operation)


def check(operation: APIOperation) -> None:  # type: ignore[type-arg]
    """Make requests up for one operation: with values that its description allows, and with others."""
    for mode in GenerationMode:
        assert ask(operation.as_strategy(generation_mode=mode)) <= {200, 400, 401, 404, 405, 422}, operation.label
    assert ask(operation.as_strategy(), KNOWN) & ({401, 404} if is_for_people(operation) else {200}), operation.label


def is_for_people(operation: APIOperation) -> bool:  # type: ignore[type-arg]
    """Whether it answers those alone who have logged in."""
    return "401" in operation.definition.raw["responses"]


def ask(cases: st.SearchStrategy[Case[Any]], known: Mapping[str, object] = MappingProxyType({})) -> set[int]:
    """Ask, with *known* values in the place of made-up ones, and check the answers; gives their status codes."""
    seen: set[int] = set()

    @some
    @given(case=cases)
    def each(case: Case[Any]) -> None:
        for given_ones in (case.path_parameters, case.query):
            given_ones.update({name: value for name, value in known.items() if name in given_ones})
        response = case.call()
        seen.add(response.status_code)
        case.validate_response(response, checks=CHECKS)

    with suppress(Unsatisfiable):  # where every text is allowed, nothing can be wrong
        each()
    return seen
