"""
Compiles what is written in C while a wheel or an editable install is made (docs/adr/0015-compiled-when-installed.md).

The compiler is Zig's, a package that pip fetches for the build alone; it compiles for both machines wherever it runs.
The build hooks of both distributions stand on this file: `hatch_engine.py` here, `hatch_build.py` in the folder above.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

MACHINES = ("x86_64", "aarch64")
"""Machines that containers run on, as `uname -m` names them."""
FLAGS = (
    "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-nostdlib", "-ffreestanding", "-fno-sanitize=all",
    "-fno-stack-protector", "-fno-unwind-tables", "-fno-asynchronous-unwind-tables", "-s",
    "-Wl,--build-id=none,-z,noexecstack,--no-gc-sections",
)  # fmt: skip
"""No library, and nothing that differs from build to build or names the folder."""


@dataclass(frozen=True)
class Native:
    """A program or a library of ours in C."""

    name: str
    """Name of the compiled file; ``{}`` stands for the machine."""
    sources: tuple[Path, ...]
    """Headers, then the file that includes them."""
    flags: tuple[str, ...]
    mode: int = 0o755

    @property
    def source_hash(self) -> str:
        """The SHA-256 of the sources; the compiled file holds it."""
        return hashlib.sha256(b"".join(source.read_bytes() for source in self.sources)).hexdigest()

    def compiled(self, machine: str) -> Path:
        """Return the path of the compiled file: beside its sources."""
        return self.sources[-1].with_name(self.name.format(machine))

    def compile(self, machine: str, output: Path) -> None:
        """
        Compile for one machine, in the folder of the sources.

        Raises:
            CalledProcessError: If the compiler refuses.
        """
        define, source = f'-DSOURCE="{self.source_hash}"', self.sources[-1]
        target = ("-target", f"{machine}-linux-none")
        command = [sys.executable, "-m", "ziglang", "cc", *target, *FLAGS, *self.flags, define, "-o", str(output)]
        with tempfile.TemporaryDirectory() as cache:
            environment = os.environ | {"ZIG_GLOBAL_CACHE_DIR": cache, "ZIG_LOCAL_CACHE_DIR": cache}
            subprocess.run([*command, source.name], cwd=source.parent, env=environment, check=True)
        output.chmod(self.mode)


def can_compile() -> bool:
    """True if the compiler is there, and pure Python is not asked for (PIGPEN_PURE=1)."""
    return importlib.util.find_spec("ziglang") is not None and os.environ.get("PIGPEN_PURE") != "1"


class CompileHook(BuildHookInterface[Any]):
    """Puts compiled files into a wheel; an editable install gets them beside their sources."""

    natives: tuple[Native, ...]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile before hatchling collects the files; see hatchling for the arguments."""
        if not can_compile():
            self.app.display_warning("Nothing is compiled: there is no ziglang here, or PIGPEN_PURE is set.")
            return
        self._folder = Path(tempfile.mkdtemp(prefix="pigpen-build-"))
        for native in self.natives:
            for machine in MACHINES:
                output = self._folder / native.name.format(machine)
                native.compile(machine, output)
                self._place(output, native.compiled(machine), version == "editable", build_data)

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove the compiled files, which are in the wheel by now."""
        if folder := getattr(self, "_folder", None):
            shutil.rmtree(folder)

    def _place(self, output: Path, belongs: Path, is_editable: bool, build_data: dict[str, Any]) -> None:
        if is_editable:
            beside = belongs.with_name(f".{belongs.name}.{os.getpid()}")
            shutil.copy(output, beside)
            beside.replace(belongs)  # a program may have the old one open
        else:
            build_data["force_include"][str(output)] = str(belongs.relative_to(self.root))
