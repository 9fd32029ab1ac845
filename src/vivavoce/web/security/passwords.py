"""Passwords as Argon2id hashes; a check takes equally long for unknown addresses. Small, since only sign-in loads Argon2."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Final, TypeVar

from anyio import CapacityLimiter, to_thread
from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from vivavoce.errors import BadInput, VivavoceError

Answer = TypeVar("Answer")

SHORTEST: Final = 10
LONGEST: Final = 200
"""Characters of a password; hashing more would let strangers cause work."""
AT_ONCE: Final = 2
"""Each hash takes 64 MiB for a moment."""
LONGEST_QUEUE: Final = 20
"""Requests that wait for a hash: about two seconds of work on two cores."""
_HASHER: Final = PasswordHasher()


class PasswordsBusy(VivavoceError):
    """Too many passwords wait to be checked."""


class PasswordThreads:
    """The threads for requests with passwords, apart from those of pages, with a queue that does not grow beyond its limit."""

    def __init__(self) -> None:
        self._threads = CapacityLimiter(AT_ONCE)
        self._requests = 0

    async def run(self, answer: Callable[[], Answer]) -> Answer:
        """Call this in such a thread. Raises `PasswordsBusy` at once if the queue is full."""
        if self._requests >= AT_ONCE + LONGEST_QUEUE:
            raise PasswordsBusy("too many passwords are waiting: try again")
        self._requests += 1
        try:
            return await to_thread.run_sync(answer, limiter=self._threads)
        finally:
            self._requests -= 1


def hashed(password: str) -> str:
    """The stored hash of a password. Raises `BadInput` if it is too short, too long, or a single letter repeated."""
    if len(password) < SHORTEST:
        raise BadInput(f"The password needs at least {SHORTEST} characters. A few words in a row are good.")
    if len(password) > LONGEST:
        raise BadInput(f"The password has {len(password)} characters; the limit is {LONGEST}.")
    if len(set(password)) < 4:
        raise BadInput("That password is too easy to guess. A few words in a row are good.")
    return _HASHER.hash(password)


def is_right(password: str, stored: str | None) -> bool:
    """Whether the password matches the hash; for None never, after the same time."""
    if len(password) > LONGEST:
        return False
    try:
        _HASHER.verify(stored or _nobodys(), password)
    except (VerificationError, InvalidHashError):
        return False
    return stored is not None


@cache
def _nobodys() -> str:
    return _HASHER.hash("no one has this password")
