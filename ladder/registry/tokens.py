"""
Tokens for the registry, as the distribution specification has them: signed by the ladder, valid for minutes.

The ladder signs them with its key; the registry knows that by a certificate.
"""

from __future__ import annotations

import base64
import os
import re
import secrets
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from ladder.errors import SandboxError
from ladder.registry.image_names import is_repository

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

FOLDER = "registry"
"""In the ladder's folder: key, certificate, settings of the program, images."""
KEY, CERTIFICATE = "key.pem", "certificate.pem"
NAME = "Pigpen's tokens for its registry"
BEGIN, END = datetime(2020, 1, 1, tzinfo=UTC), datetime(2120, 1, 1, tzinfo=UTC)
"""A registry takes no token of a certificate that has run out."""


@dataclass(frozen=True)
class RegistryKey:
    """The key of one ladder; the certificate says nothing but that it signs for itself."""

    private: ec.EllipticCurvePrivateKey
    certificate: x509.Certificate

    @property
    def chain(self) -> list[str]:
        """The header `x5c` of a token."""
        return [base64.b64encode(self.certificate.public_bytes(serialization.Encoding.DER)).decode()]


def registry_key(data_dir: Path) -> RegistryKey:
    """
    Read a ladder's key; the first time it is made, for this user's eyes only.

    Raises:
        SandboxError: If it cannot be read or written.
    """
    folder = data_dir / FOLDER
    try:
        if not (folder / KEY).exists():
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            _write(folder / KEY, _new())
        return _read((folder / KEY).read_bytes())
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise SandboxError(
            f"The key of the ladder's registry, {str(folder / KEY)!r}, cannot be used: {reason}. "
            "Remove it to have a new one made, and start the registry again."
        ) from None


def certificate_file(data_dir: Path) -> Path:
    """
    Write the certificate where the registry reads it (`rootcertbundle`).

    Raises:
        SandboxError: If that cannot be.
    """
    key, path = registry_key(data_dir), data_dir / FOLDER / CERTIFICATE
    try:
        path.write_bytes(key.certificate.public_bytes(serialization.Encoding.PEM))
    except OSError as error:
        raise SandboxError(f"{str(path)!r} cannot be written: {error.strerror}.") from None
    return path


def _read(pem: bytes) -> RegistryKey:
    private = serialization.load_pem_private_key(pem, None)
    if not isinstance(private, ec.EllipticCurvePrivateKey):
        raise ValueError("it is of another kind")
    return RegistryKey(private, x509.load_pem_x509_certificate(pem))


def _write(path: Path, content: bytes) -> None:
    """Write a secret so that of several processes one is first, and all read the same."""
    partial = path.with_name(f"{path.name}.{secrets.token_hex(8)}")
    try:
        with os.fdopen(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        with suppress(FileExistsError):
            os.link(partial, path)
    finally:
        partial.unlink(missing_ok=True)


def _new() -> bytes:
    private = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, NAME)])
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(private.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(BEGIN)
        .not_valid_after(END)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(private, hashes.SHA256())
    )
    key = private.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    return key + certificate.public_bytes(serialization.Encoding.PEM)


ISSUER = SERVICE = "pigpen"
ACTIONS = ("pull", "push")
"""Actions of people; only the ladder may delete."""
DELETE = "delete"
"""The action of the ladder alone, while no one else can reach the registry."""
TOKEN_SECONDS = 300.0
LADDER_SECONDS = 3600.0
"""Seconds that the ladder's own tokens are valid: a task may wait before its images are pulled."""
MAX_SCOPES = 20
EARLY_SECONDS = 30.0
"""Clocks differ a little."""
_SCOPE = re.compile(r"repository:(?P<name>[^:\s]{1,300}):(?P<actions>[a-z*,]{1,100})")


@dataclass(frozen=True)
class Access:
    """Actions that are allowed with one repository."""

    repository: str
    actions: tuple[str, ...]


def allowed(scopes: Iterable[str], namespace: str) -> tuple[Access, ...]:
    """
    Reduce requested scopes to the allowed ones: to pull and push in the account's own namespace.

    >>> allowed(["repository:ada/trotter:pull,push,delete", "registry:catalog:*"], "ada")
    (Access(repository='ada/trotter', actions=('pull', 'push')),)
    >>> allowed(["repository:bob/snout:pull"], "ada")
    ()
    """
    found = [_SCOPE.fullmatch(scope) for scope in " ".join(scopes).split(" ")[:MAX_SCOPES]]
    own = [
        Access(each["name"], tuple(action for action in ACTIONS if action in each["actions"].split(",")))
        for each in found
        if each and is_repository(each["name"]) and each["name"].partition("/")[0] == namespace
    ]
    return tuple(access for access in own if access.actions)


def sign(key: RegistryKey, account: str, access: Iterable[Access], now: float, seconds: float = TOKEN_SECONDS) -> str:
    """
    Make a token.

    Args:
        key: The ladder's.
        account: Who gets it; empty: the ladder itself.
        access: What it allows.
        now: Unix time.
        seconds: Seconds that it is valid.
    """
    from joserfc import jwt  # most ladders have no registry, and it takes long
    from joserfc.jwk import ECKey

    claims = {
        "iss": ISSUER,
        "sub": account,
        "aud": SERVICE,
        "iat": int(now),
        "nbf": int(now - EARLY_SECONDS),
        "exp": int(now + seconds),
        "jti": secrets.token_urlsafe(12),
        "access": [{"type": "repository", "name": each.repository, "actions": list(each.actions)} for each in access],
    }
    header = {"alg": "ES256", "typ": "JWT", "x5c": key.chain}
    return jwt.encode(header, claims, ECKey.import_key(key.private), algorithms=["ES256"])
