"""The sample bot `tree` as it would be if it counted its time by the clock on the wall."""

import pigpen
from pigpen.search import TreeBot


class ByWall(TreeBot):
    """Thinks by wall time, whatever it is charged."""

    def seconds(self, view: pigpen.View) -> float:
        """Take a second of wall time for a second that is charged."""
        view.charge_rate = view.cpu_rate = 1.0
        return super().seconds(view)


if __name__ == "__main__":
    pigpen.run(ByWall())
