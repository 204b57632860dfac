"""A container's limits are tried from inside it; the sandbox's promises are checked from outside."""

from __future__ import annotations

import asyncio
import errno
import json
import os
import queue
import re
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import docker
import pytest
import pytest_asyncio

from ladder.errors import ContainerLost, SandboxError
from ladder.sandbox.base import STDERR_HEAD, STDERR_TAIL, Exit, SeatMount
from ladder.sandbox.bots.bot_source import BotSource
from ladder.sandbox.docker import containers, docker_sandbox
from ladder.sandbox.docker.control_group import GROUPS
from ladder.sandbox.docker.docker_sandbox import DockerSandbox
from ladder.sandbox.docker.limits import FIRST_USER, GROUP, USERS, Limits
from ladder.sandbox.host.machine import MIB
from tests.ladder.containers import (
    SHARED_LOOP,
    has_written,
    kill_without_the_engine,
    new_mount,
    run,
    run_in,
    running_in,
)
from tests.waiting import PATIENCE, comes

pytestmark = pytest.mark.docker

MakeMount = Callable[[str], SeatMount]
LATER = pytest.mark.long
FOREVER = "import time; time.sleep(1000)"
PROBE = (Path(__file__).parent / "probe.py").read_text()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def seen(
    shared_sandbox: DockerSandbox, program: BotSource, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Any]:
    """Give the report of one container with the usual limits on its world."""
    mount = new_mount(tmp_path_factory.mktemp("seen") / "seat", PROBE)
    (mount.folder / "healthy").write_text("")
    end, output = await run_in(shared_sandbox, program, mount)
    assert end == Exit(0), output
    facts: dict[str, Any] = json.loads(output)
    return facts


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def group(
    shared_sandbox: DockerSandbox,
    program: BotSource,
    tmp_path_factory: pytest.TempPathFactory,
    client: docker.DockerClient,
) -> dict[str, Any]:
    """The limits of a container, its network and the name of its first process, as the kernel has them."""
    mount = new_mount(tmp_path_factory.mktemp("group") / "seat", FOREVER)
    async with running_in(shared_sandbox, program, mount) as instance:
        pid = client.api.inspect_container(instance.name)["State"]["Pid"]
        lines = Path(f"/proc/{pid}/cgroup").read_text().splitlines()
        paths = {part: line.split(":")[2] for line in lines for part in line.split(":")[1].split(",")}
        interfaces = [line.split(":")[0].strip() for line in Path(f"/proc/{pid}/net/dev").read_text().splitlines()[2:]]
        async with asyncio.timeout(PATIENCE):
            while (first := Path(f"/proc/{pid}/comm").read_text().strip()).startswith("runc:"):
                await asyncio.sleep(0.01)  # the runtime is about to become it
        return {**limits_of(GROUPS, paths), "first": first, "interfaces": interfaces}


def limits_of(root: Path, paths: dict[str, str]) -> dict[str, object]:
    """Read the limits from whichever of the two generations of control groups is here."""
    if "memory" in paths:
        folders = {part: root / part / path.lstrip("/") for part, path in paths.items()}
        names = ("memory.limit_in_bytes", "memory.memsw.limit_in_bytes")
        memory = [int((folders["memory"] / name).read_text()) for name in names]
        quota = [int((folders["cpu"] / f"cpu.cfs_{name}_us").read_text()) for name in ("quota", "period")]
        pids = int((folders["pids"] / "pids.max").read_text())
    else:
        folder = root / paths[""].lstrip("/")
        most = int((folder / "memory.max").read_text())
        memory = [most, most + int((folder / "memory.swap.max").read_text())]
        quota = [int(word) for word in (folder / "cpu.max").read_text().split()]
        pids = int((folder / "pids.max").read_text())
    return {"memory": memory, "cpus": quota[0] / quota[1], "pids": pids}


def test_it_is_a_user_of_its_own_though_its_image_says_root(seen: dict[str, Any]) -> None:
    assert FIRST_USER <= seen["uid"] < FIRST_USER + USERS
    assert [seen["gid"], seen["groups"]] == [GROUP, []]


def test_its_home_is_the_folder_that_it_can_write_to(seen: dict[str, Any]) -> None:
    assert [seen["environment"]["HOME"], seen["environment"]["USER"]] == ["/tmp", "bot"]


@pytest.mark.parametrize("folder", ["/", "/bot", "/usr/bin", "/etc", "/var/tmp", "/home", "/run", "/dev"])
def test_it_can_write_nowhere(seen: dict[str, Any], folder: str) -> None:
    assert seen["write"][folder] in {errno.EROFS, errno.EACCES, errno.ENOENT}


