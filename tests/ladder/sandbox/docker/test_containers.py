"""Operations on containers, without an engine."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

from docker.errors import APIError

from ladder.sandbox.docker.containers import container_name, remove_sandbox

if TYPE_CHECKING:
    from docker import DockerClient


def test_what_the_engine_does_not_remove_at_first_is_removed_again() -> None:
    left = {container_name(): refusals for refusals in (0, 2, 1)}

    def containers(**_: object) -> list[dict[str, Any]]:
        return [{"Id": name, "Names": [f"/{name}"], "Labels": {}} for name in left]

    def remove_container(name: str, **_: object) -> None:
        if left[name]:
            left[name] -= 1
            raise APIError("it is busy")
        del left[name]

    api = SimpleNamespace(containers=containers, remove_container=remove_container)
    remove_sandbox(cast("DockerClient", SimpleNamespace(api=api)), "0" * 16)
    assert left == {}
