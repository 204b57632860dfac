"""The cluster's certificates: names of workers, made on the coordinator's machine, and looked at before they expire."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from ladder.app.cluster.remarks import RENEW_DAYS, expiry
from ladder.cluster.certificates import SCHEDULER, certificates_folder, make_authority, make_worker, read_identity
from ladder.errors import UserError
from ladder.values.cluster import CertificateRow
from ladder.values.names import NAME_LENGTH

if TYPE_CHECKING:
    from pathlib import Path

    from ladder.cluster.certificates import Identity
    from ladder.settings.settings import Settings

NAME = re.compile(rf"[A-Za-z0-9][A-Za-z0-9._-]{{0,{NAME_LENGTH - 1}}}", re.ASCII)


def check_worker_name(name: str) -> None:
    """
    Check a worker's name.

    Raises:
        UserError: If it is none.
    """
    if not NAME.fullmatch(name):
        raise UserError(
            f"{name[:80]!r} is no name for a worker: letters, digits, '.', '_' and '-', at most {NAME_LENGTH}."
        )


def make_scheduler_certificate(settings: Settings) -> CertificateRow:
    """
    Make the authority and the scheduler's certificate where there are none; gives the scheduler's.

    Raises:
        UserError: If they cannot be written, or what is there is not good.
    """
    folder = certificates_folder(settings.data_dir)
    make_authority(folder)
    return _row(read_identity(folder / SCHEDULER))


def make_worker_certificate(settings: Settings, name: str, file: Path) -> CertificateRow:
    """
    Make a worker's certificate, and before it the authority if there is none.

    Args:
        settings: The ladder's.
        name: The worker's.
        file: Takes it; it must not be there.

    Raises:
        UserError: If the name is none for a worker, or the file cannot be written, or is there already.
    """
    check_worker_name(name)
    return _row(make_worker(certificates_folder(settings.data_dir), name, file))


def scheduler_remark(settings: Settings) -> str:
    """Say that the scheduler's certificate expires soon; empty: it does not, or it is on another machine."""
    file = certificates_folder(settings.data_dir) / SCHEDULER
    if not file.is_file():
        return ""
    try:
        ends = read_identity(file).ends
    except UserError as error:
        return str(error)
    days = (ends - datetime.now(UTC)).total_seconds() / 86_400
    return f"Scheduler: {expiry(days, f'remove {file} and restart the coordinator')}" if days < RENEW_DAYS else ""


def _row(identity: Identity) -> CertificateRow:
    return CertificateRow(name=identity.name, file=str(identity.file), expires=identity.ends)
