"""Who may enter which bot, under what name, and in what variants; pure functions of what a ladder holds."""
