"""Debian's `docker-registry`: how it is configured."""

from __future__ import annotations

import hashlib
import ipaddress
import json
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cryptography.hazmat.primitives import serialization

from ladder.errors import SandboxError, UserError
from ladder.registry.tokens import FOLDER, ISSUER, SERVICE, certificate_file, registry_key

if TYPE_CHECKING:
    from collections.abc import Mapping

NAME = "docker-registry"
UNPACKED = Path(__file__).resolve().parents[2] / ".venv" / NAME / "usr" / "bin" / NAME
"""The path at which `scripts/program docker-registry` puts it, in a checkout."""
CONFIG = "config.yml"
ENVIRONMENT = {"OTEL_TRACES_EXPORTER": "none"}
"""Without this the program looks for a collector of its traces."""


@dataclass(frozen=True)
class RegistryPlan:
    """The address at which the ladder's registry listens, and its settings."""

    data_dir: Path
    listen: str
    """`127.0.0.1:5000`."""
    realm: str
    """The address at which the site gives tokens."""
    tls: tuple[Path, Path] | None = None
    """Certificate and key; None: it speaks HTTP."""
    may_delete: bool = False
    """True if images can be deleted through it; while people can reach it, they cannot."""
    read_only: bool = False

    @property
    def images(self) -> Path:
        """Folder of its images."""
        return self.data_dir / FOLDER / "images"


def registry_program() -> str:
    """
    Find the program.

    Raises:
        UserError: If it is not there.
    """
    found = shutil.which(NAME) or (str(UNPACKED) if UNPACKED.is_file() else None)
    if found is None:
        raise UserError(
            f"The program {NAME} is not on this machine. On Debian: apt-get install {NAME}; or name a registry that "
            "runs on another machine (setting registry), and leave --registry out."
        )
    return found


def write_config(plan: RegistryPlan, name: str = CONFIG) -> Path:
    """
    Write what the program reads when it starts.

    Raises:
        SandboxError: If that cannot be.
    """
    certificate = certificate_file(plan.data_dir)
    path = plan.data_dir / FOLDER / name
    try:
        plan.images.mkdir(mode=0o700, exist_ok=True)
        path.touch(mode=0o600)
        path.write_text(json.dumps(_config(plan, certificate), indent=1))  # JSON is YAML, without its surprises
    except OSError as error:
        raise SandboxError(f"{str(path)!r} cannot be written: {error.strerror}.") from None
    return path


def is_loopback(address: str) -> bool:
    """
    Tell whether a registry is this machine's own: then the engine speaks HTTP with it, too.

    >>> is_loopback("127.0.0.1:5000"), is_loopback("[::1]:5000"), is_loopback("localhost"), is_loopback("arena.example")
    (True, True, True, False)
    """
    host = address.removeprefix("[").partition("]")[0] if address.startswith("[") else address.partition(":")[0]
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _config(plan: RegistryPlan, certificate: Path) -> Mapping[str, Any]:
    http: dict[str, Any] = {
        "addr": plan.listen,
        "secret": _secret(plan.data_dir),
        "relativeurls": True,
        "headers": {"X-Content-Type-Options": ["nosniff"]},
    }
    if plan.tls is not None:
        http["tls"] = {"certificate": str(plan.tls[0]), "key": str(plan.tls[1]), "minimumtls": "tls1.2"}
    return {
        "version": 0.1,
        "log": {"level": "error", "accesslog": {"disabled": True}},
        "storage": {
            "filesystem": {"rootdirectory": str(plan.images)},
            "delete": {"enabled": plan.may_delete},
            "maintenance": {
                "uploadpurging": {"enabled": True, "age": "24h", "interval": "6h", "dryrun": False},
                "readonly": {"enabled": plan.read_only},
            },
        },
        "auth": {
            "token": {
                "realm": plan.realm,
                "service": SERVICE,
                "issuer": ISSUER,
                "rootcertbundle": str(certificate),
                "autoredirect": False,
            }
        },
        "http": http,
        "compatibility": {"schema1": {"enabled": False}},
    }


def _secret(data_dir: Path) -> str:
    """Give the secret that signs uploads under way: the same after each start, so that they continue."""
    private = registry_key(data_dir).private.private_bytes(
        serialization.Encoding.DER, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    return hashlib.sha256(b"registry uploads" + private).hexdigest()
