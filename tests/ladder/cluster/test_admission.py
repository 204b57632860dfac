"""Admission to a cluster's scheduler: workers let in or refused with a reason, open ports, and the largest records."""

from __future__ import annotations

import asyncio
import re
import socket
import ssl
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from cryptography.x509.oid import ExtendedKeyUsageOID

from ladder.cluster.certificates import (
    AGAIN,
    ALERTS,
    ANOTHER,
    CERTIFICATE_DAYS,
    EARLIER,
    SCHEDULER,
    Identity,
    SchedulerUnreachable,
    certificate_of,
    make_authority,
    make_worker,
    probe_scheduler,
    read_identity,
)
from ladder.cluster.private_files import write_private
from ladder.errors import UserError
from ladder.worker.match_tasks import MatchOutcome
from ladder.worker.worker import MAX_RECORD
from tests.ladder.cluster.clusters import PIGPEN, Cluster
from tests.ladder.cluster.writer import record_of
from tests.ladder.worker.test_worker import ONE_DEAL
from tests.processes import listening
from tests.waiting import PATIENCE

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from cryptography.x509 import ObjectIdentifier

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def test_who_has_a_certificate_of_the_cluster_is_let_in(cluster: Cluster) -> None:
    await probe_scheduler(cluster.scheduler.address, read_identity(cluster.certificates / "worker.pem"))


async def test_who_has_one_of_another_cluster_is_not_and_hears_why(cluster: Cluster, tmp_path: Path) -> None:
    stranger = make_worker(tmp_path, "stranger", tmp_path / "stranger.pem")
    with pytest.raises(UserError, match="is not the scheduler"):
        await probe_scheduler(cluster.scheduler.address, stranger)


async def test_who_has_a_stolen_authority_but_no_certificate_is_not(cluster: Cluster, tmp_path: Path) -> None:
    """The authority's certificate is public: it is in each worker's file."""
    own = make_worker(tmp_path, "stranger", tmp_path / "stranger.pem")
    theirs = read_identity(cluster.certificates / "worker.pem")
    mixed = type(own)(own.file, own.name, theirs.authority, own.ends)
    with pytest.raises(UserError, match=rf"certificate .*stranger.pem: {ANOTHER}"):
        await probe_scheduler(cluster.scheduler.address, mixed)


@pytest.mark.parametrize("has_tls", [True, False])
async def test_who_shows_no_certificate_hears_nothing(cluster: Cluster, has_tls: bool) -> None:
    context = ssl.create_default_context(cafile=cluster.certificates / "authority.pem")
    context.check_hostname = False
    host, port = "127.0.0.1", int(cluster.scheduler.address.rpartition(":")[2])
    reader, writer = await asyncio.open_connection(host, port, ssl=context if has_tls else None)
    writer.write(b"\0" * 100)
    received = b""
    async with asyncio.timeout(PATIENCE):
        with suppress(OSError):  # an alert of TLS is one
            received = await reader.read()
    # In plain text, TLS answers with an alert: seven bytes.
    assert len(received) <= 7
    writer.close()
    with suppress(OSError):
        await writer.wait_closed()


async def test_no_workers_certificate_is_taken_for_a_schedulers(certificates: Path) -> None:
    identity = read_identity(certificates / "worker.pem")
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificates / "worker.pem")
    server = await asyncio.start_server(lambda *_: None, "127.0.0.1", 0, ssl=context)
    async with server:
        port = server.sockets[0].getsockname()[1]
        with pytest.raises(UserError, match="is not the scheduler"):
            await probe_scheduler(f"tls://127.0.0.1:{port}", identity)


async def test_where_nobody_listens_that_is_said(certificates: Path) -> None:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        address = f"tls://127.0.0.1:{held.getsockname()[1]}"
        with pytest.raises(SchedulerUnreachable, match="refused"):
            await probe_scheduler(address, read_identity(certificates / "worker.pem"))


