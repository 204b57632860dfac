"""Admission: the bots that an owner may enter, their names and variants; and permissions of users. Pure functions."""
