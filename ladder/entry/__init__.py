"""Who may enter which bot, under what name, in what variants; who may see and do what. Pure functions."""
