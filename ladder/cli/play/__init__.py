"""Commands for writing a bot: new, play, check, compare, rerun, rules."""
