"""Common parts of commands: options, output, keys of the terminal, cards in words."""
