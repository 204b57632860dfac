"""Admission to a cluster's scheduler: workers let in, workers refused with a reason, and the ports that are open."""

from __future__ import annotations

import asyncio
import re
import socket
import ssl
from contextlib import suppress
from pathlib import Path

import pytest

from ladder.cluster.certificates import SchedulerUnreachable, make_worker, probe_scheduler, read_identity
from ladder.errors import UserError
from tests.ladder.cluster.clusters import Cluster
from tests.processes import listening
from tests.waiting import PATIENCE

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def test_who_has_a_certificate_of_the_cluster_is_let_in(cluster: Cluster) -> None:
    await probe_scheduler(cluster.scheduler.address, read_identity(cluster.certificates / "worker.pem"))


async def test_who_has_one_of_another_cluster_is_not_and_hears_why(cluster: Cluster, tmp_path: Path) -> None:
    stranger = make_worker(tmp_path, "stranger", tmp_path / "stranger.pem")
    with pytest.raises(UserError, match="is not the scheduler of this certificate's cluster"):
        await probe_scheduler(cluster.scheduler.address, stranger)


async def test_who_has_a_stolen_authority_but_no_certificate_is_not(cluster: Cluster, tmp_path: Path) -> None:
    """The authority's certificate is public: it is in each worker's file."""
    own = make_worker(tmp_path, "stranger", tmp_path / "stranger.pem")
    theirs = read_identity(cluster.certificates / "worker.pem")
    mixed = type(own)(own.file, own.name, theirs.authority, own.ends)
    with pytest.raises(UserError, match=r"does not accept the certificate .*stranger.pem: it is another cluster's"):
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
        with pytest.raises(UserError, match="is not the scheduler of this certificate's cluster"):
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
