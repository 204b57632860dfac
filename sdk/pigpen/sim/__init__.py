"""Simulation: unseen cards sampled, deals played out and solved; the accelerated engine where there is one."""
