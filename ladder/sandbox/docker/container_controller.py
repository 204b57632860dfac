"""Freezes a container, reads its CPU time, and labels its output with decisions."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ladder.sandbox.docker.control_group import ControlGroup, LeasedGroup
    from ladder.sandbox.docker.output import Output


class ContainerController:
    """A container's `referee.seats.process_controller.ProcessController`."""

    def __init__(self, group: ControlGroup | LeasedGroup | None, output: Output, core: int | None) -> None:
        """
        Control a container.

        Args:
            group: Its control group, where there is one to be found; closed with this object.
            output: Its stdout and stderr.
            core: The core that it is limited to once it is seated; None: any.
        """
        self._group = group
        self._output = output
        self._core = core

    def cpu_time(self) -> float | None:
        """Read the seconds of CPU time of all its processes; None where that cannot be read."""
        return self._group.cpu_time() if self._group else None

    def seated(self) -> None:
        """Limit it to its core. While it starts it may use all cores: four containers start much faster so."""
        if self._group and self._core is not None:
            self._group.pin(self._core)

    def freeze(self) -> None:
        """Freeze all its processes."""
        if self._group:
            self._group.freeze()

    def thaw(self) -> None:
        """Resume all its processes."""
        if self._group:
            self._group.thaw()

    def mark(self, decision: int) -> None:
        """Label what it writes from now on with the number of this *decision*."""
        self._output.mark(decision)

    def peak_memory(self) -> int | None:
        """Read the most bytes of memory it has used; None where that cannot be read, or no longer."""
        return self._group.peak_memory() if self._group else None

    def close(self) -> None:
        """Close the control group's files; may be called twice."""
        if self._group:
            self._group.close()
