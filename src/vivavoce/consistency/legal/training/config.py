"""How a classifier of cases is trained: every setting, once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from vivavoce.settings import Seed, Share, Within, check, setting


@dataclass(frozen=True, slots=True)
class TrainingConfig:
    """How a classifier is trained and held to what it has not seen."""

    article: str = setting(
        "", "What counts as yes: a violation of this article, such as 3 or P1-1; if not given, of any.", metavar="ARTICLE"
    )
    dimensions: Annotated[int, Within(1, 2_000)] = setting(200, "Numbers a fact, at most, of the encoder lsa.")
    units: Annotated[int, Within(1, 1_000)] = setting(32, "Inner units of the attention.")
    steps: Annotated[int, Within(1, 100_000)] = setting(500, "Steps of each search, at most.")
    starts: Annotated[int, Within(1, 1_000)] = setting(3, "Places, drawn at random, where the search begins.")
    held_out: Share = setting(0.25, "Share of the cases that is held out, if there is no --test.")
    validation: Share = setting(0.2, "Share of the other cases that chooses the penalty, if there is no --dev.")
    threshold: Share = setting(0.5, "Probability from which on a decision is a violation.")
    seed: Seed = setting(0, "Draws cases and where the search begins.")

    def __post_init__(self) -> None:
        check(self)
