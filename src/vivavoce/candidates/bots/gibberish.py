"""A bot that says nothing, at length: pronounceable words without meaning."""

from __future__ import annotations

import random

from vivavoce.candidates.bots.randomness import Seeded, random_for
from vivavoce.candidates.options import canonical
from vivavoce.interview.candidate import Prompt, RepeatReason, Reply

ONSETS = ("b", "br", "d", "f", "fl", "g", "gl", "h", "k", "kl", "l", "m", "n", "p", "pl", "r", "s", "st", "t", "tr", "v")
VOWELS = ("a", "e", "i", "o", "u", "ai", "ea", "oo")
CODAS = ("", "", "", "l", "m", "n", "r", "s", "sk", "nt")


class Gibberish:
    """Answers every prompt with one to three sentences of nonsense."""

    asked_again: RepeatReason = "same"
    """It would say the same."""

    def __init__(self, options: Seeded) -> None:
        self.name = "bot:gibberish" + canonical(options)
        self._seed = options.seed

    def __repr__(self) -> str:
        return f"<{self.name}>"

    async def answer(self, question: Prompt, /) -> Reply:
        """Nonsense that depends on the prompt and the seed alone."""
        rng = random_for("gibberish", self._seed, question)
        return Reply(" ".join(_sentence(rng) for _ in range(rng.randint(1, 3))))


def _sentence(rng: random.Random) -> str:
    words = [_word(rng) for _ in range(rng.randint(3, 10))]
    return " ".join(words).capitalize() + rng.choice(".....!?")


def _word(rng: random.Random) -> str:
    syllables = rng.choices((1, 2, 3), weights=(3, 4, 2))[0]
    return "".join(rng.choice(ONSETS) + rng.choice(VOWELS) + rng.choice(CODAS) for _ in range(syllables))
