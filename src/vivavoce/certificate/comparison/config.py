"""The settings of a comparison."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from vivavoce.certificate.config import Unreadable
from vivavoce.settings import Count, Seed, Share, Within, check, setting

Rule = Literal["any", "share"]
"""What delta bounds: the chance of any wrong statement, or the expected share of wrong ones."""
Margin = Annotated[float, Within(least=0, below=1)]


@dataclass(frozen=True, slots=True)
class ComparisonConfig:
    """What is claimed of differences, and how surely."""

    margin: Margin = setting(0.02, "Differences of mean score up to this do not matter: 'equal' and 'no worse' are up to it.")
    delta: Share = setting(0.05, "Bound on the chance of a wrong statement, over all attempts.")
    rule: Rule = setting(
        "any", "Of many candidates, what delta bounds: the chance of any wrong statement, or the expected share of wrong ones."
    )
    questions: Count | None = setting(None, "Ask each candidate at most N.")
    unreadable: Unreadable = setting(
        "interval", "A reply that cannot be read may be worth anything, which speaks for neither side; or it counts as wrong."
    )
    seed: Seed | None = setting(None, "Draws the questions, for examples and studies; else drawn at random.")

    def __post_init__(self) -> None:
        check(self)


@dataclass(frozen=True, slots=True)
class GateConfig:
    """What lets a new candidate pass, and how surely."""

    margin: Margin = setting(
        0.02, "It passes once 'worse by this mean score or more' is ruled out; with 0 it can only fail, or be left undecided."
    )
    delta: Share = setting(0.05, "Bound on the chance of each of the two wrong verdicts, over all attempts.")
    questions: Count | None = setting(None, "Ask each candidate at most N.")
    unreadable: Unreadable = setting(
        "interval", "A reply that cannot be read may be worth anything, which speaks for neither side; or it counts as wrong."
    )
    seed: Seed | None = setting(None, "Draws the questions, for examples and studies; else drawn at random.")

    def __post_init__(self) -> None:
        check(self)
