"""People at tables: everything of it, from the database's use cases to the terminal and the pages of the site."""
