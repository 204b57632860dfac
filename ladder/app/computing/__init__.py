"""What simulates: asked for by visitors, computed by a process of its own, and kept."""
