"""Which forecasts are asked for, and how: every setting, once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Final, Literal

from vivavoce.settings import Count, Seed, Temperature, Within, check, setting

Variant = Literal["plain", "opposite", "canonical"]
"""How probabilities are asked for: as they are, with the opposite question derived first, or with a canonical wording first."""
REPEATS_AT_ZERO: Final = 3
"""At temperature 0, where replies differ seldom (`fluri2024`, appendix C.1)."""
REPEATS: Final = 6
"""At any other temperature (ibid.)."""


@dataclass(frozen=True, slots=True)
class ForecastsConfig:
    """Which forecasts are asked for, and how.

    >>> ForecastsConfig().times, ForecastsConfig(temperature=0.5).times, ForecastsConfig(temperature=0.5, repeats=1).times
    (3, 6, 1)
    """

    limit: Count | None = setting(None, "Use this many tuples, drawn at random; else all.")
    """Without controls."""
    variant: Variant = setting("plain", "Have the opposite question, or a canonical wording, derived before the answer.")
    temperature: Temperature = setting(0.0, "Temperature of replies; none: the candidate's own.")
    repeats: Annotated[int, Within(1, 1_000)] | None = setting(
        None,
        f"Replies to each question; their median counts. By default {REPEATS_AT_ZERO} at temperature 0, else {REPEATS}.",
    )
    control: Annotated[int, Within(least=0)] = setting(
        20, "Control: ask one question of N tuples three more times, word for word, to measure what chance alone does."
    )
    seed: Seed = setting(0, "Draws the tuples.")
    """And their order."""

    def __post_init__(self) -> None:
        check(self)

    @property
    def times(self) -> int:
        """How often each question is asked for one forecast."""
        if self.repeats is not None:
            return self.repeats
        return REPEATS_AT_ZERO if self.temperature == 0 else REPEATS
