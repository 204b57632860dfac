"""Events: what an organiser can do with one before it is run. No ladder is needed."""
