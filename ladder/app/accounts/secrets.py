"""Secrets that give access: made of 32 random bytes, shown once, stored as their SHA-256 only."""

from __future__ import annotations

import hashlib
import secrets

TOKEN, SESSION, INVITATION, DEVICE = "pgp_", "pgs_", "pgi_", "pgd_"
"""Beginnings of the kinds of secrets, so that people, and programs that look for leaks, recognise one."""
RANDOM_BYTES = 32
LETTERS = "BCDFGHJKLMNPQRSTVWXZ"
"""Of codes that people compare: no vowels, so no words; nothing that looks like a digit."""


def new_secret(prefix: str) -> str:
    """
    Make a secret.

    >>> len(new_secret(TOKEN)), new_secret(TOKEN)[:4]
    (47, 'pgp_')
    """
    return prefix + secrets.token_urlsafe(RANDOM_BYTES)


def hash_of(secret: str) -> str:
    """
    Give what is stored of a secret: 256 random bits need no salt, and no slow hash.

    >>> hash_of("pgp_")[:8]
    'a0f0cd3e'
    """
    return hashlib.sha256(secret.encode(errors="surrogatepass")).hexdigest()


def new_user_code() -> str:
    """
    Make a code that people compare at two screens: `BCDF-GHJK`.

    >>> len(new_user_code()), new_user_code()[4]
    (9, '-')
    """
    letters = "".join(secrets.choice(LETTERS) for _ in range(8))
    return f"{letters[:4]}-{letters[4:]}"


def tidy_user_code(text: str) -> str:
    """
    Read such a code as people type it.

    >>> tidy_user_code(" bcdf ghjk")
    'BCDF-GHJK'
    """
    letters = "".join(letter for letter in text.upper() if letter in LETTERS)[:8]
    return f"{letters[:4]}-{letters[4:]}"
