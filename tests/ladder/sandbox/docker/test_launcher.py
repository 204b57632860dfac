"""The first process of a container, what a bot gets from it, and the list of system calls that it may make."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import docker
import pytest
import pytest_asyncio

from hatch_build import ProgramsHook
from ladder.errors import SandboxError
from ladder.sandbox.base import Exit, SeatMount
from ladder.sandbox.bots.bot_source import BotSource
from ladder.sandbox.bots.content import archive
from ladder.sandbox.docker.container_instance import NAME as LOG_SOCKET
from ladder.sandbox.docker.docker_sandbox import DockerSandbox
from ladder.sandbox.docker.image_build import build_image
from ladder.sandbox.docker.limits import SECCOMP, security_options
from ladder.sandbox.docker.programs import CONFINE, LAUNCHER, LOCK_FILES, program_for
from tests.ladder.conftest import PROGRAM_DOCKERFILE
from tests.ladder.containers import SHARED_LOOP, has_written, new_mount, run, run_in, running_in
from tests.ladder.sandbox.docker.system_calls import ARGUMENTS, FAMILIES, FORBIDDEN, NAMESPACES, REQUESTS

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
        with pytest.raises(SandboxError, match="sockets of its seat"):
            await run(program, seat)
        await removing


HERE = Path(__file__).parent
PROFILE = json.loads(SECCOMP.read_text())
ALLOW = "SCMP_ACT_ALLOW"
BY_ARGUMENT = {
    "clock_getres", "clock_gettime", "clock_nanosleep", "clone", "fcntl", "futex", "getsockopt", "ioctl", "madvise",
    "membarrier", "mmap", "open", "openat", "prctl", "setsockopt", "socket", "socketpair",
}  # fmt: skip
TAKES_A_NUMBER = {
    "capget", "capset", "chown", "clock_adjtime", "clock_getres", "clock_gettime", "clock_nanosleep", "fchown",
    "fchownat", "get_robust_list", "getpgid", "getpriority", "getsid", "ioprio_get", "ioprio_set", "kcmp", "keyctl",
    "kill", "lchown", "migrate_pages", "move_pages", "mq_notify", "perf_event_open", "pidfd_getfd", "pidfd_open",
    "pidfd_send_signal", "prlimit64", "process_madvise", "process_mrelease", "process_vm_readv", "process_vm_writev",
    "ptrace", "quotactl", "rt_sigqueueinfo", "rt_tgsigqueueinfo", "sched_getaffinity", "sched_getattr",
    "sched_getparam", "sched_getscheduler", "sched_rr_get_interval", "sched_setaffinity", "sched_setattr",
    "sched_setparam", "sched_setscheduler", "setfsgid", "setfsuid", "setgid", "setgroups", "setns", "setpgid",
    "setpriority", "setregid", "setresgid", "setresuid", "setreuid", "setuid", "tgkill", "timer_create", "tkill",
    "wait4", "waitid",
}  # fmt: skip
"""Every call that names a process, a thread, a group of processes, a user or a clock of a process, by its number."""
OF_ITSELF = {
    "clock_getres", "clock_gettime", "clock_nanosleep", "get_robust_list", "getpriority", "getsid", "prlimit64",
    "sched_rr_get_interval", "setpriority",
}  # fmt: skip
"""Of those, what is allowed for the caller itself alone, whose number is 0."""
HARMLESS = {
    "capget": "it reads what a process may, and no process of a bot's may anything",
    "getpgid": "it reads a group, which tells nothing but that there is such a process",
    "kill": "the kernel sends nothing to another user's process",
    "sched_getaffinity": "it reads cores, which all processes of a container share",
    "sched_getparam": "it reads a priority that nothing inside can set",
    "sched_getscheduler": "it reads a policy that nothing inside can set",
    "sched_setaffinity": "the kernel sets nothing of another user's process; the C library names threads so",
    "setpgid": "it takes only the caller and its children, of which the first process is none",
    "setresuid": "a user without capabilities becomes only itself",
    "tgkill": "the kernel sends nothing to another user's process",
    "tkill": "the kernel sends nothing to another user's process",
    "wait4": "it takes only the caller's children",
    "waitid": "it takes only the caller's children",
}
"""The rest: why it does nothing to the first process, which has another user than a bot."""


class TestTheList:
    def test_refuses_what_it_does_not_name(self) -> None:
        assert PROFILE["defaultAction"] == "SCMP_ACT_ERRNO"
        assert [rule for rule in PROFILE["syscalls"] if rule["action"] not in {ALLOW, "SCMP_ACT_ERRNO"}] == []

    def test_allows_nothing_forbidden(self) -> None:
        allowed = {name for rule in PROFILE["syscalls"] if rule["action"] == ALLOW for name in rule["names"]}
        assert allowed & {*FORBIDDEN, "clone3", "umount", "reboot", "settimeofday", "iopl", "ioperm", "mknod"} == set()

    def test_looks_at_the_arguments_of_calls_that_can_do_more_than_is_allowed(self) -> None:
        bare = {name for rule in PROFILE["syscalls"] if not rule.get("args") for name in rule["names"]}
        assert bare & BY_ARGUMENT == set()

    def test_takes_the_number_of_another_process_only_where_that_is_harmless(self) -> None:
        allowed = {name for rule in PROFILE["syscalls"] if rule["action"] == ALLOW for name in rule["names"]}
        assert allowed & TAKES_A_NUMBER - OF_ITSELF == set(HARMLESS)
        bare = {name for rule in PROFILE["syscalls"] if not rule.get("args") for name in rule["names"]}
        assert bare & OF_ITSELF == set()

    def test_is_sorted_and_names_nothing_twice(self) -> None:
        names = [rule["names"] for rule in PROFILE["syscalls"]]
        assert names == [sorted(group) for group in names]
        once = [name for group in names for name in group if name not in BY_ARGUMENT]
        assert len(once) == len(set(once))

    def test_knows_two_machines_and_no_second_set_of_calls_on_either(self) -> None:
        assert PROFILE["archMap"] == [
            {"architecture": f"SCMP_ARCH_{name}", "subArchitectures": []} for name in ("X86_64", "AARCH64")
        ]

    def test_goes_to_the_engine_as_text(self) -> None:
        assert [json.loads(option[8:]) for option in security_options() if option.startswith("seccomp=")] == [PROFILE]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def met(program: BotSource, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Give the errors that one container met when it tried all that is forbidden."""
    return await _facts(program, tmp_path_factory, "system_calls.py")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def done(program: BotSource, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Give the everyday acts of an honest program that one container could do."""
    return await _facts(program, tmp_path_factory, "everyday.py")


async def _facts(program: BotSource, folders: pytest.TempPathFactory, name: str) -> dict[str, Any]:
    mount = new_mount(folders.mktemp("seat") / "seat", (HERE / name).read_text())
    end, output = await run(program, mount)
    assert end == Exit(0), output
    facts: dict[str, Any] = json.loads(output)
    return facts


@pytest.mark.docker
class TestAContainerIsRefused:
    def test_every_forbidden_call(self, met: dict[str, Any]) -> None:
        assert met["calls"] == dict.fromkeys(FORBIDDEN, "EPERM")

    def test_every_argument_that_touches_what_containers_share(self, met: dict[str, Any]) -> None:
        assert met["arguments"] == dict.fromkeys(ARGUMENTS, "EPERM")

    def test_to_wait_for_other_containers_at_a_page_of_a_file_they_share(self, met: dict[str, Any]) -> None:
        assert met["futex"] == {
            "shared wait": "EAGAIN",
            "shared wake": "allowed",  # nothing is woken: nothing can wait
            "private wait for another value": "EAGAIN",
            "private wake": "allowed",
        }

    def test_sockets_of_every_family_but_unix(self, met: dict[str, Any]) -> None:
        assert met["sockets"] == {**dict.fromkeys(FAMILIES, "EAFNOSUPPORT"), "AF_UNIX": "allowed"}
        assert met["pairs"] == {"AF_TIPC": "EAFNOSUPPORT", "AF_UNIX": "allowed"}

    def test_namespaces_of_every_kind(self, met: dict[str, Any]) -> None:
        assert met["clone"] == {**dict.fromkeys(NAMESPACES, "EPERM"), "none": "allowed"}

    def test_the_clone_that_no_filter_can_read_so_that_libraries_fall_back(self, met: dict[str, Any]) -> None:
        assert met["clone3"] == "ENOSYS"

    def test_requests_that_drivers_would_answer(self, met: dict[str, Any]) -> None:
        assert met["ioctl"] == dict.fromkeys(REQUESTS, "EPERM")


@pytest.mark.docker
@pytest.mark.parametrize(
    ("action", "outcome"),
    [
        ("threads", 28),
        ("programs", "one\n/tmp/b\n"),
        ("files", ["a", "b", "c", "d", "e"]),
        ("unix_sockets", "card"),
        ("event_loop", [True, 3]),
        ("pools", [1, 2, 3]),
        ("locks", 300),
        ("of_itself", [1, 100, -signal.SIGTERM, True, True]),
        ("is_a_terminal", False),
    ],
)
def test_an_honest_program_notices_nothing(done: dict[str, Any], action: str, outcome: object) -> None:
    assert done[action] == outcome