async def test_what_does_not_speak_tls_is_no_scheduler(certificates: Path) -> None:
    async def answer(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"220 mail.example ESMTP\r\n")
        writer.close()
        await writer.wait_closed()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        with pytest.raises(SchedulerUnreachable, match="does not speak TLS"):
            await probe_scheduler(f"tls://127.0.0.1:{port}", read_identity(certificates / "worker.pem"))


async def test_one_port_is_open_and_none_of_workers_to_the_network(cluster: Cluster) -> None:
    program = cluster.worker()
    await cluster.joined()
    assert listening(cluster.scheduler.pid) == {cluster.scheduler.address.removeprefix("tls://")}
    (inner,) = listening(program.pid)
    assert re.fullmatch(r"127\.\d+\.\d+\.\d+:\d+", inner)


WORKER, SERVER = ExtendedKeyUsageOID.CLIENT_AUTH, ExtendedKeyUsageOID.SERVER_AUTH
LIFE = timedelta(days=CERTIFICATE_DAYS)
LATE, EARLY = datetime.now(UTC) - LIFE - EARLIER, datetime.now(UTC) + 2 * EARLIER
"""Times of making of certificates that are no longer good, or not yet."""


def has_come(cluster: Cluster) -> bool:
    """True if a worker has joined that no test has waited for."""
    waiting = [cluster.reports.get_nowait() for _ in range(cluster.reports.qsize())]
    return bool(cluster.connected) or "joined" in {report.event for report in waiting}


def unchecked(certificates: Path, file: Path) -> Identity:
    """Give what a worker comes with whose clock, or whose program, finds nothing wrong with its certificate."""
    return Identity(file, file.stem, read_identity(certificates / "worker.pem").authority, datetime.now(UTC) + LIFE)


@pytest.mark.parametrize(
    ("made", "use", "alert"),
    [
        (LATE, WORKER, "CERTIFICATE_EXPIRED"),
        (EARLY, WORKER, "BAD_CERTIFICATE"),
        (datetime.now(UTC), SERVER, "UNSUPPORTED_CERTIFICATE"),
    ],
    ids=["expired", "early", "server"],
)
async def test_a_certificate_that_is_not_good_is_refused_by_the_scheduler_and_the_reason_is_said(
    cluster: Cluster, tmp_path: Path, made: datetime, use: ObjectIdentifier, alert: str
) -> None:
    file = tmp_path / "mars.pem"
    write_private(file, certificate_of(cluster.certificates, "mars", [use], made))
    with pytest.raises(UserError, match=f"{file}: {ALERTS[alert]}. {AGAIN}"):
        await probe_scheduler(cluster.scheduler.address, unchecked(cluster.certificates, file))
    assert not has_come(cluster)


@pytest.mark.parametrize("kind", ["expired", "early", "foreign", "worthless", "missing"])
async def test_the_worker_that_is_typed_ends_with_one_sentence(cluster: Cluster, tmp_path: Path, kind: str) -> None:
    file = tmp_path / f"{kind}.pem"
    if kind in ("expired", "early"):
        make_worker(cluster.certificates, "mars", file, LATE if kind == "expired" else EARLY)
    elif kind == "foreign":
        make_worker(tmp_path, "mars", file)
    elif kind == "worthless":
        file.write_text("no certificate")
    program = cluster.python(PIGPEN, "worker", cluster.scheduler.address, "--certificate", str(file), "--name", "mars")
    printed, _ = await asyncio.to_thread(program.communicate)
    assert program.returncode == 2, printed
    (sentence,) = printed.splitlines()
    assert (str(file) in sentence) == (kind != "foreign")
    assert (cluster.scheduler.address in sentence) == (kind == "foreign")
    assert not has_come(cluster)


