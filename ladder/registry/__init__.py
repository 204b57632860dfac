"""The ladder's registry of images: whose names are whose, tokens for it, the program, and what it is asked."""
