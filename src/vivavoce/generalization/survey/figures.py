"""The figures of a survey of belief changes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from vivavoce.formats.interval import Estimate


@dataclass(frozen=True, slots=True)
class StageShares:
    """One stage of a survey."""

    stage: int | None
    """None where none was kept."""
    changed: Estimate
    """Share of answers with a belief change, of the pairs that were drawn for it."""
    weighted: Estimate | None
    """The same of all pairs from which they were drawn, by the weights; None where all have the same weight."""


@dataclass(frozen=True, slots=True)
class AnswerEffect:
    """What people did after they had seen a right answer, or a wrong one."""

    changed: Estimate
    risen: Estimate
    """Share of answers after which the belief was higher."""
    fallen: Estimate
    posterior: Estimate
    """Mean belief afterwards, from 0 to 1."""

    def as_json(self) -> dict[str, Any]:
        """As JSON values."""
        return {name: getattr(self, name).as_json() for name in ("changed", "risen", "fallen", "posterior")}


@dataclass(frozen=True, slots=True)
class BeliefSpread:
    """How beliefs and their changes are spread (Figure 5 of `vafa2024`)."""

    prior: Estimate
    """Mean."""
    posterior: Estimate
    change: Estimate
    """Mean, up and down against each other."""
    slight: Estimate
    """Share of changes of 5 percent points or less."""
    priors: tuple[int, ...]
    """Answers with a belief from 0, from 10 ... from 90 to 100 percent."""
    posteriors: tuple[int, ...]
    changes: tuple[int, ...]
    """Answers that fell by 90 to 100 points ... by up to 10, that stayed, that rose by up to 10 ... by 90 to 100."""
