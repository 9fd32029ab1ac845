"""Limits that the operator of the server sets for its clients, for its whole life."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from vivavoce.settings import DELTA, Count, Share, Within, check, setting


@dataclass(frozen=True, slots=True)
class AllowanceConfig:
    """Limits of all calls together, and of each; a client can ask for less, never for more."""

    questions: Count = setting(1000, "Questions that all calls together may put to candidates.")
    money: Annotated[float, Within(above=0)] | None = setting(
        None, "Money that all calls together may cost, at the candidates' prices.", metavar="X"
    )
    tokens: Count | None = setting(None, "Tokens that all calls together may use, in both directions.")
    per_call: Count | None = setting(None, "Questions per call to each candidate. [default: all that are left]")
    delta: Share = setting(DELTA, "The largest bound on the chance of a wrong verdict that a client may ask for.")

    def __post_init__(self) -> None:
        check(self)

    @property
    def questions_of_a_call(self) -> int:
        """Most questions of one call to each candidate.

        >>> AllowanceConfig(questions=300).questions_of_a_call, AllowanceConfig(per_call=50).questions_of_a_call
        (300, 50)
        """
        return self.questions if self.per_call is None else min(self.per_call, self.questions)
