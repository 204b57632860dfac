"""Commands for writing a bot: new, play, check, compare, duel, rerun, rules."""