def test_the_root_is_mounted_read_only(seen: dict[str, Any]) -> None:
    assert "ro" in seen["mounts"]["/"]


def test_tmp_is_small_and_holds_no_programs(seen: dict[str, Any]) -> None:
    assert {"rw", "noexec", "nosuid", "nodev"} <= set(seen["mounts"]["/tmp"])
    assert {f"size={Limits().tmp // 1024}k", f"nr_inodes={Limits().tmp_files}"} <= set(seen["mounts"]["/tmp"])
    assert seen["write"]["/tmp"] == 0
    assert seen["execute_in_tmp"] == errno.EACCES
    assert seen["fill_tmp"] == errno.ENOSPC


def test_shared_memory_is_small_too(seen: dict[str, Any]) -> None:
    assert {f"size={Limits().tmp // 1024}k", "noexec", "nosuid", "nodev"} <= set(seen["mounts"]["/dev/shm"])


def test_there_is_no_network(seen: dict[str, Any], group: dict[str, Any]) -> None:
    assert group["interfaces"] == ["lo"]
    assert os.readlink("/proc/self/ns/net") != seen["namespaces"]["net"]
    assert seen["connect"] == errno.EAFNOSUPPORT


@pytest.mark.parametrize("kind", ["ipc", "pid", "mnt", "uts", "net"])
def test_it_has_namespaces_of_its_own(seen: dict[str, Any], kind: str) -> None:
    assert os.readlink(f"/proc/self/ns/{kind}") != seen["namespaces"][kind]


def test_it_has_no_capabilities_and_can_get_none(seen: dict[str, Any]) -> None:
    sets = ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")
    assert [seen["status"][name] for name in sets] == ["0" * 16] * 5
    assert seen["status"]["NoNewPrivs"] == "1"


def test_system_calls_are_filtered(seen: dict[str, Any]) -> None:
    assert seen["status"]["Seccomp"] == "2"


def test_ulimits_hold(seen: dict[str, Any]) -> None:
    limits = Limits()
    assert {"nofile": [limits.open_files] * 2, "core": [0, 0], "fsize": [limits.file_size] * 2} == seen["rlimits"]
    assert seen["open_many"] == errno.EMFILE


def test_an_init_process_cleans_up_after_it(seen: dict[str, Any], group: dict[str, Any]) -> None:
    assert seen["pid"] != 1
    assert group["first"] == "launcher"


def test_its_environment_tells_of_its_seat_alone(seen: dict[str, Any]) -> None:
    ours = {name: value for name, value in seen["environment"].items() if name.startswith("PIGPEN")}
    assert ours == {"PIGPEN_ADDRESS": "unix:/run/pigpen/seat.sock", "PIGPEN_TOKEN": "secret"}
    assert not [name for name in seen["environment"] if "proxy" in name.lower()]


def test_the_seats_folder_is_read_only(seen: dict[str, Any]) -> None:
    assert seen["write"]["/run/pigpen"] == errno.EROFS
    assert seen["unlink_in_seat"] == errno.EROFS


def test_an_images_health_check_never_runs(seen: dict[str, Any]) -> None:
    assert not seen["health_checked"]


def test_memory_and_cpu_and_pids_are_limited(group: dict[str, Any]) -> None:
    limits = Limits()
    assert group["memory"] == [limits.memory] * 2
    assert [group["cpus"], group["pids"]] == [limits.cpus, limits.pids]


