"""The web application put together, and the process that serves it."""
