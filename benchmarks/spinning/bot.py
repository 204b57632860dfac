"""A bot that plays its first legal card, while twelve processes of it do nothing but burn CPU time."""

import subprocess
import sys

import pigpen

PROCESSES = 12


class Spinning(pigpen.Bot):
    """Starts its spinners when it is first asked."""

    spinners: tuple[subprocess.Popen[bytes], ...] = ()

    def play(self, view: pigpen.View) -> pigpen.Card:
        """Return the first legal card."""
        if not self.spinners:
            command = [sys.executable, "-S", "-c", "while True: pass"]
            self.spinners = tuple(subprocess.Popen(command) for _ in range(PROCESSES))
        return view.legal[0]


if __name__ == "__main__":
    pigpen.run(Spinning())
