"""Certificates for the tests, made on the spot and trusted by nobody else."""

from __future__ import annotations

import datetime
import ipaddress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import BestAvailableEncryption, Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

if TYPE_CHECKING:
    from pathlib import Path

HOST = "arena.test"
DAY = datetime.timedelta(days=1)


@dataclass(frozen=True)
class Pair:
    """A certificate for `HOST` and the loopback, signed by its own key."""

    certificate: Path
    key: Path


def make_pair(folder: Path, name: str = "site", password: bytes = b"") -> Pair:
    """Write a new certificate and its key into a folder."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, HOST)])
    now = datetime.datetime.now(datetime.UTC)
    names = [x509.DNSName(HOST), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]
    certificate = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - DAY)
        .not_valid_after(now + DAY)
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    lock = BestAvailableEncryption(password) if password else NoEncryption()
    pair = Pair(folder / f"{name}.pem", folder / f"{name}.key")
    pair.certificate.write_bytes(certificate.public_bytes(Encoding.PEM))
    pair.key.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, lock))
    return pair
