"""What every examination of this room returns: one or more claims, each with a verdict and what that rests on.

A certificate is one claim. Several scopes are as many, with one bound on their errors together; a scope as a whole and as
people will use it is two. What can be said of any of them, whichever it is, is in `ClaimFinding`; each says the rest in words
of its own, since what delta bounds differs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Protocol, Self

from vivavoce.certificate.attempts import Attempt, attempt_as_json
from vivavoce.certificate.graders.grading import Grading
from vivavoce.certificate.verdict import Criterion, GradedAnswer, Verdict, range_as_json
from vivavoce.formats.interval import Estimate, Interval
from vivavoce.interview.budget import BudgetEnd
from vivavoce.interview.candidate import Usage
from vivavoce.report.reported import Reported


class ClaimResult(Protocol):
    """A verdict on one scope, by one way to count its questions. See `Certificate` for what each value says."""

    @property
    def scope(self) -> str: ...

    @property
    def title(self) -> str: ...

    @property
    def digest(self) -> str: ...

    @property
    def scope_size(self) -> int | None: ...

    @property
    def verdict(self) -> Verdict: ...

    @property
    def questions(self) -> int: ...

    @property
    def complete(self) -> bool: ...

    @property
    def score(self) -> Estimate: ...

    @property
    def score_range(self) -> Interval | None: ...

    @property
    def ridiculous(self) -> Estimate: ...

    @property
    def ridiculous_range(self) -> Interval | None: ...

    @property
    def ridiculous_count(self) -> int: ...

    @property
    def unreadable(self) -> int: ...

    @property
    def copied(self) -> int: ...

    @property
    def cut_off(self) -> int: ...

    @property
    def after_turn(self) -> int: ...

    @property
    def no_answers(self) -> int: ...

    @property
    def orphans(self) -> int: ...

    @property
    def faults(self) -> int: ...

    @property
    def turned_away(self) -> int: ...

    @property
    def asked_anew(self) -> int: ...

    @property
    def dont_know(self) -> int: ...

    @property
    def worst(self) -> tuple[GradedAnswer, ...]: ...

    @property
    def unread(self) -> tuple[GradedAnswer, ...]: ...

    @property
    def why_not(self) -> str: ...

    @property
    def unexamined(self) -> bool: ...


class ClaimFinding(Reported):
    """What `certify` returns: a certificate, one of several scopes, or one on a scope as people will use it.

    Each is a frozen value of its own type; what all have is declared here.
    """

    __slots__ = ()

    if TYPE_CHECKING:

        @property
        def candidate(self) -> str:
            """Who was examined."""
            ...

        @property
        def criterion(self) -> Criterion:
            """As it was asked for: its delta is that of all claims and all attempts together."""
            ...

        @property
        def claims(self) -> tuple[ClaimResult, ...]:
            """At least one."""
            ...

        @property
        def asked(self) -> int:
            """Questions to the candidate, for all claims together."""
            ...

        @property
        def spending(self) -> Usage:
            """What they took."""
            ...

        @property
        def grading(self) -> Grading | None:
            """Who graded, where it was not the scope's own rule."""
            ...

        @property
        def attempt(self) -> Attempt | None:
            """Which attempt on record this is, and all others; None where attempts are not counted."""
            ...

        def named(self, name: str, title: Callable[[str], str]) -> Self:
            """The same as readers are to be told it: with this name of the candidate, and the titles of scopes."""
            ...

    @property
    def ended(self) -> BudgetEnd | None:
        """Where a budget ended the questions to the candidate; None if none did."""
        return None

    @property
    def examined(self) -> tuple[str, ...]:
        """The name of the candidate."""
        return (self.candidate,)

    def conduct_as_json(self) -> dict[str, Any]:
        """The seed, the attempt, and where a budget ended."""
        values = attempt_as_json(self.signature, self.attempt)
        return values if self.ended is None else values | {"budget_ended": asdict(self.ended)}

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """One for each claim."""
        return tuple(claim.verdict for claim in self.claims)


def counted(claim: ClaimResult) -> dict[str, Any]:
    """What was counted on a claim, as JSON values."""
    score, rate = claim.score.interval, claim.ridiculous.interval

    return {
        "questions": claim.questions,
        "complete": claim.complete,
        "score": {"mean": claim.score.value, "lower": score.lower, "upper": score.upper}
        | range_as_json("mean_range", claim.score_range),
        "ridiculous": {
            "rate": claim.ridiculous.value,
            "lower": rate.lower,
            "upper": rate.upper,
            "count": claim.ridiculous_count,
        }
        | range_as_json("rate_range", claim.ridiculous_range),
        "unreadable": claim.unreadable,
        "copied": claim.copied,
        "cut_off": claim.cut_off,
        "after_turn": claim.after_turn,
        "no_answers": claim.no_answers,
        "orphans": claim.orphans,
        "faults": claim.faults,
        "turned_away": claim.turned_away,
        "asked_anew": claim.asked_anew,
        "dont_know": claim.dont_know,
    }
