"""Settings of a dialogue with a teacher, in a small module because the command line imports it first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Final

from vivavoce.settings import Count, Seed, Within, check, setting

MOST_TURNS: Final = 20


@dataclass(frozen=True, slots=True)
class TeachingConfig:
    """The length of the dialogue, and the questions that the teacher sees."""

    dialogue_turns: Annotated[int, Within(1, MOST_TURNS)] = setting(
        3, "Let the teacher speak, and the candidate reply, this many times."
    )
    examples: Count = setting(3, "Show the teacher this many questions, without answers; not part of the test.")
    dialogue_seed: Seed = setting(0, "Draw these questions with this seed.")

    def __post_init__(self) -> None:
        check(self)
