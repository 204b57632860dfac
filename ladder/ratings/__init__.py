"""The strength of bots: Elo after every match, and a batch estimate that knows how sure it is (docs/ratings.md)."""
