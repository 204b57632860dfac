"""Pages of accounts: logging in, one's own account, bots and submissions."""
