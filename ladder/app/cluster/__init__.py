"""Workers on other machines: their state, and which of them may play."""
