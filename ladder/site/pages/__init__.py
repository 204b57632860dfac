"""Pages for readers, and for organisers."""
