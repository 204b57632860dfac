"""Builds of source by strangers: what comes out, the ends that a build can have, and attacks by what it runs."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import docker
import pytest

from ladder.errors import SandboxError
from ladder.sandbox.bots.content import Content
from ladder.sandbox.bots.languages import Language
from ladder.sandbox.docker import source_build
from ladder.sandbox.docker.limits import FIRST_USER, Limits
from ladder.sandbox.docker.source_build import FOR_BUILDS, SourceRejected, build_source
from ladder.sandbox.host.machine import MIB
from tests.ladder.containers import nothing_left

pytestmark = [pytest.mark.docker, pytest.mark.usefixtures("no_containers_left")]

SHELL = Language("shell", "Shell", ("build.sh",), Path("nowhere"), build="sh ./build.sh")
"""A language whose compiler is a script of the stranger's."""
SMALL = Limits(memory=256 * MIB, pids=64, tmp=32 * MIB, tmp_files=2000, file_size=24 * MIB, for_builds=True)
PROGRAM = "mkdir -p build; printf '#!/bin/sh\\necho hi\\n' > build/bot; chmod +x build/bot\n"
Build = Callable[..., Content]


@pytest.fixture
def no_containers_left(client: docker.DockerClient) -> Iterator[None]:
    with nothing_left(client):
        yield


@pytest.fixture(params=["runc", pytest.param("runsc", marks=pytest.mark.runsc)])
def build(request: pytest.FixtureRequest, client: docker.DockerClient, python_image: str, tmp_path: Path) -> Build:
    """Build a folder with that script, and further files."""
    toolchain = str(client.images.get(python_image).id)

    def run(script: str, limits: Limits = SMALL, seconds: float = 60.0, wall: float = 300.0, **files: str) -> Content:
        folder = tmp_path / "mybot"
        folder.mkdir()
        for name, text in {"build.sh": script, **files}.items():
            path = folder / name.replace("__", "/")
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
        content = Content.read(folder)
        return build_source(
            client, SHELL, toolchain, content, "mybot", runtime=request.param, sandbox="t", limits=limits,
            seconds=seconds, wall_seconds=wall,
        )  # fmt: skip

    return run


def refused(build: Build, script: str, **options: object) -> str:
    with pytest.raises(SourceRejected) as caught:
        build(script, **options)
    return str(caught.value)


def test_the_program_and_the_data_come_out_and_nothing_else(build: Build) -> None:
    made = build(PROGRAM + "touch /tmp/other /tmp/source/more", data__weights="1 2 3", secret="source")
    files = {name: member.content for name, member in made.by_name.items() if member.content}
    assert files == {"bot/bot": b"#!/bin/sh\necho hi\n", "bot/data/weights": b"1 2 3"}
    assert made.by_name["bot/bot"].kind == "x"


def test_what_does_not_compile_is_shown_with_the_first_and_last_lines(build: Build) -> None:
    printed = refused(build, "echo first error; seq 1 30000; echo last error; exit 3")
    assert "exit code 3" in printed
    lines = printed.splitlines()
    assert lines[1] == "first error"
    assert lines[-1] == "last error"
    assert len(lines) == 2 * source_build.SHOWN_LINES + 2


def test_programs_can_be_started_as_make_starts_them(build: Build) -> None:
    """It sets the user and group that it has (POSIX_SPAWN_RESETIDS)."""
    start = "import os; os.waitpid(os.posix_spawn('/bin/true', ['true'], {}, resetids=True), 0)"
    assert build(PROGRAM + f'python3 -c "{start}" || exit 9')


def test_files_can_be_locked_as_go_locks_them(build: Build) -> None:
    lock = "import fcntl; fcntl.flock(open('/tmp/lock', 'w'), fcntl.LOCK_SH)"
    assert build(PROGRAM + f'python3 -c "{lock}" || exit 9')


def test_a_build_that_makes_no_program_is_refused(build: Build) -> None:
    assert "build/bot" in refused(build, "true")


def test_an_endless_build_is_ended_by_its_cpu_time(build: Build) -> None:
    assert "3 s" in refused(build, "while :; do :; done", seconds=3.0)


def test_a_build_that_only_waits_is_ended_and_cannot_be_told_from_a_busy_machine(build: Build) -> None:
    with pytest.raises(SandboxError):
        build("sleep 1000", seconds=20.0, wall=60.0)  # gVisor takes some CPU time to start, and some while it waits


def test_a_machine_that_is_too_slow_is_no_fault_of_the_owner(build: Build) -> None:
    with pytest.raises(SandboxError):
        build("while :; do :; done", seconds=1000.0, wall=3.0)


