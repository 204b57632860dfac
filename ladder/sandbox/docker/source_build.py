"""
The build of a bot's source: its compiler runs in a container that is confined as bots are, and what it made comes out.

A stranger's build runs code of the stranger's: plug-ins and macros of compilers, scripts, generated programs. It has
the sandbox of a bot, under the ladder's runtime: no network, no capabilities, a user of its own, nothing to write to
but a /tmp in memory; only its limits are wider, and /tmp may hold programs. It sees the toolchain image, its own source
as one archive, and two small programs of ours.

All that comes out comes through one Unix socket, read up to limits: first what the build prints, then, behind a line
that does not come up by chance, an archive of what it made. The archive is a stranger's, so it is unpacked as uploads
are.
"""

from __future__ import annotations

import secrets
import socket
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, BinaryIO, cast

from ladder.errors import BotRejected, SandboxError
from ladder.sandbox.bots.bot_archive import ArchiveLimits, unpack
from ladder.sandbox.bots.content import Content
from ladder.sandbox.docker.container_instance import NAME as LOG_SOCKET
from ladder.sandbox.docker.container_plan import ContainerPlan, EngineFacts, FirstProcess
from ladder.sandbox.docker.containers import container_name, discard, launch
from ladder.sandbox.docker.engine import ENGINE_SECONDS, engine_errors
from ladder.sandbox.docker.image_build import MAX_SECONDS, SECONDS, BuildBudget
from ladder.sandbox.docker.limits import SEAT_FOLDER, Limits, new_user, put_processor_files
from ladder.sandbox.docker.programs import LAUNCHER, put_program
from ladder.sandbox.docker.toolchain_images import ensure_toolchain
from ladder.sandbox.host.machine import MIB
from ladder.sandbox.host.scratch import bind_visible, disk_errors, make_visible_folder, scratch_folder
from ladder.values.sandbox_kind import chosen_runtime

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from docker import DockerClient

    from ladder.sandbox.bots.languages import Language

FOR_BUILDS = Limits(
    memory=2048 * MIB, pids=256, tmp=768 * MIB, tmp_files=65_536, open_files=1024, file_size=256 * MIB, for_builds=True
)
"""Of one build; its files are in memory."""
LOG_HEAD, LOG_TAIL = 12 * 1024, 12 * 1024
"""Bytes that are kept of what a build prints: its beginning, where a compiler says what is wrong, and its end."""
MAX_LOG = 64 * MIB
"""Bytes that a build may print."""
MAX_RESULT = 256 * MIB
"""Bytes of the archive that comes out, packed."""
SHOWN_LINES = 40
"""Lines of a failed build that are shown of the beginning, and again of the end."""
CHUNK = 64 * 1024
NO_MEMORY = (137, 192)
"""Exit codes of a build that was killed, which the kernel does where a container's memory is used up."""

SCRIPT = """
set -eu
umask 022
export HOME=/tmp TMPDIR=/tmp GOCACHE=/tmp/cache RESULT=/tmp/result
mkdir -p /tmp/source /tmp/result/bot
cd /tmp/source
tar -xf {seat}/source.tar
{build}
if [ ! -e build/{made} ]; then echo 'pigpen: the build made no program build/{made}'; exit 1; fi
cp build/{made} /tmp/result/bot/
chmod +x /tmp/result/bot/{made}
{copied}
if [ -d data ]; then cp -r data /tmp/result/bot/; fi
printf '\\n%s\\n' '{mark}'
exec tar -czf - -C /tmp/result .
"""
"""The script that runs in the container; a folder `data` of the source is the bot's, too."""


class SourceRejected(BotRejected):
    """A bot's source that does not compile; the message has the build's log."""


