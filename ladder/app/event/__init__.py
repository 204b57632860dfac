"""Events: what an organiser can do with one before it is run, and how it is held on a ladder."""
