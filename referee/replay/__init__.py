"""A recorded match played again: to look at, to verify, to ask another bot."""