class TestLimitsInAction:
    @SHARED_LOOP
    async def test_a_thread_bomb_stops_at_the_limit(
        self, shared_sandbox: DockerSandbox, program: BotSource, mount: MakeMount
    ) -> None:
        bomb = """
import threading, time
started = 0
try:
    while True:
        threading.Thread(target=time.sleep, args=[1000], daemon=True).start()
        started += 1
except RuntimeError:
    print(started, flush=True)
    import os; os._exit(0)
"""
        end, output = await run_in(shared_sandbox, program, mount(bomb))
        assert Exit(0) == end
        assert Limits().pids - 8 < int(output) < Limits().pids

    @SHARED_LOOP
    async def test_too_much_memory_is_told_as_such_and_again_when_it_is_stopped_at_once(
        self, shared_sandbox: DockerSandbox, program: BotSource, mount: MakeMount
    ) -> None:
        async with running_in(shared_sandbox, program, mount("print('up'); x = bytearray(400 << 20)")) as instance:
            first = await instance.wait()
            await instance.stop()
            assert Exit(137, oom=True) == first == await instance.wait()

    async def test_more_memory_can_be_given_and_a_file_ends_at_its_limit(
        self, no_leftovers: None, program: BotSource, mount: MakeMount
    ) -> None:
        source = "x = bytearray(400 << 20); print('has it', flush=True); open('/tmp/x', 'wb').write(bytes(2 << 20))"
        end, output = await run(program, mount(source), Limits(memory=600 * MIB, file_size=MIB))
        assert "has it" in output
        assert Exit(1) == end
        assert "File too large" in output

    @SHARED_LOOP
    async def test_a_flood_of_output_is_cut_to_its_end(
        self, shared_sandbox: DockerSandbox, program: BotSource, mount: MakeMount
    ) -> None:
        flood = "for _ in range(3_000): print('x' * 80)\nprint('the end')"
        async with running_in(shared_sandbox, program, mount(flood)) as instance:
            await instance.wait()
            tail = await instance.log_tail()
            assert tail.endswith("the end\n")
            assert len(re.sub("\n?… .* bytes left out …\n", "", tail)) <= STDERR_HEAD + STDERR_TAIL

    @SHARED_LOOP
    async def test_many_empty_files_do_not_eat_memory(
        self, shared_sandbox: DockerSandbox, program: BotSource, mount: MakeMount
    ) -> None:
        source = "for n in range(10_000): open(f'/tmp/{n}', 'w').close()"
        end, output = await run_in(shared_sandbox, program, mount(source))
        assert Exit(1) == end
        assert "No space left" in output


