"""Cases made at random: in each, one fact holds the word that decides, and the others hold none."""

from __future__ import annotations

import re

import numpy as np

from vivavoce.consistency.legal.trials import LegalCase

VIOLATION, NONE = "shackled", "escorted"
"""The words that decide."""

SYNONYMS = {
    "shackled": ("chained", "fettered", "manacled"),
    "escorted": ("accompanied", "conducted", "ushered"),
    "applicant": ("petitioner", "claimant", "complainant"),
    "officers": ("policemen", "constables", "agents"),
    "lodged": ("filed", "submitted", "brought"),
    "complaint": ("grievance", "objection", "protest"),
    "court": ("tribunal", "bench", "judges"),
    "stated": ("declared", "said", "asserted"),
    "hearing": ("session", "sitting", "proceedings"),
    "letter": ("note", "message", "missive"),
}
"""What the writer puts in the place of a word; a classifier has seen none of it."""

_SENTENCES = (
    "On {day} May the applicant was taken by two officers from the regional office to the {place} and was {word} on the way",
    "In a letter of {day} June the applicant lodged a complaint with the district court and stated that he had been {word}",
    "At the hearing of {day} July the court noted what the officers had stated and that the applicant had been {word} there",
    "The applicant asked for a copy of the file on {day} August, while he was {word} to the {place} with other persons",
)
_NEUTRAL = ("met", "seen", "heard", "named", "registered", "photographed")
_PLACES = ("station", "hospital", "registry", "depot")


def made_cases(count: int, *, facts: int = 8, seed: int = 0, prefix: str = "c") -> tuple[list[LegalCase], list[int]]:
    """Cases, and for each the number of the fact that decides; every other case is a violation. Facts are long enough."""
    rng = np.random.default_rng(seed)
    cases, planted = [], []
    for i in range(count):
        spot = int(rng.integers(1, facts))
        words = [str(rng.choice(_NEUTRAL)) for _ in range(facts)]
        words[spot] = VIOLATION if i % 2 else NONE
        cases.append(LegalCase(f"{prefix}{i}", tuple(_sentence(n, word, rng) for n, word in enumerate(words, 1))))
        planted.append(spot)
    return cases, planted


def reworded(text: str, version: int = 0) -> str:
    """Each word that has synonyms replaced by one of them."""
    return re.sub(r"[a-z]+", lambda m: SYNONYMS.get(m[0], (m[0],) * 3)[version % 3], text)


def original(text: str) -> str:
    """Each synonym replaced by its word: what states the same is the same then."""
    back = {synonym: word for word, synonyms in SYNONYMS.items() for synonym in synonyms}
    return re.sub(r"[a-z]+", lambda m: back.get(m[0], m[0]), text)


def words(text: str) -> list[str]:
    """The words of a text."""
    return re.findall(r"[a-z]+", text.lower())


def _sentence(number: int, word: str, rng: np.random.Generator) -> str:
    form = _SENTENCES[int(rng.integers(len(_SENTENCES)))]
    return f"{number}. " + form.format(day=int(rng.integers(1, 29)), place=rng.choice(_PLACES), word=word) + "."
