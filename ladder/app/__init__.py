"""
Use cases of a ladder: one function for each thing that a user can do, with values in and out (`ladder.values`).

The command uses it, and a site can: neither knows the store. What takes a `Ladder` works on an open ladder.
"""
