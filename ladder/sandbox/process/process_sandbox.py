"""Bots as plain processes of this user, without any isolation: for your own bots, and quick to start."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import signal
import sys
import tempfile
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from ladder.errors import BotRejected, SandboxError
from ladder.sandbox.base import SAME_HASHES, SOCKET_NAME, WITNESS, Exit
from ladder.sandbox.bots.bot_source import content_of
from ladder.sandbox.excerpt import Tail
from ladder.sandbox.host.machine import peak_of_process
from ladder.sandbox.host.scratch import disk_errors
from ladder.sandbox.host.whole_file import has_data
from ladder.sandbox.process.forked import CAN_FORK, ForkServer, dying_with_us
from ladder.sandbox.wheels.local_install import install_locally
from ladder.sandbox.wheels.packages import Asked, Packages, use, with_lock
from ladder.values.sandbox_kind import SandboxKind
from referee.seats.process_controller import NoController

if TYPE_CHECKING:
    from collections.abc import Callable

    from ladder.sandbox.base import SeatMount
    from ladder.sandbox.bots.bot_source import BotSource
    from ladder.sandbox.process.forked import ProcessLimits
    from referee.records.lines import Instances

_CHUNK = 64 * 1024
_LAST_CHUNKS = 32
"""Read at the very end: a pipe holds less, and a process that escaped its group could write for ever."""


class RunningProcess(Protocol):
    """A process that was started or forked, as `asyncio.subprocess` has it."""

    @property
    def pid(self) -> int:
        """Its number."""

    @property
    def returncode(self) -> int | None:
        """Its exit code; minus the signal's number if one has killed it; None as long as it runs."""

    async def wait(self) -> int:
        """Wait until it has ended; its exit code."""


class ProcessInstance:
    """A bot's process and all that it starts, from its start until nothing of it is left."""

    def __init__(
        self, process: RunningProcess, output: int, home: Path, on_gone: Callable[[ProcessInstance], None]
    ) -> None:
        """
        Watch over *process*.

        Args:
            process: Leader of a process group of its own.
            output: Read end of the pipe that it writes stdout and stderr to; closed in the end.
            home: Its own temporary folder; removed in the end.
            on_gone: Called when nothing of it is left.
        """
        self.pid = process.pid
        self._process = process
        self._output = output
        self._home = home
        self._on_gone = on_gone
        self._tail = Tail()
        self._ended = False
        self.controller = _OutputMarker(self)
        """Labels its output; it cannot freeze the process or read its CPU time."""
        os.set_blocking(output, False)
        asyncio.get_running_loop().add_reader(output, self._read)
        self._ending = asyncio.ensure_future(self._end())

    async def wait(self) -> Exit:
        """
        Wait until it has ended.

        Raises:
            SandboxError: If it ended by no doing of the bot's.
        """
        return await asyncio.shield(self._ending)

    async def stop(self) -> None:
        """Kill the process and its group."""
        if self._process.returncode is None:
            self._kill_group()
        with contextlib.suppress(SandboxError):  # it has ended, too
            await self.wait()

    def mark(self, decision: int) -> None:
        """Label what it writes from now on with the number of this *decision*."""
        if not self._ended and has_data(self._output):
            self._catch_up()
        self._tail.mark(decision)

    async def log_tail(self) -> str:
        """Give the end of what it wrote to stdout and stderr."""
        return str(self._tail)

    async def peak_memory(self) -> int | None:
        """Give the most bytes that the process had in memory; None once it has ended, and where there is no /proc."""
        return peak_of_process(self.pid) if self._process.returncode is None else None

    async def _end(self) -> Exit:
        try:
            code = await self._process.wait()
        finally:
            self._kill_group()  # what it started must not outlive it
            self._clean_up()
        return Exit(code if code >= 0 else 128 - code)

    def _clean_up(self) -> None:
        self._catch_up()
        self._ended = True
        asyncio.get_running_loop().remove_reader(self._output)
        os.close(self._output)
        shutil.rmtree(self._home, ignore_errors=True)
        self._on_gone(self)

    def _catch_up(self) -> None:
        for _ in range(_LAST_CHUNKS):
            if not self._read():
                break

    def _read(self) -> bool:
        """Take what the pipe holds; whether there was anything."""
        try:
            data = os.read(self._output, _CHUNK)
        except BlockingIOError:
            return False
        if not data:  # closed by all who could write: a selector would report that for ever
            asyncio.get_running_loop().remove_reader(self._output)
        self._tail.write(data)
        return bool(data)

    def _kill_group(self) -> None:
        try:
            os.killpg(self.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):  # macOS says the latter of a group of zombies
            return


