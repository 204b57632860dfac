"""What pages are made with: templates, translations, charts, static files, the cache of answers."""
