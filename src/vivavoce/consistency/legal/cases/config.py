"""How legal cases are examined: every setting, once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from vivavoce.settings import Count, Seed, Share, Within, check, setting

Boxes = Literal["both", "black", "white"]
Way = Literal["auto", "attention", "leave-one-out"]
"""How importance is measured."""


@dataclass(frozen=True, slots=True)
class CasesConfig:
    """How cases are examined; by default one random fact and the most important one of each, with three paraphrases each."""

    box: Boxes = setting("both", "Reword a fact drawn at random (black), the most important one (white), or each.")
    importance: Way = setting(
        "auto",
        "How importance is measured: by the classifier's attention, or by leaving out each fact; auto: attention where "
        "available.",
    )
    paraphrases: Annotated[int, Within(1, 100)] = setting(3, "Paraphrases of each fact.")
    facts: Annotated[int, Within(1, 1_000)] = setting(1, "Facts drawn at random from each case.")
    """Appendix D of `fluri2024` has 10."""
    shortest: Annotated[int, Within(least=0)] = setting(120, "Fewest characters of a fact to reword.")
    repeats: Annotated[int, Within(0, 100)] = setting(1, "The control: ask each case again as it is.")
    threshold: Share = setting(0.5, "Probability from which on a decision is a violation.")
    limit: Count | None = setting(None, "Cases at most; drawn at random if there are more.")
    seed: Seed = setting(0, "Draws cases and facts.")

    def __post_init__(self) -> None:
        check(self)
