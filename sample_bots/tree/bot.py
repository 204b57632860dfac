"""
Searches a tree of plays in deals that fit what it knows, and takes the card that does best.

That is what `pigpen.search.TreeBot` does: the other seats choose cards that are good for themselves, and deals in which
their plays so far are plausible count more. A bot of your own can be one that answers some of the questions better.
"""

from __future__ import annotations

import pigpen
from pigpen.search import TreeBot


class Tree(TreeBot):
    """Chooses cards by tree search; passes and exposes by simulation."""


if __name__ == "__main__":
    pigpen.run(Tree())
