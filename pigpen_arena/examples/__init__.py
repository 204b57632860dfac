"""A net that learns to play by self-play, on one core, and becomes a bot."""
