"""What people want to see of a ladder: each module reads one page, for the command as for a web page."""
