"""Messages for parts of Pigpen that are not installed: contestants need none of a ladder's database and runner."""

from __future__ import annotations

from importlib import metadata

WORKER = "worker"
"""An extra, and the only command that needs no other one."""
EXTRAS = {
    "data": "A data set needs pyarrow. Install it: {}",
    WORKER: "This command needs the packages for workers. Install them: {}",
    "ladder": "This command needs the packages for running a ladder. Install them: {}. "
    "To use a remote ladder: pigpen login URL",
}
"""Sentence for each extra, with a place for the command that installs it; the smallest one first."""
PARTS = {
    "PIL": "pillow",
    "anyio": "fastapi",
    "argon2": "argon2-cffi",
    "dask": "distributed",
    "h11": "uvicorn",
    "markupsafe": "jinja2",
    "msgpack": "distributed",
    "starlette": "fastapi",
    "tornado": "distributed",
}
"""Modules that do not go by the name of what an extra installs: what brings them."""


def how_to_install(module: str | None, command: str = WORKER) -> str | None:
    """
    Give one sentence with the command to type, if *module* comes with an extra of Pigpen; None if it does not.

    Args:
        module: The module that is missing.
        command: The command that lacks it: what `pigpen worker` needs is not enough for others.
    """
    from packaging.requirements import Requirement  # takes long to import, and is hardly ever needed
    from packaging.utils import canonicalize_name

    from ladder.app.wheels import ARENA, install_line

    wanted = (module or "").partition(".")[0]
    wanted = canonicalize_name(PARTS.get(wanted, wanted))
    needs = [Requirement(line) for line in metadata.requires(ARENA) or []]
    for extra, sentence in EXTRAS.items():
        if extra == WORKER != command:
            continue
        for needed in needs:
            if needed.marker and canonicalize_name(needed.name) == wanted and needed.marker.evaluate({"extra": extra}):
                return sentence.format(install_line(extra))
    return None
