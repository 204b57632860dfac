"""Who plays whom, and which bots are suspended: pure functions."""
