"""What commands share: options, output, keys of the terminal, cards in words."""
