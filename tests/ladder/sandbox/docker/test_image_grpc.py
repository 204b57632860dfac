"""The gRPC that bots run on: what is in the base image, and not what is installed beside these tests."""

from __future__ import annotations

import json
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from benchmarks.lanes import AS_IT_COMES
from ladder.sandbox.docker.base_image import LATEST, ensure_base_image
from tests.sdk.wire import wake_ups

if TYPE_CHECKING:
    from docker import DockerClient

PROGRAM = Path(wake_ups.__file__).read_text(encoding="utf-8")
VERSIONS = "from importlib import metadata; print(*map(metadata.version, ('grpcio', 'protobuf', 'typing-extensions')))"


def in_image(client: DockerClient, program: str, runtime: str, **environment: str) -> str:
    ensure_base_image(client, print)
    output = client.containers.run(
        LATEST, ["python", "-c", program], runtime=runtime, environment=environment, network_mode="none", remove=True
    )
    return str(output.decode())


def how_it_runs(client: DockerClient, runtime: str, **environment: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(in_image(client, PROGRAM, runtime, **environment))
    return found


@pytest.mark.docker
def test_grpc_runs_on_one_thread_in_the_image(client: DockerClient) -> None:
    tuned, as_it_comes = how_it_runs(client, "runc"), how_it_runs(client, "runc", GRPC_EXPERIMENTS=AS_IT_COMES)
    assert (tuned["why_not"], tuned["can_block"]) == (None, True)
    assert tuned["wake_ups"] < wake_ups.CALLS < as_it_comes["wake_ups"]


@pytest.mark.runsc
def test_grpc_is_set_so_in_gvisor_too(client: DockerClient) -> None:
    """Its kernel does not count how often a thread waits."""
    tuned = how_it_runs(client, "runsc")
    assert (tuned["why_not"], tuned["can_block"]) == (None, True)


@pytest.mark.docker
def test_the_image_holds_the_versions_that_are_tested(client: DockerClient) -> None:
    here = " ".join(map(metadata.version, ("grpcio", "protobuf", "typing-extensions")))
    assert in_image(client, VERSIONS, "runc").strip() == here
