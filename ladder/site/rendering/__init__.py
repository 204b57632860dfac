"""The parts of which pages are made: templates, translations, charts, static files, the cache of answers."""
