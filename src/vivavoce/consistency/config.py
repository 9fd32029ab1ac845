"""How rules of one's own are examined: every setting, once. Beside `relations`, which has all its names loaded with any."""

from __future__ import annotations

from dataclasses import dataclass

from vivavoce.errors import BadInput
from vivavoce.settings import Seed, check, setting


@dataclass(frozen=True, slots=True)
class RelationsConfig:
    """How a function is called, or a candidate asked in words, for the outputs that rules are about."""

    batch: bool = setting(False, "The function takes a list of inputs and returns a list of outputs.")
    """As scikit-learn's `predict`."""
    task: str = setting("", "For a candidate that is asked in words: the text before each input.")
    """Such as "What is this house worth, in euros?"."""
    seed: Seed = setting(0, "Shuffles the outputs.")
    """For the reference of outputs that have nothing to do with their inputs."""

    def __post_init__(self) -> None:
        check(self)

    def check_fits(self, *, function: bool) -> None:
        """Refuse what means nothing to a function, or to a candidate that is asked in words. Raises `BadInput`."""
        if self.batch and not function:
            raise BadInput("batch is for functions; other candidates are asked one input at a time")
        if self.task and function:
            raise BadInput("a task is for candidates that are asked in words; a function is called with each input")
