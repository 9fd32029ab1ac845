"""Cases, paraphrases and trials, and the figures that `fluri2024` reports about its own classifier."""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from importlib.resources import files
from typing import Any, Literal

from vivavoce.interview.candidate import Usage

REVIEW = "rejected in review"
"""Why a paraphrase of a file is not used."""


class Box(StrEnum):
    """How the fact to paraphrase is chosen."""

    BLACK = "black"
    """At random, without knowledge about the classifier."""
    WHITE = "white"
    """The fact that is most important to the classifier."""
    AGAIN = "again"
    """None: the control asks the identical case again, so its differences are due to chance."""


@dataclass(frozen=True, slots=True)
class LegalCase:
    """A case of a file."""

    id: str
    facts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Paraphrase:
    """A paraphrase of a fact, or the reason why there is none."""

    fact: str
    text: str
    """Empty without a paraphrase."""
    problem: str = ""
    """Why it is not used; empty if it is."""
    checked: bool = False
    """Whether a checker or a person said that it states the same."""


@dataclass(frozen=True, slots=True)
class Trial:
    """One question asked twice: the case as it is, and with one fact in other words.

    >>> trial = Trial("c1", Box.WHITE, 3, "She was jailed.", "She was imprisoned.", 0.75, 0.25)
    >>> trial.shift, trial.flips(0.5), trial.flips(0.9)
    (-0.5, True, False)
    """

    case: str
    box: Box
    fact_number: int
    """Of the fact, counted from 0; -1 where the case was asked again as it is."""
    fact: str
    paraphrase: str
    before: float
    """The probability that the classifier gives to the case as it is."""
    after: float

    @property
    def shift(self) -> float:
        """Change of the probability, with its sign."""
        return self.after - self.before

    def flips(self, threshold: float) -> bool:
        """Whether the hard decision changes; a probability at the threshold counts as above it."""
        return (self.before >= threshold) != (self.after >= threshold)


@dataclass(frozen=True, slots=True)
class ExaminedCase:
    """The trials of one case, and what they cost."""

    case: str
    trials: tuple[Trial, ...] = ()
    skipped: str = ""
    """Why there are no trials; empty if there are some."""
    unread: int = 0
    """Facts beyond what the classifier can take."""
    judged_by: str = ""
    """How importance was measured: `attention` (by the classifier itself), `leave-one-out`, or empty if it was not."""
    paraphrases: tuple[Paraphrase, ...] = ()
    """All requested paraphrases of the chosen facts."""
    absences: Mapping[str, int] = field(default_factory=dict)
    """Missing judgements, by reason."""
    judgements: int = 0
    """That were asked for."""
    after_turn: int = 0
    """Of these, judgements that were read only after a further turn."""
    usage: Usage = field(default_factory=Usage)
    """What all answers on this case cost."""


def digest_of_cases(cases: Sequence[LegalCase]) -> str:
    """SHA-256 in hex of the cases, ids and facts, in their order."""
    text = json.dumps([[case.id, list(case.facts)] for case in cases], ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


@cache
def published(table: Literal["measures", "training", "flips"]) -> Mapping[str, Any]:
    """One table of `published.toml`.

    >>> published("measures")["f1"]
    0.869
    """
    text = files("vivavoce.consistency.legal").joinpath("published.toml").read_text(encoding="utf-8")
    figures: Mapping[str, Any] = tomllib.loads(text)[table]
    return figures
