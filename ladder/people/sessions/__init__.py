"""The state of open pages: sessions of chairs and of spectators, in the web process."""
