"""People and the ladder: accounts, how somebody proves to be one, and who may see and do what."""
