"""
Tries every choice in many deals that fit what it knows, and takes the one that does best on average.

That is what `pigpen.search.SearchBot` does. A bot of your own can be one that answers some of the questions better.
"""

from __future__ import annotations

import pigpen
from pigpen.search import SearchBot


class Sampling(SearchBot):
    """Plays all phases of all variants by simulation."""


if __name__ == "__main__":
    pigpen.run(Sampling())
