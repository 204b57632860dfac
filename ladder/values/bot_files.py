"""Files that make a folder a bot's."""

from __future__ import annotations

from typing import Literal

MAIN_FILES = ("bot.py", "bot.js")
DOCKERFILE = "Dockerfile"
Builds = Literal["base", "allowed"]
"""Which Dockerfiles are built: those that only add files to `pigpen/bot`, or any."""
