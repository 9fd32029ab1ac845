"""Limits that the operator of the server sets for its clients, for its whole life."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from vivavoce.settings import DELTA, Count, Share, Within, check, setting


@dataclass(frozen=True, slots=True)
class AllowanceConfig:
    """Limits of all calls together, and of each; a client can ask for less, never for more."""

    questions: Count = setting(1000, "Allow this many questions in all calls together.")
    money: Annotated[float, Within(above=0)] | None = setting(
        None, "Allow all calls together to cost this much, at the candidates' prices.", metavar="X"
    )
    tokens: Count | None = setting(None, "Allow this many tokens in all calls together, in both directions.")
    per_call: Count | None = setting(None, "Allow this many questions per call to each candidate. [default: all left]")
    delta: Share = setting(DELTA, "Allow clients at most this bound on the chance of a wrong verdict.")

    def __post_init__(self) -> None:
        check(self)

    @property
    def questions_of_a_call(self) -> int:
        """Most questions of one call to each candidate.

        >>> AllowanceConfig(questions=300).questions_of_a_call, AllowanceConfig(per_call=50).questions_of_a_call
        (300, 50)
        """
        return self.questions if self.per_call is None else min(self.per_call, self.questions)
