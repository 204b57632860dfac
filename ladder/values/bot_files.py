"""Files that make a folder a bot's."""

from __future__ import annotations

from typing import Literal

MAIN_FILES = ("bot.py", "bot.js")
DOCKERFILE = "Dockerfile"
REQUIREMENTS = "requirements.txt"
"""Names the packages that a bot needs."""
LOCK = "requirements.lock"
"""The packages that those resolved to, with their hashes."""
Builds = Literal["base", "allowed"]
"""Dockerfiles that are built: those that only add files to `pigpen/bot`, or any."""
