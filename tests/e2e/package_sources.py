"""From where this machine takes packages, for machines of tests: files of apt, npm and pip, and variables."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

CONFIGURED = (
    "/etc/apt", "/etc/hosts", "/etc/npmrc", "/etc/pip.conf", "/etc/resolv.conf", "/etc/ssl", "/root/.npmrc",
    "/usr/share/keyrings",
)  # fmt: skip
"""Settings of apt, npm and pip, and what they need to reach their sources."""
PASSED_ON = re.compile(r"PIP_\w+|npm_config_\w+|NODE_EXTRA_CA_CERTS|(https?|no|all)_proxy|SSL_CERT_\w+", re.IGNORECASE)


def configured_places() -> list[str]:
    """Files and folders of this machine from which apt and pip take packages; pip itself names its own."""
    command = [sys.executable, "-m", "pip", "config", "list"]
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    words = [urlsplit(word).path for word in re.split(r"[\s'\"=]+", listed) if word.startswith(("/", "file:///"))]
    return [place for place in dict.fromkeys([*CONFIGURED, *words]) if Path(place).exists()]


def passed_on() -> dict[str, str]:
    """Variables by which apt, npm and pip are configured."""
    return {name: value for name, value in os.environ.items() if PASSED_ON.fullmatch(name)}