@dataclass
class _Log:
    """The output of a build up to the mark, and its result, which follows."""

    mark: bytes
    result: BinaryIO
    head: bytearray = field(default_factory=bytearray)
    tail: bytearray = field(default_factory=bytearray)
    printed: int = 0
    came_out: int = 0
    has_result: bool = False

    def write(self, data: bytes) -> str:
        """Take what came; gives why it is too much, or nothing."""
        if self.has_result:
            return self._keep(data)
        seen = bytes(self.tail[-len(self.mark) :]) + data
        before, found, after = seen.partition(self.mark)
        self._print(data if not found else data[: max(0, len(data) - len(after) - len(self.mark))])
        if found:
            self.has_result = True
            del before
            return self._keep(after)
        return f"it printed more than {MAX_LOG:,} bytes" if self.printed > MAX_LOG else ""

    def _keep(self, data: bytes) -> str:
        self.came_out += len(data)
        if self.came_out > MAX_RESULT:
            return f"what it made has more than {MAX_RESULT:,} bytes, packed"
        self.result.write(data)
        return ""

    def _print(self, data: bytes) -> None:
        self.printed += len(data)
        room = LOG_HEAD - len(self.head)
        self.head += data[:room]
        self.tail = (self.tail + data)[-LOG_TAIL:]

    def text(self) -> str:
        """Give the beginning and the end in lines."""
        if self.printed <= LOG_TAIL:
            lines = self.tail.decode(errors="replace").splitlines()
        else:
            first, last = (part.decode(errors="replace").splitlines() for part in (self.head, self.tail))
            lines = [*first, "…", *last[1:]]
        lines = [line.rstrip() for line in lines if line.strip()]
        if len(lines) > 2 * SHOWN_LINES:
            lines = [*lines[:SHOWN_LINES], "…", *lines[-SHOWN_LINES:]]
        return "\n".join(lines)


@dataclass(frozen=True)
class SourceBuild:
    """Builds bots' source for one sandbox."""

    runtime: str
    """The OCI runtime, or `ladder.values.sandbox_kind.AUTO`."""
    sandbox: str
    """Id of the sandbox, which containers have as a label."""
    report: Callable[[str], None]
    """Called with one line before each step that takes time."""

    @property
    def version(self) -> str:
        """All of the build that is neither the source nor the toolchain."""
        return SCRIPT

    def toolchain(self, client: DockerClient, language: Language) -> str:
        """Give the id of a language's toolchain image, which is made if it is missing."""
        return ensure_toolchain(client, language, self.report)

    def run(self, client: DockerClient, language: Language, toolchain: str, content: Content, name: str) -> Content:
        """Build a bot's source, and give the files of its image (`build_source`)."""
        self.report(f"building {name} ({language.title})")
        return build_source(client, language, toolchain, content, name, runtime=self.runtime, sandbox=self.sandbox)


def build_source(
    client: DockerClient,
    language: Language,
    toolchain: str,
    content: Content,
    name: str,
    *,
    runtime: str,
    sandbox: str,
    limits: Limits = FOR_BUILDS,
    seconds: float = SECONDS,
    wall_seconds: float = MAX_SECONDS,
) -> Content:
    """
    Build a bot's source, and give the files of its image.

    Args:
        client: The engine.
        language: Its language.
        toolchain: Id of the language's toolchain image.
        content: The source.
        name: The bot, as its author knows it.
        runtime: The OCI runtime, or `ladder.values.sandbox_kind.AUTO`.
        sandbox: Id of the sandbox that asks, which the container has as a label.
        limits: What the build may use.
        seconds: CPU time that it may use.
        wall_seconds: Wall time after which the machine is too slow.

    Raises:
        SourceRejected: If it does not compile within its limits; the message has the log.
        SandboxError: If the engine fails, the machine is too slow, or the build only waits.
    """
    with engine_errors("look at the image that builds"):
        engine = EngineFacts.of(client)
    plan = ContainerPlan(toolchain, (), 0, chosen_runtime(runtime, engine.runtimes), engine)
    container, mark = container_name(), secrets.token_hex(16)
    with scratch_folder() as scratch, tempfile.TemporaryFile() as result, socket.socket(socket.AF_UNIX) as listener:
        folder = scratch / "build"
        _prepare(folder, language, content, mark, engine.machine)
        bind_visible(listener, folder / LOG_SOCKET)
        listener.listen(1)
        command = (f"{SEAT_FOLDER}/{LAUNCHER}", str(new_user()), "/bin/sh", f"{SEAT_FOLDER}/build.sh")
        first = FirstProcess(folder, command, {"PATH": "/usr/local/bin:/usr/bin:/bin"}, {"pigpen.build": "1"})
        budget = BuildBudget(client, seconds, wall_seconds)
        log = _Log(f"\n{mark}\n".encode(), cast("BinaryIO", result))
        try:
            group = launch(client, container, plan, first, limits=limits, sandbox=sandbox)
            if group is not None:
                group.close()
            with budget.watching(container):
                excess = _read(listener, log, budget)
            code = _exit_code(client, container, bool(excess or budget.is_over_its_time))
        finally:
            discard(client, container)
        _judge(name, language, log, excess, budget, code, limits)
        return _unpacked(name, log, scratch)


