"""A remote ladder, asked over HTTP. Needs neither a database nor Docker."""
