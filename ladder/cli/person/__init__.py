"""The table of `pigpen play human …`: what it shows, what keys do, how it talks to the seat."""