def test_a_fork_bomb_ends_with_its_container(build: Build) -> None:
    assert refused(build, "b() { b | b & }; b; wait; sleep 5; exit 1", seconds=20.0)


@pytest.mark.parametrize(
    "script",
    [
        "cat /dev/zero > /tmp/full || exit 7",
        "i=0; while :; do i=$((i+1)); head -c 4000000 /dev/zero > /tmp/$i || exit 7; done",
        "i=0; while :; do i=$((i+1)); : > /tmp/$i || exit 7; done",
        "head -c 100000000 /dev/zero > /dev/shm/full || exit 7",
        "truncate -s 1T /tmp/sparse || exit 7; cat /tmp/sparse > /tmp/full || exit 7",
    ],
)
def test_a_disk_filler_fills_only_its_own_memory(build: Build, script: str) -> None:
    assert refused(build, script + "; exit 7", seconds=40.0)


def test_a_build_that_needs_too_much_memory_is_killed(build: Build) -> None:
    assert refused(build, "python3 -c 'x = bytearray(1 << 30); print(len(x))'")


def test_a_flood_of_output_ends_the_build(build: Build, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source_build, "MAX_LOG", MIB)
    assert "it printed more than" in refused(build, "yes")


def test_a_result_that_is_too_large_ends_the_build(build: Build, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source_build, "MAX_RESULT", 1000)
    script = PROGRAM + "head -c 100000 /dev/urandom > build/bot"
    assert "packed" in refused(build, script)


@pytest.mark.parametrize(
    "change",
    [
        "ln -s /etc/passwd data/link",
        "ln data/file data/hard",
        "mkfifo data/pipe",
        "python3 -c \"import socket; socket.socket(socket.AF_UNIX).bind('data/socket')\"",
    ],
)
def test_links_and_pipes_do_not_come_out(build: Build, change: str) -> None:
    """A hard link comes as a copy, or is refused; a socket cannot be packed."""
    script = PROGRAM + f"mkdir -p data; echo x > data/file; {change}"
    try:
        made = build(script)
    except SourceRejected:
        return
    assert {member.kind for member in made.members} <= {"d", "f", "x"}


def test_a_link_in_the_source_leads_nowhere(build: Build, tmp_path: Path) -> None:
    """It is refused when the folder is read, before anything is built."""
    (tmp_path / "mybot").mkdir()
    (tmp_path / "mybot" / "out").symlink_to("/etc/passwd")
    with pytest.raises(Exception, match="out"):
        Content.read(tmp_path / "mybot")


def test_a_forged_result_is_only_another_program_of_its_owner(build: Build) -> None:
    """The line before the result can be read in the build; what follows is unpacked like any archive."""
    mark = 'grep -o "\'[0-9a-f]\\{32\\}\'" /run/pigpen/build.sh | tr -d "\'"'
    assert "not taken" in refused(build, PROGRAM + f"printf '\\n%s\\n' $({mark}); echo no archive")


def test_a_build_has_no_network_no_rights_and_sees_nothing_of_the_host(build: Build) -> None:
    hits: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            hits.append(self.path)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    serving = threading.Thread(target=server.serve_forever)
    serving.start()
    try:
        address = f"http://127.0.0.1:{server.server_port}/"
        script = f"""
        id -u
        python3 -c "import os; os.setuid(0)" && echo ROOT
        touch /tmp/mine; chown 0 /tmp/mine && echo CHOWNED; mknod /tmp/b b 254 0; head -c 1 /tmp/b && echo DEVICE
        python3 -c "import urllib.request as u; u.urlopen('{address}', timeout=3)" && echo REACHED
        mount -t tmpfs none /mnt && echo MOUNTED
        touch /usr/x && echo WRITTEN; touch /run/pigpen/x && echo WRITTEN; echo x > /run/pigpen/build.sh && echo WRITTEN
        ls /run/docker.sock /var/run/docker.sock && echo ENGINE
        exit 1
        """
        printed = refused(build, script)
    finally:
        server.shutdown()
        serving.join()
        server.server_close()
    assert hits == []
    for word in ("REACHED", "MOUNTED", "WRITTEN", "ENGINE", "ROOT", "CHOWNED", "DEVICE"):
        assert word not in printed.splitlines()
    assert int(printed.splitlines()[1]) >= FIRST_USER


def test_the_usual_limits_leave_room_for_compilers() -> None:
    assert FOR_BUILDS.tmp < FOR_BUILDS.memory
    assert FOR_BUILDS.for_builds
    assert not Limits().for_builds
