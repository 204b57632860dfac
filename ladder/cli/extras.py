"""What to say when a part of Pigpen is not installed, as contestants need none of a ladder's database and runner."""

from __future__ import annotations

from importlib import metadata

EXTRAS = {
    "data": "A data set needs pyarrow. Install it: pip install 'pigpen-arena[data]'",
    "worker": "This command needs the packages for workers. Install them: pip install 'pigpen-arena[worker]'",
    "ladder": "This command needs the packages for running a ladder. Install them: pip install 'pigpen-arena[ladder]'. "
    "To use a remote ladder: pigpen login URL",
}
"""What each extra is for, and how to get it; the smallest one first."""
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


def how_to_install(module: str | None) -> str | None:
    """Give one sentence with the command to type, if *module* comes with an extra of Pigpen; None if it does not."""
    from packaging.requirements import Requirement  # takes long to import, and is hardly ever needed
    from packaging.utils import canonicalize_name

    wanted = (module or "").partition(".")[0]
    wanted = canonicalize_name(PARTS.get(wanted, wanted))
    needs = [Requirement(line) for line in metadata.requires("pigpen-arena") or []]
    for extra, sentence in EXTRAS.items():
        for needed in needs:
            if needed.marker and canonicalize_name(needed.name) == wanted and needed.marker.evaluate({"extra": extra}):
                return sentence
    return None
