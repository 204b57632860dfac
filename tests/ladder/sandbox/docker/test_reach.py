"""An engine whose containers cannot connect to this machine, such as one in a virtual machine, is reported at once."""

from __future__ import annotations

import socket
from collections.abc import Callable
from pathlib import Path

import pytest
from docker.errors import APIError

from ladder.errors import SandboxError
from ladder.sandbox.base import SeatMount
from ladder.sandbox.bots.bot_source import BotSource
from ladder.sandbox.docker import image_lock, reach
from ladder.sandbox.docker.container_plan import machine_of
from ladder.sandbox.docker.docker_sandbox import DockerSandbox
from ladder.sandbox.docker.engine import APART, engine_errors
from tests.e2e.command import pigpen
from tests.ladder.containers import run_in

MakeMount = Callable[[str], SeatMount]


@pytest.fixture
def apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """The engine sees our folders, and no sockets in them."""

    def bind_to_other(listener: socket.socket, path: Path) -> None:
        listener.bind(f"{path}-here")

    monkeypatch.setattr(image_lock, "bind_visible", bind_to_other)
    monkeypatch.setattr(reach, "bind_visible", bind_to_other)
    monkeypatch.setattr(reach, "_REACHED", set())


@pytest.mark.docker
@pytest.mark.usefixtures("apart", "no_leftovers")
def test_a_check_ends_before_it_begins_and_nobody_is_at_fault() -> None:
    done = pigpen("check", "random", "--runtime", "runc")
    assert done.returncode == 3
    assert "Unix sockets of this" in done.stderr.splitlines()[-1]
    assert "fault" not in done.stdout + done.stderr


@pytest.mark.docker
@pytest.mark.runsc
@pytest.mark.usefixtures("apart", "no_leftovers")
async def test_a_runtime_that_opens_no_sockets_is_named(program: BotSource) -> None:
    sandbox = DockerSandbox("runsc")
    try:
        with pytest.raises(SandboxError, match=r"runsc .* --host-uds=open"):
            await sandbox.load(program)
    finally:
        await sandbox.close()


@pytest.mark.docker
@pytest.mark.usefixtures("no_leftovers")
async def test_no_bot_is_at_fault_for_a_seat_that_it_may_not_connect_to(
    sandbox: DockerSandbox, program: BotSource, mount: MakeMount
) -> None:
    there = mount("print('runs')")
    with socket.socket(socket.AF_UNIX) as seat:
        seat.bind(str(there.folder / "seat.sock"))
        (there.folder / "seat.sock").chmod(0o600)
        with pytest.raises(SandboxError, match="sockets of its seat"):
            await run_in(sandbox, program, there)


def test_an_engine_that_does_not_see_our_folders_is_explained() -> None:
    words = 'invalid mount config for type "bind": bind source path does not exist: /tmp/x'
    with pytest.raises(SandboxError) as raised, engine_errors("start a bot's container"):
        raise APIError("400", explanation=words)
    assert str(raised.value).endswith(f"{words}{APART}")


@pytest.mark.parametrize(
    ("name", "machine"),
    [
        ("x86_64", "x86_64"),
        ("amd64", "x86_64"),
        ("linux/amd64", "x86_64"),
        ("arm64", "aarch64"),
        ("riscv64", "riscv64"),
    ],
)
def test_a_machine_has_one_name_whatever_its_engine_calls_it(name: str, machine: str) -> None:
    assert machine_of(name) == machine
