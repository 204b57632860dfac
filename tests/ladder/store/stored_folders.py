"""
Data folders of ladders as builds have left them: `python -m tests.ladder.store.stored_folders` writes one of this one.

It is run with `tests.ladder.store.releases`, in the commit of a release with a schema that none has had. Before the
first release no build can upgrade the ladder of another one; the folders that are kept from then show that it says so,
and changes nothing.
"""

from __future__ import annotations

import gzip
import io
import os
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[3]
FOLDER = Path(__file__).parent / "stored"
BOTS = {"random": "ada", "cautious": "ben", "counting": "cora", "sampling": "dan"}
SETTINGS = {"SANDBOX": "process", "BOARDS": "1", "PREFLIGHT_DEALS": "1", "CLOCK": "600+1", "LIMIT": "60"}
"""Settings under which it is made, and with which it is looked at."""
MATCHES = 2
LEFT_OUT = ("logs", "live", "site-address")
"""Files of no use to another process."""


def variables(data: Path) -> dict[str, str]:
    """Give the variables by which commands of Pigpen use the ladder in a folder."""
    return {"PIGPEN_DATA_DIR": str(data), **{f"PIGPEN_{name}": value for name, value in SETTINGS.items()}}


def make(data: Path) -> None:
    """Make a ladder in a folder, which is not there yet: four bots, and matches between them."""
    for bot, owner in BOTS.items():
        _pigpen(data, "submit", bot, "--name", bot.title(), "--owner", owner, "--variant", "hearts")
    _pigpen(data, "ladder", "run", "--matches", str(MATCHES))


def _pigpen(data: Path, *words: str) -> None:
    command = [sys.executable, "-m", "ladder.cli.entry", *words]
    subprocess.run(command, env=os.environ | variables(data), check=True, stdout=subprocess.DEVNULL)


def pack(data: Path, file: Path) -> None:
    """Pack a folder; nobody's name and no time is kept."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for path in sorted(data.rglob("*")):
            name = path.relative_to(data)
            if name.parts[0] in LEFT_OUT:
                continue
            member = tar.gettarinfo(path, str(name))
            member.uid = member.gid = member.mtime = 0
            member.uname = member.gname = ""
            with path.open("rb") if path.is_file() else io.BytesIO() as content:
                tar.addfile(member, content if path.is_file() else None)
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(gzip.compress(packed.getvalue(), mtime=0))


def unpack(file: Path, data: Path) -> None:
    """Make the folder again."""
    data.mkdir()
    subprocess.run(["tar", "--extract", "--gzip", "--no-same-owner", "--file", file, "--directory", data], check=True)


def stored() -> list[Path]:
    """List what is kept."""
    return sorted(FOLDER.glob("*.tar.gz"))


def main() -> None:
    """Write one of this build, named after its schema."""
    from ladder.store.schema import REVISION

    with tempfile.TemporaryDirectory() as folder:
        make(Path(folder) / "data")
        file = FOLDER / f"{REVISION}.tar.gz"
        pack(Path(folder) / "data", file)
    print(f"Wrote {file.name}.")


if __name__ == "__main__":
    main()
