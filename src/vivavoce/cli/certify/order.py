"""What was asked for on the command line of `viva certify`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vivavoce.cli.asking import Asking

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vivavoce.certificate.docket import Rule
    from vivavoce.certificate.endurance import Endurance
    from vivavoce.certificate.finding import Criterion, Procedure
    from vivavoce.certificate.limit import Limit
    from vivavoce.certificate.naming import Naming
    from vivavoce.certificate.score import Unreadable
    from vivavoce.interview.candidate import Prompt, Reply
    from vivavoce.interview.interview import Interview
    from vivavoce.interview.signing import SigningKey


@dataclass(frozen=True, slots=True)
class Order:
    """What was asked for on the command line."""

    candidate: str
    asking: Asking
    scope: str
    passing_grade: float
    ridiculous_limit: Limit
    delta: float
    procedure: Procedure
    questions: int | None
    at_least: int | None
    spread: float | None
    strata: str | None
    evenly: bool
    seed: int | None
    zero_is_ridiculous: bool
    unreadable: Unreadable
    again: bool
    as_json: bool
    html: Path | None
    sign: SigningKey | None
    naming: Naming

    def criterion(self, interview: Interview[Prompt, Reply], scopes: Sequence[Any], *, graded: bool = False) -> Criterion:
        """When the candidate counts as understanding these scopes; `graded`: by the judgement of judges or people."""
        from vivavoce.certificate.finding import Criterion
        from vivavoce.certificate.limit import limit_of

        limit = limit_of(self.ridiculous_limit, interview, scopes, again=self.again, graded=graded)
        return Criterion(self.passing_grade, limit, self.delta)

    def first_criterion(self, scope: Any) -> Criterion:
        """The criterion of a first attempt, with what that may err: to look ahead."""
        from vivavoce.certificate.attempts import delta_of
        from vivavoce.certificate.finding import Criterion
        from vivavoce.certificate.limit import as_given

        return Criterion(self.passing_grade, as_given(self.ridiculous_limit, [scope]), delta_of(self.delta, 1))

    @property
    def endurance(self) -> Endurance:
        """What is asked of a candidate that may tire."""
        from vivavoce.certificate.endurance import Endurance

        return Endurance(self.at_least, self.spread)


@dataclass(frozen=True, slots=True)
class Many:
    """Which scopes, where there are several, and what holds for them together."""

    scopes: tuple[str, ...]
    by_category: bool
    rule: Rule
