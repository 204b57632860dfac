"""
The cluster's own authority, and the certificates with which its scheduler and workers know each other.

A certificate and its key are one file, which only this user may read: certificate, key, then the authority's
certificate, as PEM. A certificate says what it may be used for: a worker's is not accepted as a scheduler's.

`probe_scheduler` finds out whether a scheduler would let a worker in, and if not, why: Dask would try for ever and not
say.
"""

from __future__ import annotations

import asyncio
import os
import re
import ssl
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from ladder.cluster.private_files import make_private, write_private
from ladder.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Iterable


AUTHORITY_DAYS = 3650
CERTIFICATE_DAYS = 825
"""Days that a scheduler's or a worker's certificate is valid."""
EARLIER = timedelta(days=1)
"""Time before its creation from which a certificate is valid: the clocks of machines differ."""
AUTHORITY = "authority.pem"
"""The authority's certificate and key: they never leave the coordinator's machine."""
SCHEDULER = "scheduler.pem"
AGAIN = "Make one on the coordinator's machine: pigpen cluster certs NAME"
AGAIN_SCHEDULER = "Delete the file, then make another one: pigpen cluster certs"
_PEM = re.compile(r"-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----\n?", re.DOTALL)


@dataclass(frozen=True)
class Identity:
    """A certificate with its key, in a file, and the authority that it comes from."""

    file: Path
    name: str
    authority: str
    """The authority's certificate, as PEM."""
    ends: datetime


def certificates_folder(data_dir: Path) -> Path:
    """Give the folder with the authority and the scheduler's certificate, in the ladder's."""
    return data_dir / "cluster"


def make_authority(folder: Path, now: datetime | None = None) -> None:
    """
    Make the authority and the scheduler's certificate, where there are none; what is there stays.

    Args:
        folder: Takes both; only this user may read it.
        now: From when they are valid; None: from now on.

    Raises:
        UserError: If they cannot be written.
    """
    now = now or datetime.now(UTC)
    make_private(folder)
    if not (folder / AUTHORITY).exists():
        key = ec.generate_private_key(ec.SECP256R1())
        name = _name("Pigpen cluster")
        made = _draft(name, name, key.public_key(), now, AUTHORITY_DAYS)
        usage = x509.KeyUsage(
            digital_signature=True, key_cert_sign=True, crl_sign=True, content_commitment=False,
            key_encipherment=False, data_encipherment=False, key_agreement=False, encipher_only=False,
            decipher_only=False,
        )  # fmt: skip
        made = made.add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        made = made.add_extension(usage, critical=True)
        made = made.add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        write_private(folder / AUTHORITY, _pem(made.sign(key, hashes.SHA256())) + _pem(key))
    scheduler = folder / SCHEDULER
    if not scheduler.exists():
        both = [ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH]
        write_private(scheduler, certificate_of(folder, "scheduler", both, now))


def make_worker(folder: Path, name: str, file: Path, now: datetime | None = None) -> Identity:
    """
    Make a worker's certificate, from the authority in *folder*.

    Args:
        folder: Where `make_authority` has put the authority.
        name: Of the worker, for people to tell the files apart.
        file: Takes it; it must not be there.
        now: From when it is valid; None: from now on.

    Raises:
        UserError: If it cannot be written, or is there already.
    """
    make_authority(folder, now)
    write_private(file, certificate_of(folder, name, [ExtendedKeyUsageOID.CLIENT_AUTH], now or datetime.now(UTC)))
    return read_identity(file, now)


def read_identity(file: Path, now: datetime | None = None) -> Identity:
    """
    Read a certificate, with its key and its authority, and check that it is valid.

    Args:
        file: The file.
        now: When it must be valid; None: now.

    Raises:
        UserError: If it is missing, is none, or is not valid now.
    """
    again = AGAIN_SCHEDULER if file.name == SCHEDULER else AGAIN
    try:
        text = file.read_text("ascii")
    except OSError as error:
        raise UserError(f"The certificate {file} cannot be read: {error.strerror}. {again}") from error
    except ValueError:
        raise UserError(f"{file} is no certificate. {again}") from None
    try:
        own, authority = map(_certificate, _PEM.findall(text))
        _check_pair(text, own, authority)
    except (ValueError, TypeError, InvalidSignature):
        raise UserError(
            f"{file} is not what `pigpen cluster certs` writes: a certificate, its key and its authority. {again}"
        ) from None
    now = now or datetime.now(UTC)
    ends = min(own.not_valid_after_utc, authority.not_valid_after_utc)
    if now >= ends:
        raise UserError(f"The certificate {file} has expired: it was good until {ends:%Y-%m-%d}. {again}")
    if now < (begin := own.not_valid_before_utc):
        raise UserError(f"The certificate {file} is good from {begin:%Y-%m-%d} on. Set the clock of this machine.")
    (name,) = (str(each.value) for each in own.subject.get_attributes_for_oid(NameOID.COMMON_NAME))
    return Identity(file, name, _pem(authority), ends)


def _check_pair(text: str, own: x509.Certificate, authority: x509.Certificate) -> None:
    own.verify_directly_issued_by(authority)
    key = serialization.load_pem_private_key(text.encode(), None)
    if key.public_key() != own.public_key():
        raise ValueError("the key is another certificate's")


