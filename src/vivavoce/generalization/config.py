"""How models are compared with what people expect of them: every setting, once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from vivavoce.errors import BadInput
from vivavoce.settings import Seed, Share, check, setting

Among = Literal["all", "changed"]
"""Over which beliefs averages are taken."""
MOST_THRESHOLDS: Final = 20


@dataclass(frozen=True, slots=True)
class AlignConfig:
    """How models are aligned."""

    models: tuple[str, ...] = setting((), "Look at this column of answers only; may be given again.", metavar="NAME")
    """All if none are named."""
    people: tuple[str, ...] = setting((), "This column of answers is a person's; may be given again.", metavar="NAME")
    """The calibration of all people is pooled, and so is that of the others."""
    thresholds: tuple[Share, ...] = setting(
        (0.5, 0.9, 0.95, 0.99), "Chances of being right above which a model is trusted.", metavar="T,T,..."
    )
    rules: tuple[str, ...] = setting(
        (),
        "What people use a model for: above:T, top:SHARE or proportional; may be given again. Else above each threshold, and "
        "top:0.25.",
        metavar="RULE",
    )
    among: Among = setting(
        "all", "The beliefs that a survey's means are taken over: all, as in the paper, or those that changed."
    )
    confidence: Share = setting(0.95, "Confidence level of the intervals.")
    seed: Seed = setting(0, "Draws resamples.")
    beliefs: Mapping[str, float] = field(default_factory=dict)
    """Averages of `Beliefs` that are given by name; the others are those of the raw beliefs, else those of the paper."""

    def __post_init__(self) -> None:
        check(self)
        if not 1 <= len(self.thresholds) <= MOST_THRESHOLDS:
            raise BadInput(f"there are {len(self.thresholds)} thresholds: give 1 to {MOST_THRESHOLDS}")
