"""How a dialogue with a teacher is held: every setting, once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from vivavoce.settings import Count, Seed, Within, check, setting

MOST_TURNS = 20


@dataclass(frozen=True, slots=True)
class TeachingConfig:
    """How long the dialogue is, and what the teacher is told of the questions."""

    dialogue_turns: Annotated[int, Within(1, MOST_TURNS)] = setting(
        3, "How often the teacher speaks, and the candidate replies."
    )
    examples: Count = setting(
        3, "Questions of the scope that the teacher is shown, without answers; they are no part of the comparison."
    )
    dialogue_seed: Seed = setting(0, "Draws these.")

    def __post_init__(self) -> None:
        check(self)
