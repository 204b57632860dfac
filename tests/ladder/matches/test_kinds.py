"""The one place that knows the kinds of sandboxes."""

from __future__ import annotations

import pytest

from ladder.matches.kinds import open_sandbox
from ladder.sandbox.docker.docker_sandbox import DockerSandbox
from ladder.sandbox.process.process_sandbox import ProcessSandbox
from ladder.values.sandbox_kind import SandboxKind, SandboxSetup


async def test_each_kind_opens_its_sandbox() -> None:
    process = open_sandbox(SandboxSetup(SandboxKind.PROCESS))
    docker = open_sandbox(SandboxSetup(SandboxKind.DOCKER))
    try:
        assert (type(process), process.isolates) == (ProcessSandbox, False)
        assert (type(docker), docker.isolates) == (DockerSandbox, True)
        assert [process.name, docker.name] == [SandboxKind.PROCESS, SandboxKind.DOCKER]
    finally:
        await process.close()
        await docker.close()


def test_bots_inline_have_no_sandbox() -> None:
    with pytest.raises(ValueError, match="bots inline need no sandbox"):
        open_sandbox(SandboxSetup(SandboxKind.INLINE))