def _prepare(folder: Path, language: Language, content: Content, mark: str, machine: str) -> None:
    make_visible_folder(folder)
    put_program(LAUNCHER, machine, folder)
    put_processor_files(folder)
    script = SCRIPT.format(
        seat=SEAT_FOLDER, build=language.build, made=language.made, copied=language.copied, mark=mark
    )
    for name, data in {"source.tar": content.archive().read(), "build.sh": script.encode()}.items():
        with disk_errors(folder / name):
            (folder / name).write_bytes(data)
            (folder / name).chmod(0o444)


def _read(listener: socket.socket, log: _Log, budget: BuildBudget) -> str:
    """Read until the build has ended or its time is over; gives why it is ended, if it has printed or made too much."""
    listener.settimeout(1.0)
    connection: socket.socket | None = None
    began = time.monotonic()
    try:
        while not budget.is_over_its_time:
            try:
                if connection is None:
                    connection, _ = listener.accept()
                    connection.settimeout(1.0)
                    continue
                data = connection.recv(CHUNK)
            except TimeoutError:
                if connection is None and time.monotonic() - began > ENGINE_SECONDS:
                    raise SandboxError("The container of a build did not connect to its log.") from None
                continue
            if not data:
                return ""
            if excess := log.write(data):
                return excess
        return ""
    finally:
        if connection is not None:
            connection.close()


def _exit_code(client: DockerClient, container: str, must_end: bool) -> int:
    """Give the exit code of a build; one that is to end is killed."""
    with engine_errors("end a build"):
        if must_end:
            with suppress(Exception):
                client.api.kill(container)
        return int(client.api.wait(container, timeout=ENGINE_SECONDS)["StatusCode"])


def _judge(
    name: str, language: Language, log: _Log, excess: str, budget: BuildBudget, code: int, limits: Limits
) -> None:
    """
    Say what a build's end means.

    Raises:
        SourceRejected: If it failed.
        SandboxError: If the machine let it run too little, or it only waited.
    """
    if budget.is_in_vain:
        raise SandboxError(f"{name} was not built: {budget.too_slow}")
    if budget.is_used_up:
        why = f"it used more than {budget.seconds:g} s of CPU time"
    elif excess:
        why = excess
    elif code in NO_MEMORY:
        why = f"it was killed, as happens where it needs more than {limits.memory // MIB:,} MiB of memory"
    elif code:
        why = f"exit code {code}"
    elif not log.has_result:
        why = "it ended before its result came"
    else:
        return
    text = log.text()
    raise SourceRejected(
        f"{name} does not compile ({language.title}): {why}." + (f" The build printed:\n{text}" if text else "")
    )


def _unpacked(name: str, log: _Log, scratch: Path) -> Content:
    log.result.seek(0)
    try:
        with disk_errors(scratch):
            unpack(log.result, scratch / "result", ArchiveLimits())
        return Content.read(scratch / "result")
    except BotRejected as error:
        raise SourceRejected(f"{name} was built, and what came out is not taken. {error}") from None
