"""Commands about accounts, and about logging in."""
