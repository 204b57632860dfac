"""The web site: pages, the API, and what both are served with. It reads the ladder through `ladder.app`."""
