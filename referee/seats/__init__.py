"""Seats, at which bots answer in this process or over gRPC; clocks, verdicts, reconnection."""
