"""What several commands share: options, output, keys of the terminal."""
