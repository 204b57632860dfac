"""Fixtures of the whole suite; tests whose outside programs are missing are left out by name."""

from __future__ import annotations

import gc
import json
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from xdist.scheduler import LoadScopeScheduling

from ladder.errors import SandboxError
from ladder.sandbox.docker.engine import connect
from pigpen import ClockSetting, Welcome
from pigpen.rules import PRESETS
from tests.e2e.machines import why_none
from tests.ladder import postgres, prometheus, registries
from tests.ladder.every_database import ON_POSTGRESQL, EveryLadder, every_ladder_in_postgresql
from tests.ladder.site import nginx
from tests.ladder.site.browser import chromium, firefox
from tests.ladder.statements import compiled_once
from tests.seeds import SeedsOfTests
from tests.waiting import PATIENCE

OWN_MOUNTS = ("unshare", "--user", "--map-root-user", "--mount")
"""Runs a command that sees mounts of its own."""
MARKERS = (
    "bare",
    "chromium",
    "compose",
    "docker",
    "docs",
    "firefox",
    "machines",
    "mounts",
    "nginx",
    "node",
    "postgres",
    "registry",
    "root",
    "runsc",
    "slurm",
    "systemd",
    "toolchains",
)
# Seven thousand tests are a million objects that live to the end: looking at them again and again takes a sixth of the
# time of a run.
gc.disable()
ROOM = 8 << 30
"""Bytes that must be free for temporary files in memory; `make test` takes 1.3 GB."""
SEEDS = SeedsOfTests()
LEFT_OUT = pytest.StashKey[dict[str, list[str]]]()
"""Names of the tests that were left out, by the reason."""
LEFT_OUT_FILE = os.environ.pop("SUITE_LEFT_OUT", None)
"""File for the reasons: `scripts/ran` asks for it. No worker writes it, nor a pytest that a test runs."""
SPREAD = (
    "tests/bad_bots/test_bad_images",
    "tests/benchmarks/",
    "tests/e2e/test_command",
    "tests/e2e/test_ladder_run",
    "tests/e2e/test_readme",
    "tests/e2e/test_submit_",
    "tests/ladder/cli/test_submit",
    "tests/ladder/app/submit/test_entering",
    "tests/ladder/matches/",
    "tests/sample_bots/",
)
"""Modules that take long, and whose tests share next to nothing."""
TOGETHER = ("tests/e2e/installed/", "tests/e2e/test_node_", "tests/ladder/site/browser/")
"""Beginnings of the names of modules that share things that take long to make."""


def pytest_collection_finish() -> None:
    """Look for garbage among what tests make, and not among the tests."""
    gc.freeze()
    gc.enable()


def _missing() -> dict[str, str]:
    """Each marker whose program is missing, and why."""
    missing = {}
    try:
        client = connect()
    except SandboxError as error:
        missing["docker"] = missing["runsc"] = str(error)
    else:
        if "runsc" not in client.api.info()["Runtimes"]:
            missing["runsc"] = "The engine does not know the runtime runsc. On Debian, as root: scripts/runsc"
        client.close()
    if find_spec("mkdocs") is None:
        missing["docs"] = "What builds the documentation is not installed: scripts/docs --tools"
    if os.geteuid() != 0:
        missing["root"] = (
            "This user is not root, who alone may hold processes of others still, look into them, or give files away."
        )
    if not _may_mount():
        missing["mounts"] = "This user may not mount a file system of its own (unshare --user --mount)."
    if why := why_none():
        missing["machines"] = why
    if os.geteuid() != 0 or not (shutil.which("mmdebstrap") and shutil.which("unshare")):
        missing["bare"] = "A bare machine is made by root with mmdebstrap, which is not there."
    if not (shutil.which("node") and shutil.which("npm")):
        missing["node"] = "Node.js and npm are not installed."
    if not chromium.program():
        missing["chromium"] = "Chromium is not installed. On Debian, as root: scripts/chromium"
    if not firefox.program():
        missing["firefox"] = "Firefox is not installed. On Debian, as root: scripts/firefox"
    if not postgres.programs():
        missing["postgres"] = "PostgreSQL's server is not installed. On Debian, as root: scripts/postgres"
    if not registries.program():
        missing["registry"] = "docker-registry is not there. On Debian: scripts/program docker-registry"
    if not all(map(shutil.which, ("munged", "slurmctld", "slurmd"))):
        missing["slurm"] = "Slurm is not installed. On Debian, as root: scripts/slurm"
    if not shutil.which("docker-compose"):
        missing["compose"] = "docker-compose is not installed. On Debian, as root: scripts/compose"
    if not shutil.which("systemd-analyze"):
        missing["systemd"] = "systemd is not installed."
    if not all(
        map(shutil.which, ("g++", "go", "make", "grpc_cpp_plugin", "protoc-gen-go-grpc", "cargo", "javac", "mcs"))
    ):
        missing["toolchains"] = (
            "Compilers of the starter kits, or gRPC for them, are missing. On Debian, as root: scripts/toolchains"
        )
    if not nginx.program():
        missing["nginx"] = "nginx is not there. On Debian: scripts/program nginx"
    if not prometheus.program("promtool"):
        missing["prometheus"] = "Prometheus is not there. On Debian: scripts/program prometheus"
    return missing


