"""Webhooks: which addresses may be reached, signatures, and the process's part that sends messages of the outbox."""
