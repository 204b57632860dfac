"""The list of system calls: its entries, what it stops in a container, and what works under it."""

from __future__ import annotations

import json
import signal
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from ladder.sandbox.base import Exit
from ladder.sandbox.bots.bot_source import BotSource
from ladder.sandbox.docker.limits import SECCOMP, security_options
from tests.ladder.containers import new_mount, run
from tests.ladder.sandbox.docker.system_calls import ARGUMENTS, FAMILIES, FORBIDDEN, NAMESPACES, REQUESTS

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
