"""One way to ask a ladder, on this machine or remote."""
