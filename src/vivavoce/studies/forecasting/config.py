"""Settings for making tuples of questions and for asking for forecasts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Final, Literal

from vivavoce.errors import BadInput
from vivavoce.settings import Count, Seed, Temperature, Within, check, setting

Variant = Literal["plain", "opposite", "canonical"]
"""How to ask for probabilities: directly, or after deriving the opposite question or a canonical wording."""
Wording = Literal["own", "printed"]
"""Wording of the prompts: our own, or Boxes 1 to 4 of `fluri2024` (`printed`)."""
Implied = Literal["lower", "higher"]
"""The value implied in a chain: 'more than 3000' implies the lower, 'by 2030' the higher one."""
TEMPLATE, NOBODY = "template", "none"
"""Names used instead of a writer or a checker."""
REPEATS_AT_ZERO: Final = 3
"""Replies at temperature 0, where they seldom differ (`fluri2024`, appendix C.1)."""
REPEATS: Final = 6
"""Replies at any other temperature (ibid.)."""


@dataclass(frozen=True, slots=True)
class ForecastsConfig:
    """Which forecasts to ask for, and how.

    >>> ForecastsConfig().times, ForecastsConfig(temperature=0.5).times, ForecastsConfig(temperature=0.5, repeats=1).times
    (3, 6, 1)
    """

    limit: Count | None = setting(None, "Use this many tuples, drawn at random; else all.")
    """Controls don't count."""
    variant: Variant = setting("plain", "Have the opposite question, or a canonical wording, derived before the answer.")
    temperature: Temperature = setting(0.0, "Temperature of replies; none: the candidate's own.")
    repeats: Annotated[int, Within(1, 1_000)] | None = setting(
        None,
        f"Take the median of N replies. [default: {REPEATS_AT_ZERO} at temperature 0, else {REPEATS}]",
    )
    control: Annotated[int, Within(least=0)] = setting(20, "Tuples for the control: one question is repeated three times.")
    seed: Seed = setting(0, "Draw the tuples with this seed.")
    """It also decides their order."""
    prompts: Wording = setting("own", "Words of the prompts: our own, or those printed in the paper.")
    together: bool = setting(
        False,
        "Ask the questions of a tuple in one conversation, in random order.",
    )
    """Each question then follows the real replies to those before it."""

    def __post_init__(self) -> None:
        check(self)

    @property
    def times(self) -> int:
        """Replies to each question for one forecast."""
        if self.repeats is not None:
            return self.repeats
        return REPEATS_AT_ZERO if self.temperature == 0 else REPEATS


@dataclass(frozen=True, slots=True)
class VariantsConfig:
    """Ways to ask that are compared with the first one."""

    variants: tuple[str, ...] = setting(
        ("plain", "opposite", "canonical"),
        "Ask in this way, compared with the first; see above. Repeatable.",
        metavar="VARIANT",
    )

    def __post_init__(self) -> None:
        check(self)
        if len(self.variants) < 2:
            raise BadInput("one way to ask can't be compared: give at least two variants")


@dataclass(frozen=True, slots=True)
class MakingConfig:
    """Settings for making tuples of related questions."""

    laws: tuple[str, ...] = setting((), "Which laws; see above.", metavar="LAW,...")
    paraphrases: Annotated[int, Within(1, 40)] = setting(3, "Write this many paraphrases of each question (law paraphrase).")
    """`fluri2024` (section 6.2) uses three besides the original."""
    statements: Annotated[int, Within(1, 40)] = setting(3, "Statements besides P (exclusive, partition, chain).")
    pairs: Count | Literal["all"] | None = setting(
        None, "How many groups of base questions; by default each leads one.", metavar="N|all"
    )
    limit: Count | None = setting(None, "Use N base questions, drawn by the seed.")
    implies: Implied = setting("lower", "In a chain: 'more than 30' implies the lower, 'by 2030' the higher value.")
    seed: Seed = setting(0, "Draw base questions with this seed.")

    def __post_init__(self) -> None:
        check(self)

    @property
    def law_of_series(self) -> str | None:
        """The law of series that don't name one themselves."""
        return ",".join(self.laws) or None
