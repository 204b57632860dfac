"""Nothing that a worker says runs in the coordinator or the scheduler's process, or takes all of their memory."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
import pytest_asyncio
from structlog.testing import capture_logs

from ladder.cluster.scheduler_process import InvalidAnswer, WorkerLost
from ladder.errors import SandboxError
from tests.ladder.cluster.clusters import Cluster
from tests.ladder.cluster.liar import REFUSED
from tests.waiting import PATIENCE

pytestmark = pytest.mark.asyncio(loop_scope="module")
GONE = "The worker has gone."
MAX_MIB = 400
"""More than the scheduler's process needs while it takes an answer of the greatest length; less than a gigabyte."""


class Liar:
    """A worker that lies."""

    def __init__(self, cluster: Cluster, folder: Path) -> None:
        self.cluster = cluster
        self._file = folder / "ran"
        words = (cluster.scheduler.address, str(cluster.certificates / "worker.pem"), str(self._file))
        self._program = cluster.python("tests.ladder.cluster.liar", *words)

    @property
    def ran(self) -> set[int]:
        """Processes, beside its own, in which pickles of it have run."""
        if not self._file.exists():
            return set()
        return set(map(int, self._file.read_text().split())) - {self._program.pid}

    async def tell(self, lie: str) -> str:
        """Let it tell a lie; give its answer."""
        task = json.dumps({"kind": "match", "match": 7, "attempt": 1, "lie": lie})
        async with asyncio.timeout(PATIENCE):
            while True:
                while not self.cluster.connected:
                    await self.cluster.joined("liar")
                (worker,) = self.cluster.connected
                try:
                    return await self.cluster.scheduler.play(worker, task)
                except WorkerLost as error:
                    if str(error) != GONE:
                        raise
                while worker in self.cluster.connected:  # the lie before has cost it its connection
                    await self.cluster.reports.get()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def liar(running: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Liar:
    return Liar(running, tmp_path_factory.mktemp("liar"))


@pytest.mark.parametrize(
    ("lie", "error", "sentence"),
    [
        ("exception", WorkerLost, "Its connection has ended."),
        ("event", WorkerLost, "Its connection has ended."),
        ("broken", WorkerLost, "Its connection has ended."),
        ("heartbeat", SandboxError, REFUSED),
        ("pickled", SandboxError, REFUSED),
        ("nonsense", InvalidAnswer, "It answered something that can be no answer."),
        ("number", InvalidAnswer, "It answered something that can be no answer."),
        ("endless", InvalidAnswer, "Its answer is longer than 96 MiB."),
    ],
)
async def test_a_lie_is_refused(liar: Liar, lie: str, error: type[SandboxError], sentence: str) -> None:
    with pytest.raises(SandboxError) as raised:
        await liar.tell(lie)
    assert (type(raised.value), str(raised.value)) == (error, sentence)
    assert liar.ran == set()
    assert peak_mib(liar.cluster.scheduler.pid) < MAX_MIB


async def test_of_a_message_of_a_gigabyte_hardly_anything_is_read(liar: Liar) -> None:
    assert int(await liar.tell("large")) < 64
    assert peak_mib(liar.cluster.scheduler.pid) < MAX_MIB


async def test_no_worker_becomes_a_client_or_gives_orders(liar: Liar) -> None:
    assert json.loads(await liar.tell("client")) == [None] * 3
    for lie in ("graph", "result", "warning"):
        assert await liar.tell(lie) == "told"
    assert liar.ran == set()


async def test_no_worker_answers_for_another_or_speaks_for_it(liar: Liar) -> None:
    with capture_logs() as logs:
        assert await liar.tell("noise") == "told"
        honest = asyncio.ensure_future(liar.tell("wait"))
        assert await liar.tell("stranger") == "told"
        assert await honest == "waited"
        async with asyncio.timeout(PATIENCE):
            while logs[-1:] != [{"event": "lie", "log_level": "info", "worker_name": "liar", "source": "worker"}]:
                await asyncio.sleep(0.01)  # it comes in another way than answers
    assert [each["event"] for each in logs if each["event"] != "worker.log_dropped"] == ["honest", "lie"]
    assert {each["worker_name"] for each in logs} == {"liar"}
    assert (liar.cluster.events, liar.cluster.progress) == ([], [])


def peak_mib(pid: int) -> int:
    """The most memory that a process has had."""
    (line,) = (line for line in Path(f"/proc/{pid}/status").read_text().splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) >> 10
