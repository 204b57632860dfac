"""A PostgreSQL server for the tests: thrown away in the end, with the tests if they are killed."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import URL

from tests.processes import children
from tests.waiting import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

DEBIAN = Path("/usr/lib/postgresql")
LOCALE = ("--locale=C.UTF-8", "--encoding=UTF8")
QUICK = (
    "fsync=off",
    "full_page_writes=off",
    "synchronous_commit=off",
    "dynamic_shared_memory_type=mmap",
    "autovacuum=off",
)
"""Nothing of it is to outlive the tests, so nothing needs to reach the disk."""
LASTING = ("fsync=off", "full_page_writes=off", "dynamic_shared_memory_type=mmap")
"""Settings with which commits outlive `Server.kill`: the kernel has them."""


def programs() -> Path | None:
    """Folder of PostgreSQL's server programs, the newest ones; None if they are not installed."""
    on_path = shutil.which("initdb")
    found = sorted(DEBIAN.glob("*/bin/initdb"), key=lambda path: float(path.parts[-3]))
    return Path(on_path).resolve().parent if on_path else found[-1].parent if found else None


class Server:
    """A server that answers on a Unix socket alone."""

    def __init__(self, folder: Path, user: str, command: Sequence[str | Path]) -> None:
        self._folder, self._user, self._command = folder, user, command
        self._process = self._started()

    def kill(self) -> None:
        """End it as a power failure would."""
        self._process.kill()
        self._process.wait()

    def start(self) -> None:
        """Start it again after that: it waits for what is left of it to end."""
        self._process = self._started()

    def stop(self) -> None:
        """End it."""
        self._process.send_signal(signal.SIGINT)
        self._process.wait()

    @property
    def processes(self) -> list[int]:
        """The server's own process, and those that it has started."""
        return [self._process.pid, *children(self._process.pid)]

    def url(self, database: str, **changes: str) -> str:
        """SQLAlchemy's URL of one of its databases."""
        query = {"host": str(self._folder)}
        url = URL.create("postgresql+psycopg", username=self._user, database=database, query=query)
        return url.set(**changes).render_as_string(hide_password=False)  # type: ignore[arg-type]

    def libpq(self, database: str) -> str:
        """The same for PostgreSQL's own programs."""
        return f"host={self._folder} user={self._user} dbname={database}"

    @contextmanager
    def asking_for_passwords(self) -> Iterator[None]:
        """Meanwhile everybody needs a password, and nobody has one."""
        rules = self._folder / "data" / "pg_hba.conf"
        trusting = rules.read_text()
        rules.write_text("local all all scram-sha-256\n")
        try:
            self._reload()
            yield
        finally:
            rules.write_text(trusting)
            self._reload()

    def _started(self) -> subprocess.Popen[bytes]:
        end = time.monotonic() + PATIENCE  # one that was killed may first have to wait for its own processes
        while True:
            with (self._folder / "log").open("ab") as log:
                process = subprocess.Popen(self._command, stdout=log, stderr=log, cwd=self._folder)
            # pg_ctl's own way: the server says "ready" in the last line of its pid file.
            while process.poll() is None:
                if _is_ready(self._folder / "data" / "postmaster.pid", process.pid):
                    return process
                time.sleep(0.02)
            assert time.monotonic() < end, (self._folder / "log").read_text()
            time.sleep(0.1)

    def _reload(self) -> None:
        """Let the server read its files again, and wait until it has."""
        log = self._folder / "log"
        before = log.stat().st_size
        os.kill(int((self._folder / "data" / "postmaster.pid").read_text().split()[0]), signal.SIGHUP)
        while b"received SIGHUP" not in log.read_bytes()[before:]:
            time.sleep(0.01)


@contextmanager
def running_server(settings: Sequence[str] = QUICK) -> Iterator[Server]:
    """
    Run a server in a folder of its own, with these settings.

    PostgreSQL refuses to run as root, so root lets Debian's user for it, or nobody, run it. setpriv asks the kernel to
    stop the server (SIGQUIT: at once) when the thread that started it ends, however it ends.
    """
    bin_folder = programs()
    assert bin_folder, "PostgreSQL is not installed; see scripts/postgres"
    account = _account()
    with tempfile.TemporaryDirectory(prefix="pigpen-postgres-") as name:
        folder = Path(name)
        os.chown(folder, account.pw_uid, account.pw_gid)
        os.chmod(folder, 0o755)
        as_user = ["setpriv"]
        if os.geteuid() == 0:
            as_user += [f"--reuid={account.pw_uid}", f"--regid={account.pw_gid}", "--clear-groups"]
        subprocess.run(
            [*as_user, bin_folder / "initdb", "--auth=trust", "--no-sync", *LOCALE, "-U", account.pw_name,
             "-D", folder / "data"], check=True, capture_output=True, cwd=folder,
        )  # fmt: skip
        options = [f"--{setting}" for setting in settings]
        server = Server(folder, account.pw_name, [
            *as_user, "--pdeathsig=QUIT", bin_folder / "postgres", "-D", folder / "data", "-k", folder, "-h", "",
            *options,
        ])  # fmt: skip
        try:
            yield server
        finally:
            server.stop()


def _account() -> pwd.struct_passwd:
    if os.geteuid():
        return pwd.getpwuid(os.geteuid())
    try:
        return pwd.getpwnam("postgres")
    except KeyError:
        return pwd.getpwnam("nobody")


def _is_ready(pid_file: Path, pid: int) -> bool:
    try:
        lines = pid_file.read_text().splitlines()
    except FileNotFoundError:
        return False
    return lines[:1] == [str(pid)] and lines[7:8] == ["ready   "]