class _OutputMarker(NoController):
    """Labels the output of a process. Without special rights nothing else can be controlled."""

    def __init__(self, instance: ProcessInstance) -> None:
        self._instance = instance

    def mark(self, decision: int) -> None:
        """Label what it writes from now on with the number of this *decision*."""
        self._instance.mark(decision)


INHERITED = ("PATH", "LANG", "LC_ALL", "LC_CTYPE", "PYTHONPATH", "LD_LIBRARY_PATH", "SYSTEMROOT")
"""Variables a bot gets from us, if set; whatever else our environment holds (keys, tokens) is no bot's business."""


class ProcessSandbox:
    """Runs each instance as a child process, in the bot's folder, with this Python or with Node.js."""

    name = SandboxKind.PROCESS
    isolates = False

    def __init__(
        self, packages: Packages | None = None, instances: Instances = "warm", limits: ProcessLimits | None = None
    ) -> None:
        """
        Prepare a sandbox.

        Args:
            packages: Where the packages of bots come from; what pip is set to if None.
            instances: Whether instances may be forked, in Python, without packages, on Linux; or each starts afresh.
            limits: Of each instance that is forked; None: none.
        """
        self._instances: set[ProcessInstance] = set()
        self._server = ForkServer(_inherited(), limits) if CAN_FORK and instances == "warm" else None
        self._packages = packages or Packages()
        here = Path(__file__).parent
        self._witness = ProcessProgram(self._instances, here, [sys.executable, *WITNESS], "witness")

    async def prepare(self) -> None:
        """
        Start the process that forks bots, so that the first bot does not wait for it.

        Raises:
            SandboxError: If the system lets no process start.
        """
        if self._server is not None:
            await self._server.prepare()

    async def load(self, bot: BotSource) -> ProcessProgram:
        """
        Find the bot's main file, what runs it, and the packages that its requirements.txt names.

        Raises:
            BotRejected: If the bot is an image, its folder has no main file or cannot be read, or Node.js or a package
                is missing for it.
            SandboxError: If packages could not be fetched.
        """
        if bot.folder is None:
            raise BotRejected(
                f"{bot.name} is an image, and the process sandbox runs folders only. Use --sandbox docker."
            )
        command = _command(bot.folder)
        content = await asyncio.to_thread(content_of, bot)
        asked = Asked.by(content)
        lock, path = await asyncio.to_thread(self._install, asked)
        identity = f"sha256:{with_lock(content, lock).hash}"
        server = self._server if command[0] == sys.executable and path is None else None
        packages = None
        if lock is not None and path is not None:
            packages = _KeptPackages(path, partial(self._install, replace(asked, lock=lock.encode())))
        program = ProcessProgram(self._instances, bot.folder, command, identity, lock, packages, server)
        program.witness = self._witness
        return program

    def _install(self, asked: Asked) -> tuple[str | None, Path | None]:
        if not asked.anything:
            return None, None
        return install_locally(self._packages, asked)

    async def close(self) -> None:
        """Kill whatever still runs."""
        await asyncio.gather(*(instance.stop() for instance in list(self._instances)))
        if self._server is not None:
            await self._server.close()


class _KeptPackages:
    """The folder of a program's packages in the user's cache, from which what is not used is removed."""

    def __init__(self, path: Path, install: Callable[[], object]) -> None:
        self._path = path
        self._install = install
        """Makes the same folder again."""
        self._looking = asyncio.Lock()

    async def find(self) -> Path:
        """
        Find the folder, which counts as used now; make it again if it was removed.

        Raises:
            SandboxError: If that cannot be.
        """
        async with self._looking:
            if not use(self._path):
                try:
                    await asyncio.to_thread(self._install)
                except BotRejected as error:  # no fault of the bot, which was loaded with them
                    raise SandboxError(f"Packages that were removed are not available any more: {error}") from error
        return self._path


