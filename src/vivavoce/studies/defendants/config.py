"""How decisions on bail are examined: every setting, once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from vivavoce.settings import Count, Seed, Temperature, Within, check, setting

Wording = Literal["own", "printed"]
"""Whose words the prompts have: ours, or those of Box 6 of `fluri2024` (`printed`)."""


@dataclass(frozen=True, slots=True)
class BailConfig:
    """How decisions on bail are examined."""

    limit: Count = setting(200, "Defendants, drawn at random.")
    """1,560 in `fluri2024`."""
    variants: Annotated[int, Within(1, 50)] = setting(5, "Milder records of each defendant, and as many more severe ones.")
    largest_step: Annotated[int, Within(1, 100)] = setting(3, "Change a number of crimes by 1 to this many.")
    """The paper says "slightly"."""
    keep_charge: bool = setting(False, "Never replace the charge, change numbers only.")
    """So that nothing rests on which charge is worse."""
    temperature: Temperature = setting(0.0, "Temperature of replies; none: the candidate's own.")
    repeats: Annotated[int, Within(1, 101)] = setting(1, "Replies per record; the majority counts.")
    control: Annotated[int, Within(least=0)] = setting(100, "Judge this many defendants twice on the same record.")
    seed: Seed = setting(0, "Draws defendants and changes.")
    recidivism: bool = setting(False, "Also ask of every record whether the person will commit another crime.")
    """Twice as many questions (footnote 2 of `fluri2024`)."""
    prompts: Wording = setting("own", "Words of the prompts: our own, or those printed in the paper.")

    def __post_init__(self) -> None:
        check(self)
