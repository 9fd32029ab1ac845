"""Passwords are kept as Argon2id hashes, and checking one takes as long for an address that nobody has."""

from __future__ import annotations

from functools import cache
from threading import BoundedSemaphore
from typing import Final

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from vivavoce.errors import BadInput

SHORTEST: Final = 10
LONGEST: Final = 200
"""Characters; beyond that hashing would be work that strangers could give us."""
_AT_ONCE: Final = BoundedSemaphore(2)
"""Each hash takes 64 MiB for a moment."""
_HASHER: Final = PasswordHasher()


def hashed(password: str) -> str:
    """What is stored of a password. Raises `BadInput` for one that is too short, too long, or all one letter."""
    if len(password) < SHORTEST:
        raise BadInput(f"The password needs at least {SHORTEST} characters. A few words in a row are good.")
    if len(password) > LONGEST:
        raise BadInput(f"The password has {len(password)} characters: {LONGEST} is the most.")
    if len(set(password)) < 4:
        raise BadInput("That password is too easy to guess. A few words in a row are good.")
    with _AT_ONCE:
        return _HASHER.hash(password)


def is_right(password: str, stored: str | None) -> bool:
    """Whether the password is the one that was stored; never for None, which takes as long to find out."""
    if len(password) > LONGEST:
        return False
    with _AT_ONCE:
        try:
            _HASHER.verify(stored or _nobodys(), password)
        except (VerificationError, InvalidHashError):
            return False
    return stored is not None


@cache
def _nobodys() -> str:
    return _HASHER.hash("nobody has this password")
