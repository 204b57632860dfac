"""Certificates of a cluster: how they are made, who may read them, when they are valid, and how others are refused."""

from __future__ import annotations

import re
import ssl
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import pytest

from ladder.app.ladder import Ladder
from ladder.cluster.certificates import (
    AUTHORITY_DAYS,
    CERTIFICATE_DAYS,
    make_authority,
    make_worker,
    read_identity,
)
from ladder.errors import UserError
from ladder.settings.settings import load_settings
from ladder.site.server.listening import Tls
from tests.ladder.site.certificates import make_pair
from tests.ladder.site.serving import served
from tests.waiting import PATIENCE

NOW = datetime(2026, 3, 1, tzinfo=UTC)


def test_only_this_user_may_read_what_is_made(tmp_path: Path) -> None:
    folder = tmp_path / "data" / "cluster"
    make_authority(folder)
    make_worker(folder, "mars", tmp_path / "mars.pem")
    assert folder.stat().st_mode & 0o777 == 0o700
    for file in (folder / "authority.pem", folder / "scheduler.pem", tmp_path / "mars.pem"):
        assert file.stat().st_mode & 0o777 == 0o600
    assert sorted(path.name for path in folder.iterdir()) == ["authority.pem", "scheduler.pem"]


def test_a_workers_file_holds_no_key_of_the_authority(certificates: Path) -> None:
    text = (certificates / "worker.pem").read_text()
    assert re.findall(r"BEGIN ([A-Z ]+)", text) == ["CERTIFICATE", "PRIVATE KEY", "CERTIFICATE"]
    (authority_key,) = re.findall(r"-----BEGIN PRIVATE.*", (certificates / "authority.pem").read_text(), re.DOTALL)
    assert authority_key not in text


def test_made_again_the_authority_stays_the_same(certificates: Path) -> None:
    before = {path: path.read_bytes() for path in certificates.iterdir()}
    make_authority(certificates)
    assert {path: path.read_bytes() for path in certificates.iterdir()} == before


def test_a_certificate_has_the_workers_name_and_an_end(tmp_path: Path) -> None:
    identity = make_worker(tmp_path, "mars", tmp_path / "mars.pem")
    assert identity.name == "mars"
    days = (identity.ends - datetime.now(UTC)) / timedelta(days=1)
    assert CERTIFICATE_DAYS - 1 < days <= CERTIFICATE_DAYS < AUTHORITY_DAYS


def test_a_file_is_never_written_over(certificates: Path, tmp_path: Path) -> None:
    file = tmp_path / "mars.pem"
    file.write_text("mine")
    with pytest.raises(UserError, match="is there already"):
        make_worker(certificates, "mars", file)
    assert file.read_text() == "mine"
    assert list(tmp_path.iterdir()) == [file]


def test_one_that_has_expired_says_when(tmp_path: Path) -> None:
    file = tmp_path / "mars.pem"
    make_worker(tmp_path, "mars", file, NOW)
    with pytest.raises(UserError, match=r"has expired: .* 2028-06-03"):
        read_identity(file, NOW + timedelta(days=CERTIFICATE_DAYS))


def test_one_that_is_not_good_yet_tells_of_the_clock(tmp_path: Path) -> None:
    make_worker(tmp_path, "mars", tmp_path / "mars.pem")
    with pytest.raises(UserError, match="Set the clock of"):
        read_identity(tmp_path / "mars.pem", datetime.now(UTC) - timedelta(days=2))


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"mars.pem .*pigpen cluster certs NAME"):
        read_identity(tmp_path / "mars.pem")


@pytest.mark.parametrize("text", ["", "garbage", "\N{PIG FACE}", "-----BEGIN CERTIFICATE-----\nMII\n"])
def test_what_is_no_certificate_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "mars.pem").write_text(text)
    with pytest.raises(UserError, match=r"mars\.pem is"):
        read_identity(tmp_path / "mars.pem")


def test_a_key_of_another_certificate_is_refused(certificates: Path, tmp_path: Path) -> None:
    make_worker(certificates, "venus", tmp_path / "venus.pem")
    own, _, authority = blocks(certificates / "worker.pem")
    _, key, _ = blocks(tmp_path / "venus.pem")
    (tmp_path / "mixed.pem").write_text(own + key + authority)
    with pytest.raises(UserError, match="what `pigpen cluster certs`"):
        read_identity(tmp_path / "mixed.pem")


def test_an_authority_that_made_another_certificate_is_refused(certificates: Path, tmp_path: Path) -> None:
    make_authority(tmp_path)
    own, key, _ = blocks(certificates / "worker.pem")
    (tmp_path / "mixed.pem").write_text(own + key + blocks(tmp_path / "authority.pem")[0])
    with pytest.raises(UserError, match="what `pigpen cluster certs`"):
        read_identity(tmp_path / "mixed.pem")


@pytest.mark.parametrize("path", ["/admin/workers", "/me", "/api/v1/me", "/api/v1/admin/workers"])
def test_a_workers_certificate_is_no_log_in_on_the_site(certificates: Path, tmp_path: Path, path: str) -> None:
    pair = make_pair(tmp_path)
    trusted = ssl.create_default_context(cafile=str(pair.certificate))
    trusted.load_cert_chain(certificates / "worker.pem")
    tls = Tls.of(load_settings(), (pair.certificate, pair.key))
    with (
        Ladder.open(load_settings(data_dir=tmp_path / "data"), create=True) as ladder,
        served(ladder, tls) as port,
        httpx.Client(verify=trusted, timeout=PATIENCE) as client,
    ):
        answer = client.get(f"https://127.0.0.1:{port}{path}")
    assert answer.status_code in (303, 401, 404)
    assert answer.status_code != 303 or answer.headers["location"].startswith("/login")


def blocks(file: Path) -> list[str]:
    """The blocks of a PEM file."""
    return re.findall(r"-----BEGIN.*?-----END[^\n]*\n", file.read_text(), re.DOTALL)
