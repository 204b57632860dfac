"""From what a contestant submits to what the ladder may take: found, pinned, and tried before it plays."""
