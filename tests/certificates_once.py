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

_the_context = cache(httpx.create_ssl_context)


def _context(verify: ssl.SSLContext | str | bool = True, *others: Any, **named: Any) -> ssl.SSLContext:
    if verify is True and not {"SSL_CERT_FILE", "SSL_CERT_DIR"} & os.environ.keys():
        return _the_context()
    return httpx.create_ssl_context(verify, *others, **named)


@contextmanager
def certificates_once() -> Iterator[None]:
    """Within it, what httpx reads for a client takes 30 ms once, and not each time."""
    with mock.patch("httpx._transports.default.create_ssl_context", _context):  # where clients take it from
        yield
