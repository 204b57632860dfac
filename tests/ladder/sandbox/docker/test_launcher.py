"""The first process of a container: what it is, and what a bot gets from it."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable
from pathlib import Path

import docker
import pytest

from hatch_build import ProgramsHook
from ladder.errors import SandboxError
from ladder.sandbox.base import Exit, SeatMount
from ladder.sandbox.bots.bot_source import BotSource
from ladder.sandbox.bots.content import archive
from ladder.sandbox.docker.container_instance import NAME as LOG_SOCKET
from ladder.sandbox.docker.docker_sandbox import DockerSandbox
from ladder.sandbox.docker.image_build import build_image
from ladder.sandbox.docker.programs import CONFINE, LAUNCHER, LOCK_FILES, program_for
from tests.ladder.conftest import PROGRAM_DOCKERFILE
from tests.ladder.containers import SHARED_LOOP, has_written, run, run_in, running_in

MakeMount = Callable[[str], SeatMount]
LATER = pytest.mark.long


async def removed(path: Path) -> None:
    """Remove a file as soon as it is there; a container takes longer to start."""
    while not path.exists():
        await asyncio.sleep(0.001)
    path.unlink()


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
@pytest.mark.parametrize("name", [LAUNCHER, LOCK_FILES, CONFINE])
def test_the_program_is_compiled_from_the_sources_beside_it(name: str, machine: str) -> None:
    file = program_for(name, machine)
    (native,) = (each for each in ProgramsHook.natives if each.name == f"{name}-{{}}")
    assert native.source_hash in file.read_bytes().decode("latin-1"), "run scripts/venv"
    assert os.access(file, os.X_OK)


def test_a_pigpen_that_was_installed_without_a_compiler_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(SandboxError, match="ziglang"):
        program_for(LAUNCHER, "x86_64", tmp_path)


def test_another_machine_is_the_sandboxs_failure() -> None:
    with pytest.raises(SandboxError, match="s390x"):
        program_for(LAUNCHER, "s390x")


@pytest.mark.docker
class TestInAContainer:
    @SHARED_LOOP
    async def test_the_engine_reads_nothing_that_a_bot_can_write(
        self, shared_sandbox: DockerSandbox, program: BotSource, mount: MakeMount, client: docker.DockerClient
    ) -> None:
        source = """
import json, os, pathlib, time
def of(folder):
    try: return {os.readlink(file).split(":")[0] for file in folder.iterdir() if os.path.lexists(file)}
    except PermissionError: return {"closed to us"}
processes = [folder for folder in pathlib.Path("/proc").iterdir() if folder.name.isdecimal()]
mine = [os.readlink(f"/proc/self/fd/{number}").split(":")[0] for number in range(3)]
print(json.dumps({"init": sorted(of(pathlib.Path("/proc/1/fd"))), "processes": len(processes), "mine": mine}))
time.sleep(1000)
"""
        async with running_in(shared_sandbox, program, mount(source)) as instance:
            await has_written(instance, "}")
            seen = json.loads(await instance.log_tail())
            assert seen == {"init": ["closed to us"], "processes": 2, "mine": ["/dev/null", "socket", "socket"]}
            host = client.containers.get(instance.name).attrs["HostConfig"]
            assert host["LogConfig"]["Type"] == "none"

    @SHARED_LOOP
    @pytest.mark.parametrize(("end", "code"), [pytest.param("os._exit(200)", 200, marks=LATER),
                                               ("os.kill(os.getpid(), 9)", 137),
                                               pytest.param("os._exit(137)", 137, marks=LATER),
                                               pytest.param("os.abort()", 134, marks=LATER),
                                               ("os.kill(1, 9)", 1)])  # fmt: skip
    async def test_it_ends_as_the_bot_does(
        self, shared_sandbox: DockerSandbox, program: BotSource, mount: MakeMount, end: str, code: int
    ) -> None:
        assert (await run_in(shared_sandbox, program, mount(f"import os; {end}")))[0] == Exit(code)

    @SHARED_LOOP
    async def test_it_reaps_exited_processes(
        self, shared_sandbox: DockerSandbox, program: BotSource, mount: MakeMount
    ) -> None:
        source = """
import os, pathlib
reader, writer = os.pipe()
child = os.fork()
if child == 0:
    orphan = os.fork()
    os.write(writer, b"%d" % orphan) if orphan else None
    os._exit(0)
os.waitpid(child, 0)
orphan = pathlib.Path("/proc") / os.read(reader, 9).decode()
while orphan.exists():
    pass
print("buried")
"""
        assert await run_in(shared_sandbox, program, mount(source)) == (Exit(0), "buried\n")

    @SHARED_LOOP
    @pytest.mark.parametrize(
        ("command", "code", "reason"),
        [
            pytest.param(
                "nonesuch", 127, "pigpen: cannot run nonesuch: there is no such program in the image\n", marks=LATER
            ),
            pytest.param(
                "/none/such",
                127,
                "pigpen: cannot run /none/such: there is no such program in the image\n",
                marks=LATER,
            ),
            ("/etc/passwd", 126, "pigpen: cannot run /etc/passwd: it is no program, or not for everyone\n"),
        ],
    )
    async def test_what_cannot_run_is_told_to_its_author(
        self, shared_sandbox: DockerSandbox, client: docker.DockerClient, python_image: str, mount: MakeMount,
        command: str, code: int, reason: str,
    ) -> None:  # fmt: skip
        lines = [*PROGRAM_DOCKERFILE.splitlines()[:-1], f'CMD ["{command}"]', ""]
        folder = mount("").folder
        (folder / "Dockerfile").write_text("\n".join(lines))
        tag = "pigpen/test:cannot-run"
        build_image(client, archive(folder), tag=tag, labels={}, arguments={"BASE": python_image})
        assert await run_in(shared_sandbox, BotSource("broken", image=tag), mount("")) == (Exit(code), reason)

    async def test_a_log_socket_that_is_gone_is_the_sandboxs_failure(
        self, no_leftovers: None, program: BotSource, mount: MakeMount
    ) -> None:
        seat = mount("print('never')")
        removing = asyncio.create_task(removed(seat.folder / LOG_SOCKET))
        with pytest.raises(SandboxError, match="could not connect to the sockets of its seat"):
            await run(program, seat)
        await removing
