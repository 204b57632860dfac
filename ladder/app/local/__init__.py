"""What a contestant does on one machine, without a ladder: play, check, compare, rerun, verify."""
