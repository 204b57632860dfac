"""Where a bot answers: in this process or over gRPC; clocks, verdicts, reconnection."""
