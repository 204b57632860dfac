"""Work of a contestant on one machine, without a ladder: play, check, compare, rerun, verify."""
