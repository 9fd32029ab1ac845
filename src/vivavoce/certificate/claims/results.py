"""The common part of all findings of `certify`: claims with their verdicts, on one scope or several, and display names.

A certificate is one claim. Several scopes are one claim each, with a joint error bound. A scope as a whole and as people will
use it is two claims. `ClaimFinding` has what they share; each has its own wording for the rest, since delta bounds different
things.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Self, TypeVar

from vivavoce.certificate.attempts.attempt import AttemptHistory, attempt_as_json
from vivavoce.certificate.claims.claim import Criterion, GradedAnswer, Verdict, brief, estimate_as_json, range_as_json
from vivavoce.certificate.graders.grades import GradingReport
from vivavoce.certificate.report.caveats import ReplyCounts, UngradedReplies
from vivavoce.errors import BadInput
from vivavoce.formats.interval import Estimate, Interval
from vivavoce.formats.json_values import given
from vivavoce.formats.wording import name_of, problem_with_name
from vivavoce.interview.budget import BudgetEnd
from vivavoce.interview.candidate import Usage
from vivavoce.report.reported import ReportedFinding
from vivavoce.scopes.listed_and_endless import parted_options
from vivavoce.scopes.unit_laws import BrokenLaws


class ClaimResult(Protocol):
    """A verdict on one scope, with one way to count its questions. See `Certificate` for the fields."""

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
    def unacceptable(self) -> Estimate: ...

    @property
    def unacceptable_range(self) -> Interval | None: ...

    @property
    def unacceptable_count(self) -> int: ...

    @property
    def replies(self) -> ReplyCounts: ...

    @property
    def worst(self) -> tuple[GradedAnswer, ...]: ...

    @property
    def unread(self) -> tuple[GradedAnswer, ...]: ...

    @property
    def why_not(self) -> str: ...

    @property
    def unexamined(self) -> bool: ...


class ClaimFinding(ReportedFinding):
    """The result of `certify`: a certificate, several scopes, or a scope as people will use it.

    Each is a frozen value of its own type; this declares what they share.
    """

    __slots__ = ()
    document: ClassVar[str] = "certificate.json"

    if TYPE_CHECKING:

        @property
        def candidate(self) -> str:
            """The name of the candidate."""
            ...

        @property
        def criterion(self) -> Criterion:
            """The requested criterion: its delta covers all claims and all attempts together."""
            ...

        @property
        def claims(self) -> tuple[ClaimResult, ...]:
            """The claims, at least one."""
            ...

        @property
        def asked(self) -> int:
            """Questions to the candidate, for all claims together."""
            ...

        @property
        def spending(self) -> Usage:
            """Their cost."""
            ...

        @property
        def grading(self) -> GradingReport | None:
            """The graders, if not only the scope's own rule."""
            ...

        @property
        def attempt(self) -> AttemptHistory | None:
            """This attempt and all others on record; None if attempts are not counted."""
            ...

        def named(self, name: str, title: Callable[[str], str]) -> Self:
            """The finding with a display name of the candidate, and display titles of its scopes."""
            ...

    @property
    def ended(self) -> BudgetEnd | None:
        """The limit of the budget that ended the questions; None if none did."""
        return None

    def provenance(self) -> dict[str, Any]:
        """The seed, the attempt, and where a budget ended."""
        return attempt_as_json(self.signature, self.attempt) | given(budget_ended=self.ended)

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """One for each claim."""
        return tuple(claim.verdict for claim in self.claims)


def counted(claim: ClaimResult) -> dict[str, Any]:
    """The counts of a claim as JSON values."""
    return {
        "questions": claim.questions,
        "complete": claim.complete,
        "score": estimate_as_json("mean", claim.score) | range_as_json("mean_range", claim.score_range),
        "unacceptable": estimate_as_json("rate", claim.unacceptable)
        | {"count": claim.unacceptable_count}
        | range_as_json("rate_range", claim.unacceptable_range),
        **asdict(claim.replies),
    }


