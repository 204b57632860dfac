"""Changes to a ladder: each function works in a transaction that its caller opens."""
