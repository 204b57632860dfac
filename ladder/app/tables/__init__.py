"""Tables with people: opened, joined, shown to a browser."""
