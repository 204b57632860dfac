"""Tables with people: the process that plays them."""
