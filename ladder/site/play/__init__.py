"""Tables for people: opening one, playing, watching, and boards that others play, too."""
