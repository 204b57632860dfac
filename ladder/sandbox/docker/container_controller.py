"""Holds a container still, reads its clock, and notes when it wrote what."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ladder.sandbox.docker.control_group import ControlGroup
    from ladder.sandbox.docker.output import Output


class ContainerController:
    """A container's `referee.seats.process_controller.ProcessController`."""

    def __init__(self, group: ControlGroup | None, output: Output, core: int | None) -> None:
        """
        Keep a container.

        Args:
            group: Its control group, where there is one to be found; closed with the keeper.
            output: What it writes.
            core: The core to think on; None: any.
        """
        self._group = group
        self._output = output
        self._core = core

    def cpu_time(self) -> float | None:
        """Seconds of CPU time of all its processes; None where that cannot be read."""
        return self._group.cpu_time() if self._group else None

    def seated(self) -> None:
        """Put it on its core: starting took all there are, since four at once start much faster so."""
        if self._group and self._core is not None:
            self._group.pin(self._core)

    def hold(self) -> None:
        """Freeze it."""
        if self._group:
            self._group.hold()

    def free(self) -> None:
        """Thaw it."""
        if self._group:
            self._group.free()

    def mark(self, decision: int) -> None:
        """What it writes from now on, it writes at *decision*."""
        self._output.mark(decision)

    def peak_memory(self) -> int | None:
        """The most bytes of memory it has used; None where that cannot be read, or no longer."""
        return self._group.peak_memory() if self._group else None

    def close(self) -> None:
        """Let go of the control group; harmless twice."""
        if self._group:
            self._group.close()
