"""What serves every request: connections, limits, visitors, errors, headers, metrics."""
