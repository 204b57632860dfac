"""Tables: opening them, the chairs at them, how many a visitor may open."""
