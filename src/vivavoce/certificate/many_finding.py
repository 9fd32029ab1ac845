"""What an examination on several scopes has found: a verdict on each, and what holds for all of them together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import astuple, dataclass, replace
from typing import Any, Self

from vivavoce.certificate.attempts import Attempt, how_often
from vivavoce.certificate.caveats import AS_GRADED, followed_up, unknowable_caveats
from vivavoce.certificate.claims import ClaimFinding
from vivavoce.certificate.config import Correction
from vivavoce.certificate.determinism import about_in_words
from vivavoce.certificate.graders.grading import Grading
from vivavoce.certificate.naming import names_of
from vivavoce.certificate.report.answers import SHOWN_CHARACTERS, worst_answers
from vivavoce.certificate.report.attempts import attempts
from vivavoce.certificate.report.bounds import of_several, requirement
from vivavoce.certificate.report.figures import evidence_by_scope
from vivavoce.certificate.report.many import (
    by_scope,
    intervals_by_scope,
    method,
    required,
    short_names,
    unread,
    worst,
)
from vivavoce.certificate.report.verdicts import names, overall, shown_verdict
from vivavoce.certificate.scope_result import ScopeResult
from vivavoce.certificate.unread_caveats import Unread, unread_caveats
from vivavoce.certificate.verdict import Criterion, Verdict
from vivavoce.formats.wording import clipped, count, name_of
from vivavoce.interview.budget import BudgetEnd
from vivavoce.interview.candidate import Usage
from vivavoce.interview.faults import asked_anew_caveat
from vivavoce.interview.scope import Signature
from vivavoce.report.blocks import Caveats, Figure, InFull, Report
from vivavoce.report.parts import paragraphs
from vivavoce.scopes.unit_laws import BrokenLaws


@dataclass(frozen=True, slots=True, repr=False)
class ManyScopes(ClaimFinding):
    """What `certify` returns on several scopes."""

    candidate: str
    criterion: Criterion
    """The same for every scope; its delta is that of the whole list."""
    rule: Correction
    scopes: tuple[ScopeResult, ...]
    """In the order in which they were named."""
    thresholds: tuple[float, float]
    """How large `log_e_understands` and `log_e_fails` had to be for a verdict, in the end."""
    asked: int
    """Questions in all, those included that were in flight when their scope's verdict came."""
    why_not: str
    """Why some scopes have no verdict, in a clause; empty where all have one."""
    spending: Usage
    signature: Signature
    asked_so: tuple[str, ...] = ()
    """What a reader must know about how it was asked."""
    attempt: Attempt | None = None
    """As in a certificate."""
    ended: BudgetEnd | None = None
    """As in a certificate."""
    name: str = ""
    """As in a certificate."""
    grading: Grading | None = None
    """Who graded, where it was not the scopes' own rules."""

    @property
    def claims(self) -> tuple[ScopeResult, ...]:
        """One for each scope."""
        return self.scopes

    def named(self, name: str, title: Callable[[str], str]) -> Self:
        """As in a certificate."""
        return replace(self, name=name, scopes=tuple(replace(one, title=title(one.scope)) for one in self.scopes))

    @property
    def called(self) -> str:
        """The candidate, as readers are told it."""
        return self.name or self.candidate

    @property
    def delta(self) -> float:
        """What this attempt may err; the criterion's delta is that of all attempts together."""
        return self.criterion.delta if self.attempt is None else self.attempt.delta

    def those(self, verdict: Verdict) -> tuple[ScopeResult, ...]:
        """The scopes with that verdict."""
        return tuple(result for result in self.scopes if result.verdict is verdict)

    @property
    def statement(self) -> str:
        """The verdicts counted, and what they rest on."""
        return f"{self.headline} {self.basis}"

    @property
    def headline(self) -> str:
        """How many scopes pass, what was measured and required, and many replies that could not be graded, in a sentence."""
        said, words = self._counted_verdicts, self.unread_counts.in_headline
        return said if not words or words in said else f"{said.removesuffix('.')}; {words}."

    @property
    def unread_counts(self) -> Unread:
        """How many replies could not be graded, of all scopes."""
        unreadable, copied, cut_off = (
            sum(getattr(r, name) for r in self.scopes) for name in ("unreadable", "copied", "cut_off")
        )
        ruled = self.grading is not None and self.grading.by_rule > 0
        asked = max(1, sum(result.questions for result in self.scopes))
        return Unread(unreadable, copied, cut_off, asked, self.grading is not None, ruled=ruled)

    @property
    def _counted_verdicts(self) -> str:
        good, bad, undecided = (len(self.those(v)) for v in (Verdict.PASS, Verdict.FAIL, Verdict.UNDECIDED))
        examined, figures = self.called + followed_up(self.signature.settings), of_several(self.scopes, self.criterion)
        scopes = f"{len(self.scopes)} scope{'' if len(self.scopes) == 1 else 's'}"
        if undecided == len(self.scopes):
            unread, reasons = self.unread_counts, (figures, self.why_not)
            if unread.is_all:
                reasons = (unread.words, requirement(self.criterion))
            because = "; ".join(filter(None, reasons))
            return f"Undecided on all of {scopes}, {examined}: {because}."
        failing = f" and fails {bad}" if bad else ""
        left = f"; undecided on {undecided}: {self.why_not}" if undecided else ""
        by = "" if self.grading is None else f" by the judgement of {self.grading.judge}"
        by += "" if self.attempt is None else about_in_words(self.attempt.held.about)
        return f"{examined} passes {good} of {scopes}{failing}{by}: {figures}{left}."

    @property
    def basis(self) -> str:
        """What the verdicts rest on, in one sentence."""
        questions = f"{count(self.asked)} question{'' if self.asked == 1 else 's'}"
        if all(result.complete for result in self.scopes):
            return f"All {questions} of the scopes were asked."
        if self.rule == "fwer":
            rare = how_often(self.criterion.delta, self.attempt)
            return f"After {questions}, by a procedure that gives any wrong verdict {rare}."
        overall = "" if self.attempt is None else f" over all attempts ({self.delta * 100:.3g}% in this one)"
        share = f"{self.criterion.delta * 100:.3g}%"
        return f"After {questions}, by a procedure of whose verdicts on average at most {share} are wrong{overall}."

    @property
    def caveats(self) -> tuple[str, ...]:
        """What the verdicts do not show, the weightiest first."""
        by_chance = any(r.verdict is not Verdict.UNDECIDED and not r.complete for r in self.scopes)
        return tuple(sentence for sentence in (self._guarantee() if by_chance else "", *self._further()) if sentence)

    def _guarantee(self) -> str:
        share = f"{self.delta * 100:.3g}%"
        if self.rule == "fwer":
            return (
                "The guarantee is about the procedure: whatever the candidate is like, it gives one or more wrong verdicts, of "
                f"either kind, at most {share} of the time."
            )
        return (
            "The guarantee is about the list, and on average: the expected share of wrong ones among “pass” and the "
            f"expected share among “fail” add up to at most {share}, whatever the candidate is like. A single "
            "verdict picked from the list is less sure than one from an examination on that scope alone."
        )

    def _further(self) -> tuple[str, ...]:
        undecided = len(self.those(Verdict.UNDECIDED))
        exact = sum(result.complete for result in self.scopes)
        laws = [astuple(result.broken_laws) for result in self.scopes if result.broken_laws is not None]
        absent = sum(result.no_answers for result in self.scopes)
        return (
            f"“Undecided” on {undecided} scope{'' if undecided == 1 else 's'} is no verdict: it says nothing against the "
            "candidate, nor for it."
            if undecided
            else "",
            f"On {exact} scope{'' if exact == 1 else 's'} every question was asked, so nothing about these questions is left "
            "to chance there; a candidate that answers differently each time may do otherwise tomorrow."
            if exact
            else "",
            "Intervals are wide enough for all scopes at once, each level 1 − δ divided among them."
            if exact < len(self.scopes)
            else "",
            "It holds for questions drawn as each scope draws them, in these words, and for the candidate as it was when it "
            "answered; it says nothing about other questions.",
            AS_GRADED,
            f"{absent} question{'' if absent == 1 else 's'} got no answer (time-out, refusal or fault) and scored 0: the "
            "verdicts include the service."
            if absent
            else "",
            *unknowable_caveats(
                *(sum(getattr(result, name) for result in self.scopes) for name in ("orphans", "faults", "turned_away"))
            ),
            self._asked_anew,
            *unread_caveats(self.unread_counts, wrong=self.signature.settings.get("unreadable") == "wrong"),
            *(BrokenLaws(*map(sum, zip(*laws, strict=True))).caveats if laws else ()),
            *self.asked_so,
            *(() if self.attempt is None else self.attempt.caveats),
            "Ridiculous answers were not examined: no limit was set." if self.criterion.ridiculous_limit is None else "",
            "Whether answers were memorised cannot be seen from answers to published questions."
            if any(result.scope_size for result in self.scopes)
            else "",
        )

    @property
    def _asked_anew(self) -> str:
        """What is assumed of answers that were asked anew, and what would be if they counted 0; empty where there are none."""
        number = sum(result.asked_anew for result in self.scopes)
        if not number:
            return ""
        lost = sum(result.if_anew_wrong not in (None, Verdict.PASS) for result in self.those(Verdict.PASS))
        would = f"{lost} of the scopes that pass would not" if lost else "the same scopes would pass"
        return f"{asked_anew_caveat(number)} If these answers counted 0, {would}, each by the evidence on it alone."

    def report(self) -> Report:
        """All of it as blocks."""
        criterion, scopes, shown = self.criterion, self.scopes, short_names(self.scopes)
        passed = f"{len(self.those(Verdict.PASS))} of {len(scopes)} passed"
        return Report(
            kind="Certificates of understanding, many scopes",
            title=f"Certificates of understanding: {name_of(self.called)} on {len(scopes)} scopes",
            headline=clipped(self.headline, SHOWN_CHARACTERS),
            verdict=shown_verdict(overall(self.verdicts), passed),
            blocks=(
                InFull(paragraphs(f"{self.basis} {required(criterion)}")),
                *names((self.called, self.candidate), [(result.titled, result.scope) for result in scopes]),
                by_scope(shown, scopes, criterion),
                *intervals_by_scope(shown, scopes, criterion),
                Figure(evidence_by_scope(shown, scopes, self.thresholds)),
                *unread(shown, scopes),
                attempts(self.attempt),
                Caveats(self.caveats),
                *worst_answers(worst(shown, scopes), unread=any(result.unread for result in scopes)),
                method(criterion, self.rule, scopes, self.attempt, self.asked),
            ),
            statement=self.statement,
            signature=self.signature.line,
        )

    def while_running(self) -> Report:
        """What was found so far on each scope, without verdicts."""
        scopes, shown = [replace(one, verdict=Verdict.UNDECIDED) for one in self.scopes], short_names(self.scopes)
        report = self.report()
        return replace(
            report,
            verdict=None,
            blocks=(
                *names((self.called, self.candidate), [(result.titled, result.scope) for result in scopes]),
                by_scope(shown, scopes, self.criterion, decided=False),
                *unread(shown, scopes),
                *worst_answers(worst(shown, scopes), unread=any(result.unread for result in scopes)),
            ),
        )

    def figures_as_json(self) -> dict[str, Any]:
        """The numbers as JSON values; null for what is not known."""
        kinds = (Verdict.PASS, Verdict.FAIL, Verdict.UNDECIDED)
        return {
            **names_of(name=self.name),
            "many": self.rule,
            "delta": self.criterion.delta,
            "passing_grade": self.criterion.passing_grade,
            "ridiculous_limit": self.criterion.ridiculous_limit,
            "verdicts": {kind.value: len(self.those(kind)) for kind in kinds},
            "scopes": [result.as_json() for result in self.scopes],
            "thresholds": {"pass": self.thresholds[0], "fail": self.thresholds[1]},
            "questions": self.asked,
            "why_not": self.why_not,
            "tokens": self.spending.tokens,
            "money": self.spending.money,
            **({} if self.grading is None else {"grading": self.grading.as_json()}),
        }
