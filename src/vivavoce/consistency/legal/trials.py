"""Cases, paraphrases and trials, and the figures that `fluri2024` reports on its own classifier."""

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
"""Why a paraphrase from a file is not used."""


class FactChoice(StrEnum):
    """How the fact to paraphrase is chosen."""

    BLACK = "black"
    """A random fact, chosen without knowledge of the classifier."""
    WHITE = "white"
    """The fact that is most important to the classifier."""
    AGAIN = "again"
    """No fact: the control asks the identical case again, so its differences are due to chance."""


@dataclass(frozen=True, slots=True)
class LegalCase:
    """A case from a file."""

    id: str
    facts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Paraphrase:
    """A paraphrase of a fact, or the reason why there is none."""

    fact: str
    text: str
    """Empty if there is no paraphrase."""
    problem: str = ""
    """Why it is not used; empty if it is used."""
    checked: bool = False
    """Whether a checker or a person confirmed that it states the same."""


@dataclass(frozen=True, slots=True)
class Trial:
    """A pair of judgements: the unchanged case, and the case with one paraphrased fact.

    >>> trial = Trial("c1", FactChoice.WHITE, 3, "She was jailed.", "She was imprisoned.", 0.75, 0.25)
    >>> trial.shift, trial.flips(0.5), trial.flips(0.9)
    (-0.5, True, False)
    """

    case: str
    box: FactChoice
    fact_number: int
    """The number of the fact from 0; -1 if the unchanged case was asked again."""
    fact: str
    paraphrase: str
    before: float
    """The classifier's probability for the unchanged case."""
    after: float

    @property
    def shift(self) -> float:
        """The signed change of the probability."""
        return self.after - self.before

    def flips(self, threshold: float) -> bool:
        """Whether the binary decision changes; a probability at the threshold counts as above it."""
        return (self.before >= threshold) != (self.after >= threshold)


@dataclass(frozen=True, slots=True)
class ExaminedCase:
    """The trials of one case, and their cost."""

    case: str
    trials: tuple[Trial, ...] = ()
    skipped: str = ""
    """Why there are no trials; empty if there are some."""
    unread: int = 0
    """Number of facts beyond the classifier's limit."""
    judged_by: str = ""
    """How importance was measured: `attention` (reported by the classifier), `leave-one-out`, or empty if not measured."""
    paraphrases: tuple[Paraphrase, ...] = ()
    """All requested paraphrases of the chosen facts."""
    absences: Mapping[str, int] = field(default_factory=dict)
    """Missing judgements by reason."""
    judgements: int = 0
    """Number of requested judgements."""
    after_turn: int = 0
    """Number of these that could be parsed only after a follow-up."""
    usage: Usage = field(default_factory=Usage)
    """The cost of all answers on this case."""


def digest_of_cases(cases: Sequence[LegalCase]) -> str:
    """SHA-256 in hex of the cases (ids and facts), in their order."""
    text = json.dumps([[case.id, list(case.facts)] for case in cases], ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


@cache
def published(table: Literal["measures", "training", "flips"]) -> Mapping[str, Any]:
    """A table of `published.toml`.

    >>> published("measures")["f1"]
    0.869
    """
    text = files("vivavoce.consistency.legal").joinpath("published.toml").read_text(encoding="utf-8")
    figures: Mapping[str, Any] = tomllib.loads(text)[table]
    return figures
