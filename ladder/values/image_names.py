"""Names of images, as users and engines write them: which of them say nothing of an owner."""

from __future__ import annotations

import re

OURS = "pigpen/"
"""Images whose names begin with this are made by Pigpen on this machine; none of them comes from a registry."""
DEFAULT_REGISTRIES = ("docker.io/", "index.docker.io/")
"""Prefixes that may stand before an image's name without changing its meaning."""
_ID = re.compile("(sha256:)?[0-9a-f]{1,64}")


def is_ours(reference: str) -> bool:
    """Tell whether an image of that name is one that Pigpen made."""
    for registry in DEFAULT_REGISTRIES:
        reference = reference.removeprefix(registry)
    return reference.startswith(OURS)


def names_owner(reference: str) -> bool:
    """Tell whether the owner of an image can have called it that; Pigpen's names and bare ids name no owner."""
    return not (_ID.fullmatch(reference) or is_ours(reference))
