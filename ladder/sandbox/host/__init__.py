"""The machine: its cores and memory, temporary folders, and which process made what."""
