"""HTTPS: the site's certificate and its key, read before anything starts, and again when they are renewed."""

from __future__ import annotations

import ssl
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import structlog

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
