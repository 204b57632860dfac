"""Accounts: how people register and log in, and what each account may see and do."""
