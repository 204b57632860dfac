"""The authorities of the web are read once for all clients of a process: each client of httpx reads them anew."""

from __future__ import annotations

import os
import ssl
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any
from unittest import mock

import httpx

if TYPE_CHECKING:
    from collections.abc import Iterator


@cache
def _of_all(file: str, folder: str, *, trust_env: bool) -> ssl.SSLContext:
    """The context of these variables' authorities, or of the web's."""
    return httpx.create_ssl_context(trust_env=trust_env)


def _context(verify: ssl.SSLContext | str | bool = True, cert: Any = None, trust_env: bool = True) -> ssl.SSLContext:
    if verify is not True or cert is not None:
        return httpx.create_ssl_context(verify, cert, trust_env)
    named = (os.environ.get(name, "") for name in ("SSL_CERT_FILE", "SSL_CERT_DIR"))
    return _of_all(*named, trust_env=trust_env)


@contextmanager
def certificates_once() -> Iterator[None]:
    """Within it, what httpx reads for a client takes 30 ms once, and not each time."""
    with mock.patch("httpx._transports.default.create_ssl_context", _context):  # where clients take it from
        yield
