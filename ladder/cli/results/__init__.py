"""Commands that follow a ladder: standings, bots, matches, output of bots."""
