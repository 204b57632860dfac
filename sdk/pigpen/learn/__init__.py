"""
Environments for learning: observations and actions as numbers.

`aec` makes an environment of PettingZoo, `against` one of Gymnasium, `against_many` a vectorised one, and `Tables` has
many tables at once. `play_boards` says how good a policy is against others. `pigpen.learn.registered` registers the
environments of Gymnasium by name. `Encoding` has the observations and actions of a variant, `Steps` a decision action
by action; for these two the standard library is enough. docs/learn.md describes every number.
"""

from pigpen.learn.action_numbers import Steps, actions_of
from pigpen.learn.boards import BoardResult, play_boards
from pigpen.learn.encoding import VERSION, Encoding
from pigpen.learn.environments import aec, against, against_many
from pigpen.learn.opponents import BatchBot, Net, greedy
from pigpen.learn.saved_tables import SavedTables
from pigpen.learn.tables import Tables

__all__ = [
    "VERSION",
    "BatchBot",
    "BoardResult",
    "Encoding",
    "Net",
    "SavedTables",
    "Steps",
    "Tables",
    "actions_of",
    "aec",
    "against",
    "against_many",
    "greedy",
    "play_boards",
]
