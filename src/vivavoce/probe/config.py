"""Settings of a probe."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, log
from typing import Annotated, Final

from vivavoce.errors import BadInput
from vivavoce.settings import DELTA, Count, Seed, Share, Within, check, setting

REPEAT_LEVEL: Final = 0.05
"""Level of the test by which each suspected failure is confirmed."""


@dataclass(frozen=True, slots=True)
class ProbeConfig:
    """Settings of a probe; all are fixed before the first question."""

    calls: Count = setting(400, "Search with at most this many calls, repeats included.")
    repeats: Annotated[int, Within(2, 1000)] = setting(8, "Repeat each suspected failure at most this many times.")
    repeat_rate: Share = setting(0.1, "Confirm a failure if it recurs more often than this.", metavar="X", expert=True)
    fresh: Annotated[int, Within(0, 100_000)] = setting(
        60, "Ask so many new questions to test how common a failure is; 0: no test."
    )
    common: Share = setting(0.05, "Call a failure common if it happens on at least this share of new questions.")
    delta: Share = setting(DELTA, "Bound on the expected share of wrong claims among failures called common.")
    random: bool = setting(True, "Also ask random questions with as many calls, to compare.")
    seed: Seed = setting(0, "Draws questions, follow-ups and words.")

    def __post_init__(self) -> None:
        check(self)
        fewest = ceil(log(REPEAT_LEVEL) / log(self.repeat_rate) - 1e-9)
        if self.repeats < fewest:
            raise BadInput(
                f"{self.repeats} repeats can't show that a failure recurs in more than {self.repeat_rate:g} of them: "
                f"ask for at least {fewest} repeats"
            )
