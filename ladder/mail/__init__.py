"""E-mail: letters composed from templates, sent over SMTP, and the process's part that sends those of the outbox."""
