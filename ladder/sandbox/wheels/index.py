"""
The package index that pip is configured for on this machine, for uv, which itself reads no configuration here.

pip's settings are what an organiser already has: addresses, passwords in them, certificates, a proxy.
"""

from __future__ import annotations

import ast
import os
import ssl
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from ladder.errors import SandboxError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

PIP = (sys.executable, "-I", "-m", "pip", "--disable-pip-version-check", "config", "list")
SECONDS = 30.0
LEVELS = ("global", "download", ":env:")
"""Of pip's settings: those that count for ``pip download``, the strongest last."""
PASSED_ON = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "SSL_CERT_DIR")
FALSE = ("", "0", "false", "no", "off")


@dataclass(frozen=True)
class Index:
    """An index of packages, and uv's settings for it."""

    arguments: Sequence[str] = ()
    """For uv."""
    constraints: Sequence[str] = ()
    """Files of the organiser's that limit the versions of packages."""
    environment: Mapping[str, str] = field(default_factory=dict)
    """Of uv: what may hold a password, which arguments would show to other users."""


def configured_index(command: Sequence[str] = PIP) -> Index:
    """
    Ask pip for its settings.

    Raises:
        SandboxError: If it cannot be asked.
    """
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=SECONDS)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise SandboxError(
            f"pip, which knows the package index of this machine, could not be asked: {error}."
        ) from None
    if done.returncode:
        last = done.stderr.strip().rpartition("\n")[2] or "it printed no message"
        raise SandboxError(f"pip, which knows the package index of this machine, could not be asked: {last}")
    return _translated(_settings(done.stdout))


def _settings(listed: str) -> dict[str, str]:
    found: dict[str, dict[str, str]] = {level: {} for level in LEVELS}
    for line in listed.splitlines():
        key, _, value = line.partition("=")
        level, _, name = key.rpartition(".")
        if level in found:
            found[level][name] = str(ast.literal_eval(value))
    return {name: value for level in LEVELS for name, value in found[level].items()}


def _translated(pip: Mapping[str, str]) -> Index:
    arguments = [f"--find-links={each}" for each in pip.get("find-links", "").split()]
    arguments += [f"--allow-insecure-host={each}" for each in pip.get("trusted-host", "").split()]
    if pip.get("no-index", "").lower() not in FALSE:
        arguments.append("--no-index")
    if "extra-index-url" in pip:  # all indexes are one to pip; uv would stop at the first that has the package
        arguments.append("--index-strategy=unsafe-best-match")
    upper = {name.upper(): value for name, value in os.environ.items()}
    certificates = (pip.get("cert"), upper.get("REQUESTS_CA_BUNDLE"), ssl.get_default_verify_paths().cafile)
    environment = {
        **{name: upper[name] for name in PASSED_ON if name in upper},
        **({"ALL_PROXY": pip["proxy"]} if "proxy" in pip else {}),
        "NETRC": os.environ.get("NETRC") or str(Path("~/.netrc").expanduser()),
        "SSL_CERT_FILE": next(filter(None, certificates), ""),
        "SSL_CLIENT_CERT": pip.get("client-cert", ""),
        "UV_INDEX_URL": pip.get("index-url", ""),
        "UV_EXTRA_INDEX_URL": " ".join(pip.get("extra-index-url", "").split()),
    }
    constraints = pip.get("constraint", "").split()
    return Index(arguments, constraints, {name: value for name, value in environment.items() if value})