def _may_mount() -> bool:
    try:
        return subprocess.run([*OWN_MOUNTS, "true"], capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        return False


def remove(folder: str | Path) -> None:
    """Remove a folder, also one that is nested more deeply than Python's recursion reaches."""
    subprocess.run(["rm", "-rf", "--", folder], check=False, stderr=subprocess.DEVNULL)


def temporary_folder(memory: str = "/dev/shm") -> str:
    """
    Make a folder for temporary files, in memory where that has room for them and lets programs run.

    Tests write thousands of small databases and records that nobody wants after a minute. What a run that was killed
    has left in memory is removed. The name is short: the path of a socket has at most 107 characters. Other users may
    go in: PostgreSQL's server does.
    """
    folder = None
    if "TMPDIR" not in os.environ and os.access(memory, os.W_OK):
        for left in Path(memory).glob("pt-*"):
            if left.name == f"pt-{os.getpid()}" or not Path("/proc", left.name.removeprefix("pt-")).exists():
                remove(left)
        found = os.statvfs(memory)
        if found.f_bavail * found.f_frsize >= ROOM and not found.f_flag & os.ST_NOEXEC:
            folder = f"{memory}/pt-{os.getpid()}"
            os.mkdir(folder)
    folder = folder or tempfile.mkdtemp(prefix="pt-")
    os.chmod(folder, 0o755)
    return folder


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """
    Hear Ctrl-C also where a script runs the suite in the background; all that tests start inherits that.

    A worker of pytest-xdist has temporary files of its own: what is swept there is no other worker's. So has a run in
    one process, whose paths are short then, unless it has a `--basetemp`. To which ladder the user of the suite has
    logged in matters to no test. Programs write their output as they do for a user.
    """
    pytest.MonkeyPatch().setattr("pigpen.rules.shuffle.token_bytes", SEEDS)
    os.environ.pop("PYTHONUNBUFFERED", None)
    os.environ["XDG_CONFIG_HOME"] = os.path.join(tempfile.gettempdir(), f"nobody-has-logged-in-{os.geteuid()}")
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if _is_worker(config) or not (config.option.basetemp or getattr(config.option, "numprocesses", None)):
        folder = temporary_folder()
        os.environ["TMPDIR"] = tempfile.tempdir = folder
        config.option.basetemp = f"{folder}/t"
        config.add_cleanup(lambda: remove(folder))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Let the seeds that are drawn from now on follow from this test's name."""
    SEEDS.begin(item.nodeid)


def _is_worker(config: pytest.Config) -> bool:
    return hasattr(config, "workerinput")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect tests whose outside program is missing. Those that may take longest come first."""
    left_out: dict[str, list[str]] = {}
    if any(item.get_closest_marker(marker) for item in items for marker in MARKERS):
        for marker, reason in _missing().items():
            affected = [item for item in items if item.get_closest_marker(marker)]
            if affected:
                left_out.setdefault(reason, []).extend(item.nodeid for item in affected)
                config.hook.pytest_deselected(items=affected)
                items[:] = [item for item in items if item not in affected]
    if ON_POSTGRESQL:  # what is about a file of SQLite's has been tested in every other run
        items[:] = [item for item in items if not _is_of_sqlite(item)]
    items[:] = [item for item in items if not (item.get_closest_marker("sqlite") and _backend(item) == "postgresql")]
    items.sort(key=lambda item: item.get_closest_marker("timeout") is None)
    config.stash[LEFT_OUT] = left_out
    if _is_worker(config):
        config.workeroutput["left_out"] = left_out  # type: ignore[attr-defined]


def _is_of_sqlite(item: pytest.Item) -> bool:
    return item.get_closest_marker("sqlite") is not None or _backend(item) == "sqlite"


def _backend(item: pytest.Item) -> object:
    return item.callspec.params.get("backend") if hasattr(item, "callspec") else None


@pytest.fixture
def few_playouts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Decisions are estimated from few deals, and house bots sample few: for tests of what is told, not how good."""
    from ladder.matches import choice_costs, estimate, opinion
    from pigpen import search

    monkeypatch.setattr(opinion, "FULL", estimate.Effort(cards=200, searched=100, sealed=48, first=600))
    monkeypatch.setattr(choice_costs, "EFFORT", estimate.Effort(cards=20, searched=0, sealed=12, first=60))
    monkeypatch.setattr(estimate, "HINDSIGHT", 10)
    for name in ("MAX_SEALED_DEALS", "MAX_CARD_TRIALS", "MAX_SCREENING_DEALS"):
        monkeypatch.setattr(search, name, 2)
    monkeypatch.setattr(search.TreeBot, "trials", 2)


class Scheduling(LoadScopeScheduling):  # type: ignore[misc]
    """
    A module's tests share its fixtures and run in one worker; those of `SPREAD` run wherever there is room, and the
    modules that begin in one of the ways of `TOGETHER` run in one worker.
    """

    def _split_scope(self, nodeid: str) -> str:
        module = nodeid.partition("::")[0]
        if module.startswith(SPREAD):
            return nodeid
        return next((folder for folder in TOGETHER if module.startswith(folder)), module)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> LoadScopeScheduling:
    """Tests are given to workers in the order in which they are collected."""
    config.option.loadscopereorder = False
    return Scheduling(config, log)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Hear from a worker what it has left out; all of them leave out the same."""
    node.config.stash[LEFT_OUT] = getattr(node, "workeroutput", {}).get("left_out", {})


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Name what was left out, and why."""
    if LEFT_OUT_FILE:
        Path(LEFT_OUT_FILE).write_text(json.dumps([*config.stash.get(LEFT_OUT, {})]), "utf-8")
    for reason, names in config.stash.get(LEFT_OUT, {}).items():
        terminalreporter.section(f"{len(names)} tests left out")
        terminalreporter.line(reason)
        for name in names:
            terminalreporter.line(f"  {name}")


@pytest.fixture(autouse=True)
def _no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test sees a seat that a bot around the suite may have, nor an organiser's settings."""
    for name in [name for name in os.environ if name.startswith("PIGPEN_")]:
        monkeypatch.delenv(name)


@pytest.fixture(scope="session", autouse=True)
def _every_ladder() -> Iterator[EveryLadder | None]:
    """In a run of `make test-postgres`: the databases of all ladders."""
    if not ON_POSTGRESQL:
        yield None
        return
    with every_ladder_in_postgresql() as every:
        yield every


@pytest.fixture(scope="session", autouse=True)
def _compiled_once() -> Iterator[None]:
    """Statements are compiled once for all ladders."""
    with compiled_once():
        yield


@pytest.fixture(autouse=True)
def _no_ladder_is_left(_every_ladder: EveryLadder | None, request: pytest.FixtureRequest) -> Iterator[None]:
    """Remove the databases of a test's own ladders."""
    if _every_ladder is None:
        yield
        return
    folder: Path = request.getfixturevalue("tmp_path")
    yield
    _every_ladder.forget(folder)


@pytest.fixture
def welcome() -> Welcome:
    """Give the welcome of a bot in a short match of hearts."""
    return Welcome(PRESETS["hearts"], 0, "deals:1", ClockSetting(60.0, 0.1, 1.0, start_up=PATIENCE))
