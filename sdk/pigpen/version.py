"""The version of the SDK."""

__version__: str = "0.1.0"
"""Version of the SDK."""
