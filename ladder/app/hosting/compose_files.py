"""
Files that run a ladder in containers: a compose file, its environment, a proxy's configuration, and settings.

They stand in a folder of their own, which only its owner may enter: some hold passwords and keys. What is in it is
mounted into containers whose root has no capabilities, so the files themselves may be read by all.
"""

from __future__ import annotations

import datetime
import json
import os
import re
import secrets
from dataclasses import dataclass
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

from ladder.app.new_file import new_files, write_new
from ladder.errors import UserError
from ladder.sandbox.docker.ladder_image import ladder_tag, postgres_tag
from ladder.sandbox.host.scratch import check_socket_paths

TEMPLATES = Path(__file__).with_name("compose")
COMPOSE, PROXY, ENVIRONMENT, SETTINGS = "compose.yaml", "nginx.conf", ".env", "pigpen.toml"
CERTIFICATE, KEY = "tls/fullchain.pem", "tls/privkey.pem"
EXAMPLE = "arena.example"
"""The name in the templates."""
SUBNET = "172.30.93.0/24"
"""Addresses of the containers; the site believes the proxy among them."""
AUTHORITIES = "/etc/ssl/certs/ca-certificates.crt"
"""Certificates of the authorities that the ladder trusts: Debian's, in the image."""
USUAL_SOCKET = "/var/run/docker.sock"
DAYS = 365
"""Days for which the first certificate is valid, which no browser trusts."""
MAX_NAME = 180
"""Characters of the name of a site: its address is a setting of 200."""
_LABEL = r"(?!-)[a-z0-9-]{1,63}(?<!-)"
_NAME = re.compile(rf"{_LABEL}(\.{_LABEL})*")


@dataclass(frozen=True)
class ComposeOrder:
    """Order for the files of a ladder."""

    name: str
    """The name of the site, such as ``arena.example``."""
    data: Path
    """The ladder's folder, in the containers and outside."""
    postgres: bool = False
    registry: bool = False


def write_compose(folder: Path, order: ComposeOrder) -> list[Path]:
    """
    Write the files into a new folder; return their paths.

    Raises:
        UserError: If the folder is not new, or a name or path cannot be used.
    """
    if len(order.name) > MAX_NAME or not _NAME.fullmatch(order.name):
        raise UserError(f"{order.name!r} is no name of a site. Write it as arena.example, in small letters.")
    if not order.data.is_absolute() or re.search(r"[\s:$#\"'\\]", str(order.data)):
        raise UserError(f"--data-dir {str(order.data)!r}: name an absolute path without spaces, colons, quotes and $.")
    check_socket_paths(str(order.data / "tmp"))
    password = secrets.token_hex(16)
    certificate, key = _own_certificate(order.name)
    texts = {
        COMPOSE: (TEMPLATES / COMPOSE).read_text(encoding="utf-8"),
        PROXY: (TEMPLATES / PROXY).read_text(encoding="utf-8").replace(EXAMPLE, order.name),
        ENVIRONMENT: _environment(order, password),
        SETTINGS: _settings(order, password),
        CERTIFICATE: certificate,
        KEY: key,
    }
    if os.path.lexists(folder):
        raise UserError(f"{str(folder)!r} is there already. Name a new folder; nothing was changed.")
    paths = new_files(folder, texts)
    folder.chmod(0o700)
    for name in ("tls", "acme"):
        (folder / name).mkdir()
        (folder / name).chmod(0o755)
    for name, path in zip(texts, paths, strict=True):
        write_new(path, [texts[name].encode()])
        path.chmod(0o644)
    return paths


def engine_socket() -> str:
    """Give the socket of the engine that this machine's commands use."""
    host = os.environ.get("DOCKER_HOST", "")
    return host.removeprefix("unix://") if host.startswith("unix://") else USUAL_SOCKET


def _environment(order: ComposeOrder, password: str) -> str:
    profiles = [name for name in ("postgres", "registry") if getattr(order, name)]
    values = {
        "COMPOSE_PROJECT_NAME": "pigpen",
        "COMPOSE_PROFILES": ",".join(profiles),
        "PIGPEN_NAME": order.name,
        "PIGPEN_IMAGE": ladder_tag(),
        "PIGPEN_POSTGRES_IMAGE": postgres_tag(),
        "PIGPEN_DATA": str(order.data),
        "PIGPEN_SUBNET": SUBNET,
        "PIGPEN_AUTHORITIES": AUTHORITIES,
        "PIGPEN_HTTP": "80",
        "PIGPEN_HTTPS": "443",
        "DOCKER_SOCKET": engine_socket(),
        "POSTGRES_PASSWORD": password,
    }
    return "".join(f"{name}={value}\n" for name, value in values.items())


def _settings(order: ComposeOrder, password: str) -> str:
    values: dict[str, str | int] = {
        "site_host": "site",
        "site_port": 8020,
        "site_proxy": SUBNET,
        "site_url": f"https://{order.name}",
    }
    if order.postgres:
        values["database_url"] = f"postgresql://pigpen:{password}@postgres/pigpen"
    if order.registry:
        values["registry"] = f"{order.name}:5000"
    about = "# Settings of the ladder: docs/store.md. data_dir is in .env (PIGPEN_DATA).\n"
    return about + "".join(f"{name} = {json.dumps(value)}\n" for name, value in values.items())


def _own_certificate(name: str) -> tuple[str, str]:
    """Make a certificate that vouches for itself, and its key, so that the proxy starts before there is another."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name[:64])])
    now = datetime.datetime.now(datetime.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=DAYS))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    packed = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    return certificate.public_bytes(Encoding.PEM).decode(), packed.decode()
