"""Handling of every request: connections, limits, visitors, errors, headers, metrics."""
