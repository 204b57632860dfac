"""One match on this machine: play, conformance check, pre-flight, comparison, rerun."""
