"""What open pages show: sessions of chairs and of spectators, in the web process."""
