"""Tables with people: opening, joining, watching and ending them."""
