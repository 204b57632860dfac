"""A person's seat: the client of the referee, why a card may not be played, where points come from."""
