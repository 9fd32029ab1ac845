"""The finding of an examination on several scopes: a verdict on each, and the error bound for all together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import astuple, dataclass, replace
from typing import Any, Final, Self

from vivavoce.certificate.attempts.attempt import AttemptHistory, how_often
from vivavoce.certificate.attempts.determinism import about_in_words
from vivavoce.certificate.claims.claim import Criterion, Verdict, brief
from vivavoce.certificate.claims.results import ClaimFinding, ScopeResult
from vivavoce.certificate.config import Correction
from vivavoce.certificate.graders.grades import GradingReport
from vivavoce.certificate.report.answers import SHOWN_CHARACTERS, AnswerToShow, unread_replies, worst_answers
from vivavoce.certificate.report.caveats import (
    AS_GRADED,
    UngradedReplies,
    followed_up,
    limits,
    unknowable_caveats,
    unread_caveats,
)
from vivavoce.certificate.report.figures import evidence_by_scope
from vivavoce.certificate.report.method import attempts, spending
from vivavoce.certificate.report.numbers import (
    TONES,
    names,
    of_several,
    overall,
    rate_in_cell,
    requirement,
    result,
    score_in_cell,
    shown_of,
    shown_verdict,
)
from vivavoce.formats.json_values import given
from vivavoce.formats.wording import capital, clipped, count, name_of, numbered, score_interval, share, share_interval
from vivavoce.interview.budget import BudgetEnd
from vivavoce.interview.candidate import Usage
from vivavoce.interview.faults import asked_again_caveat
from vivavoce.interview.scope import Signature
from vivavoce.report import blocks
from vivavoce.report.cells import TableCell, listed
from vivavoce.scopes.unit_laws import BrokenLaws

MOST_ANSWERS: Final = 10
"""The worst ones, and replies that could not be graded."""
MOST_NAMED: Final = 3
"""Scopes that the headline of a page names."""


def short_names(scopes: Sequence[ScopeResult]) -> list[str]:
    """The scopes' names without their common prefix, up to a '#' or '?'.

    Display titles, if there are any. Parts of one scope differ in their last part; other scopes keep their names, without the
    folders of a file.
    """
    if any(result.title for result in scopes):
        return [name_of(result.titled) for result in scopes]
    return tails([result.scope for result in scopes])


def tails(names: Sequence[str]) -> list[str]:
    """Names of scopes without their common prefix, up to a '#' or '?', or else without folders.

    >>> tails(["file:all.csv#law", "file:all.csv#physics"]), tails(["arithmetic", "file:data/law.csv"])
    (['law', 'physics'], ['arithmetic', 'file:law.csv'])
    """
    heads = {name[: max(name.find("#"), name.find("?")) + 1] for name in names}
    head = heads.pop() if len(heads) == 1 else ""
    return [name_of(name[len(head) :] if head else brief(name)) for name in names]


def by_scope(names: Sequence[str], scopes: Sequence[ScopeResult], criterion: Criterion) -> blocks.ReportTable:
    """Verdict and numbers of each scope; unacceptable answers where they are limited."""
    limited = ("Unacceptable",) if criterion.unacceptable_limit is not None else ()
    heads = ("Scope", "Verdict", "Mean score", *limited, "Questions")
    columns = tuple(blocks.Column(head, short=head.lower()) for head in heads)
    rows = (_row(name, scope, criterion) for name, scope in zip(names, scopes, strict=True))
    return blocks.ReportTable(columns, tuple(rows))


def intervals_by_scope(names: Sequence[str], scopes: Sequence[ScopeResult], criterion: Criterion) -> tuple[blocks.Fold, ...]:
    """The two-sided intervals of scopes whose values are shown with one-sided bounds; nothing if there are none."""
    decided = [(name, result) for name, result in zip(names, scopes, strict=True) if any(shown_of(result, criterion))]
    if not decided:
        return ()
    limited = criterion.unacceptable_limit is not None
    heads = ("Scope", "Mean score", *(("Unacceptable",) if limited else ()))
    rows = tuple(
        blocks.ReportRow(
            TableCell(name),
            (
                TableCell(score_interval(result.score.interval)),
                *((TableCell(share_interval(result.unacceptable.interval)),) if limited else ()),
            ),
        )
        for name, result in decided
    )
    return (blocks.Fold("Two-sided intervals", (blocks.ReportTable(tuple(map(blocks.Column, heads)), rows),), main=True),)


def worst(names: Sequence[str], scopes: Sequence[ScopeResult]) -> list[AnswerToShow]:
    """The worst answer of each scope, ten at most, the worst first."""
    first = [AnswerToShow(scope.worst[0], name) for name, scope in zip(names, scopes, strict=True) if scope.worst]
    return sorted(first, key=lambda shown: (not shown.answer.unacceptable, shown.answer.score))[:MOST_ANSWERS]


def unread(names: Sequence[str], scopes: Sequence[ScopeResult]) -> tuple[blocks.Block, ...]:
    """A reply that could not be graded from each of the first ten scopes that have one, those without a verdict first.

    A terminal shows one, from a scope that has no verdict because of it.
    """
    some = [(scope, AnswerToShow(scope.unread[0], name)) for name, scope in zip(names, scopes, strict=True) if scope.unread]
    some.sort(key=lambda pair: not pair[0].unexamined)
    shown = [reply for _, reply in some[:MOST_ANSWERS]]
    remedies = next((scope.unread_counts.remedies for scope in scopes if scope.unexamined), ())
    in_the_way = [reply for scope, reply in some if scope.unexamined][:1]
    return unread_replies("Replies that could not be graded", shown, remedies, in_short=in_the_way)


def method(
    criterion: Criterion, rule: Correction, scopes: Sequence[ScopeResult], attempt: AttemptHistory | None, asked: int
) -> blocks.Fold:
    """How the verdicts were reached; `asked`: the total number of questions."""
    total, delta = len(scopes), criterion.delta if attempt is None else attempt.delta
    late = asked - sum(scope.questions for scope in scopes)
    return blocks.method_of(
        [
            _METHOD,
            _family_wise(total, delta) if rule == "fwer" else _false_discoveries(total, delta),
            f"{spending(criterion.delta, attempt)}{_NEXT}",
            *(
                [
                    f"Of {count(asked)} answers, {count(late)} don't count: their scope had a verdict, or the examination "
                    "had ended, before they were graded."
                ]
                if late
                else []
            ),
        ]
    )


_METHOD = (
    "Questions are drawn at random from each scope, independently of the other scopes, and answers are taken in the order of "
    "drawing. The evidence for and against understanding is counted for each scope as e-values. The e-value for understanding "
    "is the smaller of the one for the score and the one for unacceptable answers."
)
_NEXT = (
    "The next question goes to the scope without a verdict that was asked least. The guarantee holds whenever the "
    "examination ends."
)


def _family_wise(total: int, delta: float) -> str:
    return (
        f"A verdict needs an e-value of {count(round(total / delta))}: the number of scopes over δ. So all {total} scopes "
        f"together give a wrong verdict with probability at most {share(delta)}."
    )


def _false_discoveries(total: int, delta: float) -> str:
    return (
        f"Each kind of verdict is given by e-BH at level {share(delta)}, to the k scopes with the largest e-values. k is the "
        f"largest number such that each of them is at least {total} / (k δ). That is {count(round(total / delta))} for a "
        f"single verdict and {count(round(1 / delta))} if all scopes get the same one. Scopes that reach it "
        "together are asked no more questions, so they stay on the list whatever happens to the others."
    )


def _row(name: str, scope: ScopeResult, criterion: Criterion) -> blocks.ReportRow:
    of = "" if scope.scope_size is None else f"of {count(scope.scope_size)}"
    return blocks.ReportRow(
        TableCell(name),
        (
            TableCell(scope.verdict.value, tone=TONES[scope.verdict]),
            score_in_cell(scope, criterion),
            *((rate_in_cell(scope, criterion),) if criterion.unacceptable_limit is not None else ()),
            TableCell(count(scope.questions), scope.questions, interval=of),
        ),
    )


@dataclass(frozen=True, slots=True, repr=False)
class ManyScopes(ClaimFinding):
    """The result of `certify` on several scopes."""

    candidate: str
    criterion: Criterion
    """The same for every scope; its delta covers the whole list."""
    rule: Correction
    scopes: tuple[ScopeResult, ...]
    """In the order in which they were named."""
    thresholds: tuple[float, float]
    """The final thresholds of `log_e_understands` and `log_e_fails` for a verdict."""
    asked: int
    """Total questions, including those in flight when their scope's verdict came."""
    why_not: str
    """A clause on why some scopes have no verdict; empty if all have one."""
    spending: Usage
    signature: Signature
    asked_so: tuple[str, ...] = ()
    """Caveats about how it was asked."""
    attempt: AttemptHistory | None = None
    """The same as in a certificate."""
    ended: BudgetEnd | None = None
    """The same as in a certificate."""
    name: str = ""
    """The same as in a certificate."""
    grading: GradingReport | None = None
    """The graders, if not only the scopes' own rules."""

    @property
    def claims(self) -> tuple[ScopeResult, ...]:
        """One for each scope."""
        return self.scopes

    def named(self, name: str, title: Callable[[str], str]) -> Self:
        """The same as in a certificate."""
        return replace(self, name=name, scopes=tuple(replace(result, title=title(result.scope)) for result in self.scopes))

    @property
    def called(self) -> str:
        """The display name of the candidate."""
        return self.name or self.candidate

    @property
    def delta(self) -> float:
        """The error that this attempt is allowed; the criterion's delta covers all attempts together."""
        return self.criterion.delta if self.attempt is None else self.attempt.delta

    def those(self, verdict: Verdict) -> tuple[ScopeResult, ...]:
        """The scopes with that verdict."""
        return tuple(result for result in self.scopes if result.verdict is verdict)

    @property
    def statement(self) -> str:
        """The counts of verdicts, with their basis."""
        return f"{self.headline} {self.basis}"

    @property
    def headline(self) -> str:
        """A sentence with the number of passed scopes, the measured and required values, and any large share of ungraded
        replies.
        """
        text, words = self._counted_verdicts, self.unread_counts.in_headline
        return text if not words or words in text else f"{text.removesuffix('.')}; {words}."

    @property
    def unread_counts(self) -> UngradedReplies:
        """The number of ungraded replies over all scopes."""
        unreadable, copied, cut_off = (
            sum(getattr(result.replies, name) for result in self.scopes) for name in ("unreadable", "copied", "cut_off")
        )
        ruled = self.grading is not None and self.grading.by_rule > 0
        asked = max(1, sum(result.questions for result in self.scopes))
        return UngradedReplies(unreadable, copied, cut_off, asked, self.grading is not None, ruled=ruled)

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
            return f"Undecided on all of {scopes}, {examined}. {capital(because)}."
        failing = f" and fails {bad}" if bad else ""
        left = f"; undecided on {undecided}: {self.why_not}" if undecided else ""
        by = "" if self.grading is None else f" by the judgement of {self.grading.judge_in_headline()}"
        by += "" if self.attempt is None else about_in_words(self.attempt.held.about)
        return f"{examined} passes {good} of {scopes}{failing}{by}: {figures}{left}."

    def _short_headline(self, shown: Sequence[str]) -> str:
        """Which scopes pass and fail, without numbers, which the rows of the page show."""
        kinds = {v: [name for name, scope in zip(shown, self.scopes, strict=True) if scope.verdict is v] for v in Verdict}
        is_decided = bool(kinds[Verdict.PASS] or kinds[Verdict.FAIL])
        clauses = [f"passes {len(kinds[Verdict.PASS])} of {len(shown)} scopes"] if is_decided else []
        for verb, names_ in (
            ("fails", kinds[Verdict.FAIL]),
            ("is undecided on" if not is_decided else "undecided on", kinds[Verdict.UNDECIDED]),
        ):
            if names_:
                clauses.append(f"{verb} {listed(names_) if len(names_) <= MOST_NAMED else len(names_)}")
        by = "" if self.grading is None else f", by the judgement of {self.grading.judge_in_headline()}"
        by += "" if self.attempt is None else about_in_words(self.attempt.held.about, remedy=False)
        words = self.unread_counts.in_headline
        text = f"{self.called}{followed_up(self.signature.settings)} {'; '.join(clauses)}{by}"
        return f"{text}; {words}." if words else f"{text}."

    @property
    def basis(self) -> str:
        """The basis of the verdicts, in one sentence."""
        questions = numbered(self.asked, "question")
        if all(result.complete for result in self.scopes):
            return f"All {questions} of the scopes were asked."
        if self.rule == "fwer":
            rare = how_often(self.criterion.delta, self.attempt)
            return f"After {questions}, by a procedure that gives any wrong verdict {rare}."
        overall = "" if self.attempt is None else f" over all attempts ({self.delta * 100:.3g}% in this one)"
        share = f"{self.criterion.delta * 100:.3g}%"
        return f"After {questions}, by a procedure with on average at most {share} wrong verdicts{overall}."

    @property
    def caveats(self) -> tuple[str, ...]:
        """Caveats of the verdicts, the most important first."""
        by_chance = any(r.verdict is not Verdict.UNDECIDED and not r.complete for r in self.scopes)
        return tuple(sentence for sentence in (self._guarantee() if by_chance else "", *self._further()) if sentence)

    def _guarantee(self) -> str:
        share = f"{self.delta * 100:.3g}%"
        if self.rule == "fwer":
            return (
                "The guarantee is about the procedure: for any candidate, it gives one or more wrong verdicts, of "
                f"either kind, at most {share} of the time."
            )
        return (
            "The guarantee is about the list, and on average. The expected share of wrong ones among “pass” and the "
            f"expected share among “fail” add up to at most {share}, for any candidate. A single "
            "verdict picked from the list is less sure than one from an examination on that scope alone."
        )

    def _further(self) -> tuple[str, ...]:
        undecided = len(self.those(Verdict.UNDECIDED))
        exact = sum(result.complete for result in self.scopes)
        laws = [astuple(result.broken_laws) for result in self.scopes if result.broken_laws is not None]
        absent = sum(result.replies.no_answers for result in self.scopes)
        return (
            f"“Undecided” on {undecided} scope{'' if undecided == 1 else 's'} is not a verdict: it says nothing for or "
            "against the candidate."
            if undecided
            else "",
            f"On {exact} scope{'' if exact == 1 else 's'} every question was asked, so nothing about these questions is left "
            "to chance there. A candidate that answers differently each time may do better or worse tomorrow."
            if exact
            else "",
            "Intervals are wide enough for all scopes at once, each level 1 − δ divided among them."
            if exact < len(self.scopes)
            else "",
            "It holds for questions drawn as each scope draws them, in these words, and for the candidate as it was when it "
            "answered. It says nothing about other questions.",
            AS_GRADED,
            f"{absent} question{'' if absent == 1 else 's'} got no answer (time-out, refusal or fault) and scored 0: the "
            "verdicts include the service."
            if absent
            else "",
            *unknowable_caveats(
                *(sum(getattr(result.replies, name) for result in self.scopes) for name in ("orphans", "faults", "turned_away"))
            ),
            self._asked_again,
            *unread_caveats(self.unread_counts, wrong=self.signature.settings.get("unreadable") == "wrong"),
            *(BrokenLaws(*map(sum, zip(*laws, strict=True))).caveats if laws else ()),
            *self.asked_so,
            *(() if self.attempt is None else self.attempt.caveats),
            "Unacceptable answers were not examined: no limit was set." if self.criterion.unacceptable_limit is None else "",
            "Answers to published questions don't show whether they were memorised."
            if any(result.scope_size for result in self.scopes)
            else "",
        )

    @property
    def _asked_again(self) -> str:
        """The caveat on answers that were asked again, and the verdicts if they counted 0; empty if there are none."""
        number = sum(result.replies.asked_again for result in self.scopes)
        if not number:
            return ""
        lost = sum(result.if_anew_wrong not in (None, Verdict.PASS) for result in self.those(Verdict.PASS))
        would = f"{lost} of the scopes that pass would not" if lost else "the same scopes would pass"
        return f"{asked_again_caveat(number)} If these answers counted 0, {would}, each by the evidence on it alone."

    def report(self) -> blocks.Report:
        """The whole report as blocks."""
        criterion, scopes, shown = self.criterion, self.scopes, short_names(self.scopes)
        passed = f"{len(self.those(Verdict.PASS))} of {len(scopes)} passed"
        return blocks.Report(
            kind="Certificates of understanding, many scopes",
            title=f"Certificates of understanding: {name_of(self.called)} on {len(scopes)} scopes",
            headline=clipped(self._short_headline(shown), SHOWN_CHARACTERS),
            verdict=shown_verdict(overall(self.verdicts), passed),
            chance=self.basis,
            blocks=(
                *names((self.called, self.candidate), [(scope.titled, scope.scope) for scope in scopes]),
                blocks.ResultList(tuple(result(scope, criterion, name) for name, scope in zip(shown, scopes, strict=True))),
                blocks.InShort((by_scope(shown, scopes, criterion),)),
                *unread(shown, scopes),
                *worst_answers(worst(shown, scopes), unread=any(scope.unread for scope in scopes)),
                limits(self.caveats),
                attempts(self.attempt),
                blocks.Fold(
                    "For statisticians",
                    (
                        by_scope(shown, scopes, criterion),
                        *intervals_by_scope(shown, scopes, criterion),
                        blocks.ReportFigure(evidence_by_scope(shown, scopes, self.thresholds)),
                        *method(criterion, self.rule, scopes, self.attempt, self.asked).blocks,
                    ),
                ),
            ),
            statement=self.statement,
            signature=self.signature.line,
        )

    def figures(self) -> dict[str, Any]:
        """The numbers as JSON values; null for unknown values."""
        kinds = (Verdict.PASS, Verdict.FAIL, Verdict.UNDECIDED)
        return {
            **given(name=self.name),
            "many": self.rule,
            "delta": self.criterion.delta,
            "passing_grade": self.criterion.passing_grade,
            "unacceptable_limit": self.criterion.unacceptable_limit,
            "verdicts": {kind.value: len(self.those(kind)) for kind in kinds},
            "scopes": self.scopes,
            "thresholds": {"pass": self.thresholds[0], "fail": self.thresholds[1]},
            "questions": self.asked,
            "why_not": self.why_not,
            "tokens": self.spending.tokens,
            "money": self.spending.money,
            **given(grading=self.grading),
        }
