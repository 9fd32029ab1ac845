"""How contradictions are searched: every setting, once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Final, Literal, get_args

from vivavoce.settings import Count, Portion, Seed, Within, check, setting

Method = Literal["search", "random"]
METHODS: Final[tuple[Method, ...]] = get_args(Method)


@dataclass(frozen=True, slots=True)
class ContradictionSearchConfig:
    """How long is searched, from where, and what confirms a contradiction."""

    method: Literal[Method, "both"] = setting("both", "Search, draw at random, or both, one beside the other.")
    calls: Annotated[int, Within(10, 10_000_000)] = setting(
        400, "Calls of the search, and as many of random drawing; those that confirm and shrink are among them."
    )
    """A question on record counts as well, so that the same search takes the same course whatever is there."""
    cases: Count = setting(100, "Questions, tuples or defendants that are varied, drawn by the seed.")
    confirm: Annotated[int, Within(2, 10)] = setting(
        5, "Fresh answers to each question of a contradiction: every combination of them must contradict."
    )
    fresh: Portion = setting(0.5, "Share of the search that is drawn at random, whatever was found before.")
    seed: Seed = setting(0, "Draws cases and variations.")

    def __post_init__(self) -> None:
        check(self)

    @property
    def methods(self) -> tuple[Method, ...]:
        """In the order in which they are run."""
        return METHODS if self.method == "both" else (self.method,)