def certificate_of(folder: Path, name: str, uses: Iterable[x509.ObjectIdentifier], now: datetime) -> str:
    """
    Make a key and a certificate for it.

    Args:
        folder: Where the authority is.
        name: Of the scheduler or worker.
        uses: What it is good for, as the extension ``extendedKeyUsage`` has it.
        now: From when it is valid.

    Returns:
        What the file is to hold.
    """
    authority, authority_key = _authority(folder / AUTHORITY)
    key = ec.generate_private_key(ec.SECP256R1())
    made = _draft(_name(name), authority.subject, key.public_key(), now, CERTIFICATE_DAYS)
    made = made.add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
    made = made.add_extension(x509.ExtendedKeyUsage(uses), critical=False)
    made = made.add_extension(
        x509.AuthorityKeyIdentifier.from_issuer_public_key(authority_key.public_key()), critical=False
    )
    return _pem(made.sign(authority_key, hashes.SHA256())) + _pem(key) + _pem(authority)


def _authority(file: Path) -> tuple[x509.Certificate, ec.EllipticCurvePrivateKey]:
    with suppress(OSError, ValueError):
        text = file.read_bytes()
        key = serialization.load_pem_private_key(text, None)
        if isinstance(key, ec.EllipticCurvePrivateKey):
            return x509.load_pem_x509_certificate(text), key
    raise UserError(f"The authority {file} cannot be read. Delete it and make all certificates of the cluster again.")


def _draft(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePublicKey, now: datetime, days: int
) -> x509.CertificateBuilder:
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - EARLIER)
        .not_valid_after(now + timedelta(days=days))
    )


def _name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def _certificate(pem: str) -> x509.Certificate:
    return x509.load_pem_x509_certificate(pem.encode())


def _pem(of: x509.Certificate | ec.EllipticCurvePrivateKey) -> str:
    if isinstance(of, x509.Certificate):
        return of.public_bytes(serialization.Encoding.PEM).decode()
    return of.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    ).decode()


PROBE_SECONDS = 15.0
"""Seconds without an answer after which an address counts as no scheduler."""


class SchedulerUnreachable(Exception):
    """No scheduler answers yet; trying again later may help."""


async def probe_scheduler(address: str, identity: Identity, seconds: float = PROBE_SECONDS) -> None:
    """
    Connect, and wait until the scheduler says something.

    Args:
        address: ``tls://HOST:PORT``.
        identity: With what the worker comes.
        seconds: Seconds that it may take.

    Raises:
        SchedulerUnreachable: If nothing answers, or not as a scheduler does.
        UserError: If one of both does not accept the other's certificate.
    """
    host, _, port = address.removeprefix("tls://").rpartition(":")
    try:
        async with asyncio.timeout(seconds):
            reader, writer = await asyncio.open_connection(host.strip("[]"), int(port), ssl=_context(identity))
            try:
                await reader.readexactly(1)  # it comes when the scheduler has accepted the certificate
            finally:
                writer.close()
                with suppress(OSError, ssl.SSLError):
                    await writer.wait_closed()
    except ssl.SSLCertVerificationError as error:
        raise UserError(_refusal(address, error)) from error
    except ssl.SSLError as error:
        if "ALERT" not in str(error.reason):
            raise SchedulerUnreachable(f"it does not speak TLS: {error.reason}") from error
        why = next((why for alert, why in ALERTS.items() if alert in str(error.reason)), ANOTHER)
        raise UserError(
            f"The coordinator at {address} does not accept the certificate {identity.file}: {why}. {AGAIN}"
        ) from error
    except asyncio.IncompleteReadError as error:
        raise SchedulerUnreachable("it ends the connection at once") from error
    except TimeoutError as error:
        raise SchedulerUnreachable(f"no answer in {seconds:g} seconds") from error
    except OSError as error:
        raise SchedulerUnreachable(os.strerror(error.errno).lower() if error.errno else str(error)) from error


ALERTS = {
    "CERTIFICATE_EXPIRED": "by its clock it has expired. Compare the clocks of both machines",
    "BAD_CERTIFICATE": "by its clock it is not good yet, or it is damaged. Compare the clocks of both machines",
    "UNSUPPORTED_CERTIFICATE": "it is not a worker's",
}
"""Reasons that OpenSSL of the other side gives."""
ANOTHER = "it is another cluster's, or its authority has been made anew since"
_EXPIRED, _NOT_YET_VALID = 10, 9
"""Numbers of OpenSSL, X509_V_ERR_CERT_HAS_EXPIRED and X509_V_ERR_CERT_NOT_YET_VALID."""


def _refusal(address: str, error: ssl.SSLCertVerificationError) -> str:
    """Say why a worker does not accept the certificate of a scheduler."""
    if error.verify_code == _EXPIRED:
        return (
            f"The certificate of the coordinator at {address} has expired, by the clock of this machine. If that clock "
            f"is right, its organiser makes another one: delete {SCHEDULER}, then pigpen cluster certs"
        )
    if error.verify_code == _NOT_YET_VALID:
        return (
            f"The certificate of the coordinator at {address} is not good yet, by the clock of this machine. "
            "Set the clock of this machine, or that of the coordinator's."
        )
    return (
        f"The server at {address} is not the scheduler of this certificate's cluster ({error.verify_message}). {AGAIN}"
    )


def _context(identity: Identity) -> ssl.SSLContext:
    context = ssl.create_default_context(ssl.Purpose.SERVER_AUTH, cadata=identity.authority)
    context.check_hostname = False  # a scheduler's certificate says what it is, and no address
    context.load_cert_chain(identity.file)
    return context
