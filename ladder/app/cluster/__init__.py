"""Workers on other machines: what is seen of them, and who is to play."""