class ProcessProgram:
    """A bot's folder, ready to start."""

    def __init__(
        self,
        running: set[ProcessInstance],
        folder: Path,
        command: list[str],
        identity: str,
        lock: str | None = None,
        packages: _KeptPackages | None = None,
        server: ForkServer | None = None,
    ) -> None:
        self._running = running
        self._folder = folder
        self._command = command
        self._identity = identity
        self._lock = lock
        self._packages = packages
        self._server = server
        self.witness: ProcessProgram | None = None
        """See `Program`."""

    @property
    def identity(self) -> str:
        """`sha256:` and the hash of the folder's content, and of its lock."""
        return self._identity

    @property
    def lock(self) -> str | None:
        """Packages on its path; None: none."""
        return self._lock

    @property
    def can_fork(self) -> bool:
        """There is no container."""
        return False

    @property
    def runtime(self) -> None:
        """There are no containers."""

    @property
    def image_files(self) -> None:
        """There is no image."""

    @property
    def instance_kind(self) -> None:
        """There is no container."""

    def never_fork(self, end: Exit) -> None:
        """Start each further instance as a program of its own."""
        self._server = None

    async def start(self, mount: SeatMount) -> ProcessInstance:
        """
        Start one process, in a session of its own. It is forked if that can be done and its deals have a name.

        Raises:
            SandboxError: If the system lets no process start, or its packages were removed and cannot be fetched.
        """
        packages = await self._packages.find() if self._packages is not None else None
        with disk_errors(f"A folder in {mount.folder}"):
            home = tempfile.mkdtemp(prefix="home-", dir=mount.folder)
        output, writer = os.pipe()
        try:
            process = await self._process(mount, self.environment(mount, home, packages), writer)
        except BaseException as error:
            os.close(output)
            shutil.rmtree(home, ignore_errors=True)
            if isinstance(error, OSError):
                raise SandboxError(f"The bot's process could not be started: {error}") from error
            raise
        finally:
            os.close(writer)
        instance = ProcessInstance(process, output, Path(home), self._running.discard)
        self._running.add(instance)
        return instance

    def environment(self, mount: SeatMount, home: str, packages: Path | None) -> dict[str, str]:
        """
        Give the environment of one instance.

        Args:
            mount: Its seat.
            home: Its own temporary folder.
            packages: The folder of its packages; None: it has none.
        """
        inherited = _inherited()
        if packages is not None:
            path = [str(packages), *filter(None, [inherited.get("PYTHONPATH")])]
            inherited["PYTHONPATH"] = os.pathsep.join(path)
        return {**inherited, "HOME": home, "TMPDIR": home, **seat_variables(mount)}

    async def _process(self, mount: SeatMount, environment: dict[str, str], output: int) -> RunningProcess:
        if self._server is not None and mount.deals is not None:
            return await self._server.start(self._folder, self._command[1], environment, output)
        return await asyncio.create_subprocess_exec(
            *dying_with_us(self._command),
            cwd=self._folder,
            env=environment,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )


def _command(folder: Path) -> list[str]:
    if (folder / "bot.py").is_file():
        return [sys.executable, "bot.py"]
    if not (folder / "bot.js").is_file():
        raise BotRejected(
            f"The folder {folder} has neither a bot.py nor a bot.js, so the process sandbox cannot run it. Use "
            '--sandbox docker; or compile it, and name the program: "cmd:FOLDER/build/bot", or "lines:…" if it reads '
            "and writes lines."
        )
    node = shutil.which("node")
    if node is None:
        raise BotRejected(
            f"The bot in {folder} is written for Node.js, and there is no program named node on the PATH."
        )
    if _lacks_packages(folder):
        raise BotRejected(f"The packages of the bot in {folder} are not installed. Run this in that folder: npm ci")
    return [node, "bot.js"]


def _lacks_packages(folder: Path) -> bool:
    """Tell whether there are packages to install and none are, neither here nor further up, where Node.js looks too."""
    manifest = folder / "package.json"
    wanted = manifest.is_file() and '"dependencies"' in manifest.read_text(encoding="utf-8", errors="replace")
    return wanted and not any((place / "node_modules").is_dir() for place in (folder, *folder.parents))


def seat_variables(mount: SeatMount) -> dict[str, str]:
    """Give the variables by which a program finds its seat."""
    return {"PIGPEN_ADDRESS": f"unix:{mount.folder / SOCKET_NAME}", "PIGPEN_TOKEN": mount.token}


def _inherited() -> dict[str, str]:
    """Give the environment of all bots."""
    inherited = {name: os.environ[name] for name in INHERITED if name in os.environ}
    return inherited | {"PYTHONUNBUFFERED": "1", "PYTHONDONTWRITEBYTECODE": "1", **SAME_HASHES}