Found = TypeVar("Found", bound=ClaimFinding)


@dataclass(frozen=True, slots=True)
class DisplayNames:
    """Display names of a candidate and its scopes. Raises `BadInput` for names that cannot be shown.

    >>> DisplayNames("Support bot", {"file:support.csv": "Support questions"}).title("file:/home/me/support.csv#billing")
    'Support questions: billing'
    """

    name: str = ""
    """Display name of the candidate; empty: the recorded name."""
    titles: Mapping[str, str] = field(default_factory=dict)
    """Display names of scopes, by their recorded names (without folders)."""

    def __post_init__(self) -> None:
        for what, shown in (("name", self.name), *(("title", title) for title in self.titles.values())):
            if shown and (problem := problem_with_name(shown)):
                raise BadInput(f"the {what} {problem}")

    def title(self, scope: str) -> str:
        """The display name of a scope, or of a category (`SCOPE#CATEGORY`); empty if it has none."""
        whole = brief(scope)
        where, options = parted_options(whole)
        before, _, category = where.rpartition("#")
        of_all = self.titles.get(f"{before}{options and '?'}{options}", "") if before else ""
        return self.titles.get(whole) or (of_all and name_of(" ".join(f"{of_all}: {category}".split())))

    def of(self, finding: Found) -> Found:
        """The finding with these names."""
        return finding.named(self.name, self.title)


@dataclass(frozen=True, slots=True)
class ScopeResult:
    """One scope of several.

    It is not a certificate: delta bounds errors in the list, and with a false discovery rate a single verdict is less sure than
    a certificate's.
    """

    scope: str
    scope_size: int | None
    """Number of questions in the scope; None if endless."""
    verdict: Verdict
    questions: int
    """Number of questions that the verdict is based on."""
    complete: bool
    """Whether these are all questions of a finite scope; the verdict is exact then."""
    score: Estimate
    """Mean score; interval at level 1 - delta / J, so that all J hold at once with probability 1 - delta."""
    unacceptable: Estimate
    """Rate of unacceptable answers, with an interval at the same level."""
    unacceptable_count: int
    replies: ReplyCounts
    log_e_understands: float
    """Natural logarithm of the e-value against "the scope is not understood", when the scope was asked last."""
    log_e_fails: float
    """The same against "the scope is understood"."""
    worst: tuple[GradedAnswer, ...]
    """Up to three answers, unacceptable ones first, then by score."""
    digest: str
    broken_laws: BrokenLaws | None = None
    """The clusters that broke a law of the scope; None if it has no laws."""
    if_anew_wrong: Verdict | None = None
    """The same as in a certificate, by the evidence on this scope alone."""
    score_range: Interval | None = None
    """The same as in a certificate."""
    unacceptable_range: Interval | None = None
    unread: tuple[GradedAnswer, ...] = ()
    """The first reply that could not be graded."""
    why_not: str = ""
    """Why there is no verdict, where too many replies could not be graded: in a clause."""
    title: str = ""
    """The same as in a certificate."""

    json_keys = "scope title? scope_size scope_digest=digest verdict *counts log_e_values worst unread why_not broken_laws?"

    @property
    def counts(self) -> dict[str, Any]:
        """The counts as JSON values."""
        return counted(self)

    @property
    def log_e_values(self) -> dict[str, float]:
        """The evidence for either verdict."""
        return {"pass": self.log_e_understands, "fail": self.log_e_fails}

    @property
    def titled(self) -> str:
        """The display title of the scope."""
        return self.title or brief(self.scope)

    @property
    def unread_counts(self) -> UngradedReplies:
        """How many replies could not be graded."""
        asked = max(1, self.questions)
        return UngradedReplies.of(self.replies, asked)

    @property
    def unexamined(self) -> bool:
        """Whether too many ungraded replies prevent a verdict."""
        return bool(self.why_not)
