"""Randomness of a bot: a function of its seed and of what it is asked, so neither order nor repetition changes an answer."""

from __future__ import annotations

import hashlib
import random
from dataclasses import dataclass

from vivavoce.interview.candidate import Prompt


@dataclass(frozen=True, slots=True)
class Seeded:
    """Options of a bot that draws at random."""

    seed: int = 0


def random_for(bot: str, seed: int, prompt: Prompt) -> random.Random:
    """A generator of its own for one bot, seed and prompt.

    >>> random_for("x", 0, Prompt("?")).random() == random_for("x", 0, Prompt("?")).random()
    True
    """
    digest = hashlib.sha256("\n".join((bot, str(seed), prompt.system, prompt.text)).encode("utf-8", "replace")).digest()
    return random.Random(digest)  # noqa: S311 - nothing here is a secret
