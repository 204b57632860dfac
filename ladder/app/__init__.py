"""
What a user can do: one function for each thing, with values in and out (`ladder.values`).

The command uses it, and a site can: neither knows the store. What takes a `Ladder` works on an open ladder.
"""