@asynccontextmanager
async def schedulers_place(file: Path) -> AsyncIterator[str]:
    """Serve TLS with a certificate where a scheduler is expected."""
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(file)

    async def answer(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            writer.write(b"\0" * 8)
            await writer.drain()

    async with await asyncio.start_server(answer, "127.0.0.1", 0, ssl=context) as server:
        yield f"tls://127.0.0.1:{server.sockets[0].getsockname()[1]}"


@pytest.mark.parametrize(("made", "way_out"), [(LATE, f"delete {SCHEDULER}"), (EARLY, "Set the clock")])
async def test_a_scheduler_whose_certificate_is_not_good_is_refused_and_its_organiser_is_told_the_way_out(
    certificates: Path, tmp_path: Path, made: datetime, way_out: str
) -> None:
    file = tmp_path / SCHEDULER
    write_private(file, certificate_of(certificates, "scheduler", [SERVER], made))
    async with schedulers_place(file) as address:
        with pytest.raises(UserError, match=f"coordinator at {address} .*{way_out}"):
            await probe_scheduler(address, read_identity(certificates / "worker.pem"))


@pytest.mark.parametrize("name", ["scheduler", "127.0.0.1", "localhost"])
async def test_no_name_makes_a_workers_certificate_a_schedulers(certificates: Path, tmp_path: Path, name: str) -> None:
    file = tmp_path / "mars.pem"
    make_worker(certificates, name, file)
    async with schedulers_place(file) as address:
        with pytest.raises(UserError, match=f"{address} is not the scheduler"):
            await probe_scheduler(address, read_identity(certificates / "worker.pem"))


async def test_a_worker_whose_certificate_is_taken_back_says_so_and_does_not_come_in_again(tmp_path: Path) -> None:
    """All certificates are taken back by a new authority."""
    old, new = tmp_path / "old", tmp_path / "new"
    make_authority(old)
    make_worker(old, "mars", old / "worker.pem")
    make_authority(new)
    cluster = Cluster(old)
    await cluster.start()
    try:
        program = cluster.worker()
        await cluster.joined()
        address = cluster.scheduler.address
        await cluster.scheduler.close()
        cluster.certificates = new
        await cluster.start(address)
        assert program.stdout is not None
        while address not in (line := await asyncio.to_thread(program.stdout.readline)) or AGAIN not in line:
            assert line, "it has ended without a word"
        assert program.poll() is None, "the coordinator's machine may be being set up again"
        program.terminate()
        rest, _ = await asyncio.to_thread(program.communicate)
        assert AGAIN not in rest, "printed twice"
        assert cluster.connected == set()
    finally:
        await cluster.close()


async def test_what_a_worker_opens_on_its_own_machine_lets_nobody_in(cluster: Cluster, tmp_path: Path) -> None:
    program = cluster.worker()
    await cluster.joined()
    (inner,) = listening(program.pid)
    stranger = make_worker(tmp_path, "stranger", tmp_path / "stranger.pem")
    with pytest.raises(UserError):
        await probe_scheduler(f"tls://{inner}", stranger)
    theirs = read_identity(cluster.certificates / "worker.pem")
    with pytest.raises(UserError):
        await probe_scheduler(
            f"tls://{inner}", type(stranger)(stranger.file, stranger.name, theirs.authority, theirs.ends)
        )
    reader, writer = await asyncio.open_connection(*inner.split(":"))
    writer.write(b"\0" * 100)
    async with asyncio.timeout(PATIENCE):
        with suppress(OSError):
            assert len(await reader.read()) <= 7, "an alert of TLS"
    writer.close()
    assert program.poll() is None


def start_writer(cluster: Cluster, folder: Path) -> None:
    """Let it come."""
    certificate = str(cluster.certificates / "worker.pem")
    cluster.python("tests.ladder.cluster.writer", cluster.scheduler.address, certificate, str(folder))


async def test_the_largest_record_comes_back_as_it_was(cluster: Cluster, tmp_path: Path) -> None:
    start_writer(cluster, tmp_path)
    worker = await cluster.joined()
    for size in (MAX_RECORD, 1):
        task = ONE_DEAL.model_copy(update={"match": size})
        outcome = MatchOutcome.model_validate_json(await cluster.scheduler.play(worker, task.model_dump_json()))
        assert (outcome.match, outcome.record == record_of(size)) == (size, True)
