"""One scope of several: its verdict, and what that rests on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from vivavoce.certificate.claims import counted
from vivavoce.certificate.naming import names_of
from vivavoce.certificate.unread_caveats import Unread
from vivavoce.certificate.verdict import GradedAnswer, Verdict, brief
from vivavoce.formats.interval import Estimate, Interval
from vivavoce.scopes.unit_laws import BrokenLaws


@dataclass(frozen=True, slots=True)
class ScopeResult:
    """One scope of several.

    No certificate of its own: what delta bounds is said of the list, and at a false discovery rate a single verdict is less
    sure than a certificate's.
    """

    scope: str
    scope_size: int | None
    """Number of questions in the scope; None if endless."""
    verdict: Verdict
    questions: int
    """Questions on which the verdict rests."""
    complete: bool
    """Whether these are all questions of a finite scope; the verdict is exact then."""
    score: Estimate
    """Mean score; interval at level 1 - delta / J, so that all J hold at once with probability 1 - delta."""
    ridiculous: Estimate
    """Rate of ridiculous answers, likewise."""
    ridiculous_count: int
    unreadable: int
    no_answers: int
    dont_know: int
    log_e_understands: float
    """Natural logarithm of the e-value against "the scope is not understood", when the scope was asked last."""
    log_e_fails: float
    """The same against "the scope is understood"."""
    worst: tuple[GradedAnswer, ...]
    """Up to three answers, ridiculous ones first, then by score."""
    digest: str
    broken_laws: BrokenLaws | None = None
    """Of the scope's laws over its questions; None where it has none."""
    orphans: int = 0
    """As in a certificate."""
    faults: int = 0
    """As in a certificate."""
    turned_away: int = 0
    """As in a certificate."""
    asked_anew: int = 0
    """As in a certificate."""
    if_anew_wrong: Verdict | None = None
    """As in a certificate, by the evidence on this scope alone."""
    copied: int = 0
    cut_off: int = 0
    after_turn: int = 0
    score_range: Interval | None = None
    """As in a certificate."""
    ridiculous_range: Interval | None = None
    unread: tuple[GradedAnswer, ...] = ()
    """The first reply that could not be graded."""
    why_not: str = ""
    """Why there is no verdict, where too many replies could not be graded: in a clause."""
    title: str = ""
    """As in a certificate."""

    @property
    def titled(self) -> str:
        """The scope, as readers are told it."""
        return self.title or brief(self.scope)

    @property
    def unread_counts(self) -> Unread:
        """How many replies could not be graded."""
        asked = max(1, self.questions)
        return Unread(self.unreadable, self.copied, self.cut_off, asked, orphans=self.orphans, faults=self.faults)

    @property
    def unexamined(self) -> bool:
        """Whether there is no verdict since too many replies could not be graded."""
        return bool(self.why_not)

    def as_json(self) -> dict[str, Any]:
        """The result as JSON values; names as in a certificate."""
        return {
            "scope": self.scope,
            **names_of(title=self.title),
            "scope_size": self.scope_size,
            "scope_digest": self.digest,
            "verdict": self.verdict.value,
            **counted(self),
            "log_e_values": {"pass": self.log_e_understands, "fail": self.log_e_fails},
            "worst": [answer.as_json() for answer in self.worst],
            "unread": [answer.as_json() for answer in self.unread],
            "why_not": self.why_not,
        } | ({} if self.broken_laws is None else {"broken_laws": self.broken_laws.as_json()})
