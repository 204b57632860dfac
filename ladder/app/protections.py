"""The protections between bots: which of them work, by what a hostile program in a bot's container could do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ladder.values.reports import Finding
from ladder.values.sandbox_kind import has_own_kernel

if TYPE_CHECKING:
    from collections.abc import Sequence

OWN_KERNEL = "not needed: each bot has a kernel of its own"


@dataclass(frozen=True)
class Probed:
    """Findings of a hostile program in a container, and the platform's power over that container."""

    output: dict[str, Any]
    image_files: str | None
    """Protection of its image's files from timing through the page cache (referee.records.lines.ImageFiles)."""
    has_clock: bool
    """True if its CPU time can be read."""
    can_hold: bool
    """True if it can be frozen."""
    runtime: str
    """The OCI runtime under which it ran."""
    shared_kernel: str
    """The consequence, if the runtime gives it no kernel of its own (`ladder.app.machine_findings.shared_kernel`)."""

    @property
    def own_kernel(self) -> bool:
        """True if it had a kernel to itself."""
        return has_own_kernel(self.runtime)


def protections(probed: Probed, reclaims: bool) -> list[Finding]:
    """Give what the probe's attempts have shown, one finding for each protection."""
    return [
        _kernel(probed),
        _system_calls(probed),
        _masks(probed),
        _landlock(probed),
        _image_files(probed),
        _reclaiming(probed, reclaims),
        _cpu_clock(probed),
        _holding(probed),
    ]


def stands(findings: Sequence[Finding]) -> bool:
    """Tell whether every protection works."""
    return all(finding.holds for finding in findings if finding.is_protection)


def _protection(name: str, holds: bool, stands: str, falls: str, follows: str) -> Finding:
    return Finding(name, holds, stands if holds else falls, follows, is_protection=True)


def _kernel(probed: Probed) -> Finding:
    stands, falls = f"one for each bot ({probed.runtime})", f"all bots share this machine's ({probed.runtime})"
    return _protection("Kernel", probed.own_kernel, stands, falls, probed.shared_kernel)


def _system_calls(probed: Probed) -> Finding:
    done = [name for name, came in probed.output["calls"].items() if came == "done"]
    if probed.own_kernel:
        done = [name for name in done if name == "network"]
    follows = "Bots can pass information, or reach a network. Check that the runtime applies our list of system calls."
    stands = OWN_KERNEL if probed.own_kernel else "only those on our list"
    return _protection("System calls", not done, stands, f"{', '.join(done)} was allowed", follows)


def _masks(probed: Probed) -> Finding:
    follows = "What the whole machine does can be read there, so bots can signal. Check that the runtime masks paths."
    return _reads("/proc and /sys", probed, "host", "tell nothing of the host", follows)


def _landlock(probed: Probed) -> Finding:
    follows = "These tell which pages of an image other bots use. A kernel with Landlock (5.19) closes them."
    return _reads("Landlock", probed, "others", "only harmless files of /proc open", follows)


def _reads(name: str, probed: Probed, what: str, stands: str, follows: str) -> Finding:
    if probed.own_kernel:
        return _protection(name, True, OWN_KERNEL, "", follows)
    seen = probed.output[what]
    return _protection(name, not seen, stands, f"{', '.join(seen)} can be read", follows)


def _image_files(probed: Probed) -> Finding:
    follows = "A bot can leave notes in the page cache for its next rotation. Give the engine the right to lock memory."
    words = {"locked": "locked in memory", "isolated": "in a page cache of each bot's own"}
    holds = probed.image_files in words
    return _protection(
        "Files of images", holds, words.get(str(probed.image_files), ""), "only read before a table", follows
    )


def _reclaiming(probed: Probed, reclaims: bool) -> Finding:
    follows = (
        "A bot can tell its next rotation something by looking up names that do not exist. Run the ladder as root on "
        "the engine's machine."
    )
    return _protection(
        "Names looked up", reclaims or probed.own_kernel, "forgotten between tables", "remembered", follows
    )


def _cpu_clock(probed: Probed) -> Finding:
    follows = "Clocks count wall time, which others at the table can steal. Run the ladder on the engine's machine."
    return _protection("Clocks", probed.has_clock, "count each bot's own CPU time", "count wall time", follows)


def _holding(probed: Probed) -> Finding:
    follows = "Bots can think, and take time from others, while it is not their turn. Run the ladder as root."
    return _protection(
        "Holding still", probed.can_hold, "bots that are not asked are frozen", "no bot can be frozen", follows
    )