class TestAnInstance:
    @SHARED_LOOP
    async def test_reaches_its_seat_and_nothing_but_its_seat(
        self, shared_sandbox: DockerSandbox, program: BotSource, mount: MakeMount
    ) -> None:
        seat = mount("""
import os, socket
s = socket.socket(socket.AF_UNIX); s.connect(os.environ["PIGPEN_ADDRESS"].removeprefix("unix:"))
s.sendall(os.environ["PIGPEN_TOKEN"].encode())
""")
        received: asyncio.Queue[bytes] = asyncio.Queue()

        async def listen(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            received.put_nowait(await reader.read())
            writer.close()

        server = await asyncio.start_unix_server(listen, seat.folder / "seat.sock")
        (seat.folder / "seat.sock").chmod(0o666)
        async with server:
            instance = await (await shared_sandbox.load(program)).start(seat)
            assert Exit(0) == await instance.wait()
            assert await received.get() == b"secret"

    @SHARED_LOOP
    async def test_tells_its_exit_code_every_time(
        self, shared_sandbox: DockerSandbox, program: BotSource, mount: MakeMount
    ) -> None:
        instance = await (await shared_sandbox.load(program)).start(mount("raise SystemExit(3)"))
        assert [Exit(3)] * 2 == list(await asyncio.gather(instance.wait(), instance.wait()))
        await instance.stop()
        assert Exit(3) == await instance.wait()

    @SHARED_LOOP
    async def test_bears_the_labels_of_its_mount_and_stop_is_harmless_twice_and_keeps_the_output(
        self, shared_sandbox: DockerSandbox, program: BotSource, mount: MakeMount, client: docker.DockerClient
    ) -> None:
        instance = await (await shared_sandbox.load(program)).start(mount(f"print('hello'); {FOREVER}"))
        labels = client.containers.get(instance.name).labels
        assert (labels["pigpen.seat"], labels["pigpen"]) == ("2", "1")
        await has_written(instance, "hello\n")
        waiting = asyncio.ensure_future(instance.wait())
        await asyncio.gather(instance.stop(), instance.stop())
        await instance.stop()
        assert await instance.log_tail() == "hello\n"
        assert [Exit(137)] * 2 == [await waiting, await instance.wait()]

    @SHARED_LOOP
    async def test_that_is_never_waited_for_still_tells_how_it_ended(
        self, shared_sandbox: DockerSandbox, program: BotSource, mount: MakeMount
    ) -> None:
        instance = await (await shared_sandbox.load(program)).start(mount("print('done'); raise SystemExit(4)"))
        observer = await (await shared_sandbox.load(program)).start(mount(FOREVER))
        await has_written(instance, "done")
        await observer.stop()
        await instance.wait()
        await instance.stop()
        assert Exit(4) == await instance.wait()

    @SHARED_LOOP
    @pytest.mark.parametrize(
        "hand",
        [
            "remove",
            "kill before anyone waits",
            pytest.param("kill", marks=LATER),
            pytest.param("remove before anyone waits", marks=LATER),
        ],
    )
    async def test_taken_away_by_another_hand_is_the_sandboxs_failure(
        self,
        shared_sandbox: DockerSandbox,
        program: BotSource,
        mount: MakeMount,
        client: docker.DockerClient,
        hand: str,
    ) -> None:
        instance = await (await shared_sandbox.load(program)).start(mount(f"print('hello'); {FOREVER}"))
        await has_written(instance, "hello\n")
        waiting = asyncio.ensure_future(instance.wait()) if "before" not in hand else None
        await asyncio.sleep(0)
        if hand.startswith("kill"):
            client.api.kill(instance.name)
        else:
            client.api.remove_container(instance.name, force=True)
        with pytest.raises(SandboxError, match="was killed from outside") as failure:
            await (waiting or instance.wait())
        assert not isinstance(failure.value, ContainerLost)
        assert await instance.log_tail() == "hello\n"
        await instance.stop()
        assert Exit(137) == await instance.wait()

    @SHARED_LOOP
    async def test_killed_by_a_signal_that_the_engine_knows_nothing_of_is_lost(
        self,
        shared_sandbox: DockerSandbox,
        program: BotSource,
        mount: MakeMount,
        client: docker.DockerClient,
        python_image: str,
    ) -> None:
        async with running_in(shared_sandbox, program, mount(f"print('hello'); {FOREVER}")) as instance:
            await has_written(instance, "hello\n")
            kill_without_the_engine(client, python_image, instance.name)
            with pytest.raises(ContainerLost, match="not through its engine"):
                await instance.wait()

    async def test_of_a_closed_sandbox_is_gone(
        self, no_leftovers: None, program: BotSource, mount: MakeMount, client: docker.DockerClient
    ) -> None:
        sandbox = DockerSandbox()
        loaded = await sandbox.load(program)
        instances = await asyncio.gather(*(loaded.start(mount(FOREVER)) for _ in range(2)))
        await sandbox.close()
        await sandbox.close()
        assert [Exit(137)] * 2 == [await instance.wait() for instance in instances]


async def test_a_base_image_that_was_removed_is_made_again(
    client: docker.DockerClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Other versions of Pigpen remove those that have not been used for long."""
    there, made = [True, False, True], list[str]()

    def make(client: docker.DockerClient, report: object) -> str:
        made.append("base")
        return "base"

    monkeypatch.setattr(docker_sandbox, "has_base_image", lambda client, base: there.pop(0))
    monkeypatch.setattr(docker_sandbox, "ensure_base_image", make)
    sandbox = DockerSandbox()
    assert [await sandbox._base_image(client) for _ in range(4)] == ["base"] * 4
    await sandbox.close()
    assert len(made) == 2


class TestFailures:
    async def test_an_unknown_runtime_is_the_sandboxs_failure(
        self, no_leftovers: None, program: BotSource, mount: MakeMount
    ) -> None:
        sandbox = DockerSandbox(runtime="nonesuch")
        with pytest.raises(SandboxError, match="nonesuch"):
            await (await sandbox.load(program)).start(mount(FOREVER))
        await sandbox.close()

    @SHARED_LOOP
    async def test_a_missing_folder_is_the_sandboxs_failure(
        self, shared_sandbox: DockerSandbox, program: BotSource, tmp_path: Path
    ) -> None:
        loaded = await shared_sandbox.load(program)
        with pytest.raises(SandboxError, match="nowhere"):
            await loaded.start(SeatMount(tmp_path / "nowhere", token="secret"))

    async def test_an_engine_that_does_not_answer_is_told_with_a_way_out(
        self, no_leftovers: None, program: BotSource, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("DOCKER_HOST", "unix:///nowhere/docker.sock")
        sandbox = DockerSandbox()
        with pytest.raises(SandboxError, match="scripts/engine"):
            await sandbox.load(program)
        await sandbox.close()

    async def test_a_cancelled_start_leaves_no_container(
        self,
        sandbox: DockerSandbox,
        program: BotSource,
        mount: MakeMount,
        client: docker.DockerClient,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        launch, begun, launched = containers.launch, queue.Queue[str](), threading.Event()

        def watched(engine: docker.DockerClient, name: str, *arguments: Any, **more: Any) -> Any:
            begun.put(name)
            try:
                return launch(engine, name, *arguments, **more)
            finally:
                launched.set()

        monkeypatch.setattr(containers, "launch", watched)
        starting = asyncio.ensure_future((await sandbox.load(program)).start(mount(FOREVER)))
        name = await asyncio.to_thread(begun.get, timeout=PATIENCE)
        starting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await starting
        assert await asyncio.to_thread(launched.wait, PATIENCE)
        await comes(lambda: not client.api.containers(all=True, filters={"name": name}), "the end of the container")
