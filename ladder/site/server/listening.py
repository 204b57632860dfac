"""
The site's listening address, the machines that may reach it there, and the address to type into a browser.

For HTTPS, `Tls` is the site's certificate and its key, read before anything starts, and again when they are renewed.
"""

from __future__ import annotations

import ipaddress
import os
import socket
import ssl
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import structlog

from ladder.app.accounts.links import USUAL_PORT
from ladder.errors import UserError

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Self

    from ladder.settings.settings import Settings

CIPHERS = "ECDHE+AESGCM:ECDHE+CHACHA20"
"""Of TLS 1.2, those with forward secrecy; TLS 1.3 has no others."""
WAYS_OUT = "Name two files in PEM: --tls CERT KEY, or the settings tls_certificate and tls_key"

log = structlog.get_logger("pigpen.site")


@dataclass
class Tls:
    """A certificate in use."""

    certificate: Path
    key: Path
    context: ssl.SSLContext = field(repr=False)
    read_at: tuple[int, ...] = ()
    """Modification times of the files in use."""

    @classmethod
    def of(cls, settings: Settings, files: tuple[Path, Path] | None) -> Self | None:
        """
        Read what the command line names, or else what the settings name.

        Args:
            settings: Name both files, or none.
            files: The certificate and the key; None: as the settings say.

        Returns:
            None if the site is to speak HTTP.

        Raises:
            UserError: If a file cannot be used.
        """
        certificate, key = files or (settings.tls_certificate, settings.tls_key)
        if certificate is None and key is None:
            return None
        if certificate is None or key is None:
            missing = "tls_certificate" if certificate is None else "tls_key"
            raise UserError(f"A certificate needs its key: the setting {missing} is missing. {WAYS_OUT}.")
        return cls(certificate, key, _context(certificate, key), _changes(certificate, key))

    def renew(self) -> None:
        """Take what stands in the files now, for new connections; what cannot be used is not taken, and logged."""
        try:
            changes = _changes(self.certificate, self.key)
            if changes == self.read_at:
                return
            self.read_at = changes
            _context(self.certificate, self.key)
            self.context.load_cert_chain(self.certificate, self.key, _no_password)
        except (OSError, UserError) as error:
            log.error("certificate.kept", error=str(error))
        else:
            log.info("certificate.renewed", file=str(self.certificate))


def _context(certificate: Path, key: Path) -> ssl.SSLContext:
    for path in (certificate, key):
        try:
            path.read_bytes()
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            raise UserError(f"{str(path)!r} cannot be read: {reason}. {WAYS_OUT}.") from None
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.set_ciphers(CIPHERS)
    context.options |= ssl.OP_NO_RENEGOTIATION | ssl.OP_NO_COMPRESSION
    context.set_alpn_protocols(["http/1.1"])
    try:
        context.load_cert_chain(certificate, key, _no_password)
    except ssl.SSLError as error:
        raise UserError(_sentence(error, certificate, key)) from None
    except ValueError:  # what `_no_password` gives
        raise UserError(
            f"{str(key)!r} is locked with a password: keep the key without one, readable by the site's user only "
            "(openssl pkey -in KEY -out NEW)."
        ) from None
    return context


def _sentence(error: ssl.SSLError, certificate: Path, key: Path) -> str:
    if error.reason == "KEY_VALUES_MISMATCH" or error.reason == "KEY_TYPE_MISMATCH":
        return f"{str(key)!r} is not the key of the certificate in {str(certificate)!r}. {WAYS_OUT} of that pair."
    if b"-----BEGIN CERTIFICATE-----" not in certificate.read_bytes():
        return f"{str(certificate)!r} holds no certificate in PEM. {WAYS_OUT}."
    if b"PRIVATE KEY-----" not in key.read_bytes():
        return f"{str(key)!r} holds no private key in PEM. {WAYS_OUT}."
    return f"{str(certificate)!r} and {str(key)!r} cannot be used ({error.reason or error}). {WAYS_OUT}."


def _no_password() -> str:
    """Raise an error where a password is asked for; else OpenSSL would ask at the terminal."""
    raise ValueError


def _changes(*paths: Path) -> tuple[int, ...]:
    return tuple(path.stat().st_mtime_ns for path in paths)


def listen(host: str, port: int, usual_port: int = USUAL_PORT) -> socket.socket:
    """
    Begin to listen; what comes before `serve` waits.

    Args:
        host: The address to listen at.
        port: The port; 0: the usual one, or any other one that is free.
        usual_port: The usual one.

    Raises:
        UserError: If that cannot be.
    """
    for each in (port,) if port else (usual_port, 0):
        try:
            family = socket.getaddrinfo(host, each, type=socket.SOCK_STREAM)[0][0]
            listener = socket.create_server((host, each), family=family, backlog=1024)
            # For all connections: else the body of an answer waits 40 ms for the other side to confirm the headers.
            listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return listener
        except (OSError, UnicodeError) as error:
            reason = _reason(error)
    raise UserError(
        f"The site cannot listen at {host!r}, port {port or 'any'}: {reason}. Choose others with --host and --port."
    )


def check_reach(listener: socket.socket, settings: Settings, *, tls: bool) -> None:
    """
    Make sure that passwords and sessions do not cross a network as plain text.

    Args:
        listener: What `listen` gave; it has answered no request yet.
        settings: Name the proxy before the site, or allow HTTP.
        tls: Whether the site speaks HTTPS itself.

    Raises:
        UserError: If other machines would reach the site over HTTP, and no setting says that this is meant.
    """
    host = str(listener.getsockname()[0])
    if tls or settings.site_proxy or settings.plain_http or _is_loopback(host):
        return
    raise UserError(
        f"The site would serve plain HTTP at {host!r}: others on the network could read passwords. Give it a "
        "certificate (--tls CERT KEY), or name the TLS proxy in front of it (setting site_proxy), or allow plain HTTP "
        "(setting plain_http = true)."
    )


def address_of(listener: socket.socket, *, tls: bool = False) -> str:
    """Give the address to type into a browser."""
    host, port = listener.getsockname()[:2]
    shown = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, f"[{host}]" if ":" in host else host)
    return f"{'https' if tls else 'http'}://{shown}:{port}/"


def _is_loopback(host: str) -> bool:
    address = ipaddress.ip_address(host)
    mapped = getattr(address, "ipv4_mapped", None)
    return bool((mapped or address).is_loopback)


def _reason(error: OSError | UnicodeError) -> str:
    """Give the system's words: Python adds the address, which stands in our sentence."""
    number = getattr(error, "errno", None)
    if isinstance(error, socket.gaierror) or not isinstance(number, int):
        return str(getattr(error, "strerror", None) or "this is no address")
    return os.strerror(number)
