"""Simulations that visitors ask for: a process of its own computes them, and the answers are kept."""
