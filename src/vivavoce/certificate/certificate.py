"""The certificate: a verdict on understanding, with its evidence and caveats."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Final, Self

from vivavoce.certificate.attempts.attempt import AttemptHistory, how_often
from vivavoce.certificate.attempts.determinism import about_in_words
from vivavoce.certificate.claims.claim import Criterion, Evidence, GradedAnswer, Stratum, Verdict, brief
from vivavoce.certificate.claims.repeated_answers import DrawsFinding, drawn_so, repeated_answers
from vivavoce.certificate.claims.results import ClaimFinding, counted
from vivavoce.certificate.config import Procedure
from vivavoce.certificate.design.extension import ExtendedList
from vivavoce.certificate.design.history import HistoryUse
from vivavoce.certificate.evidence.inference import ScoreOrder
from vivavoce.certificate.explanations.finding import ExplanationFinding, explanations
from vivavoce.certificate.graders.agent import AgentRecord, what_it_did
from vivavoce.certificate.graders.grades import GradingReport
from vivavoce.certificate.report import numbers as of
from vivavoce.certificate.report.answers import AnswerToShow, assumed_replies, unread_replies, unread_title, worst_answers
from vivavoce.certificate.report.caveats import ReplyCounts, UngradedReplies, followed_up, if_anew_wrong, limits
from vivavoce.certificate.report.figures import evidence_path, rate_interval_rows, score_interval_rows
from vivavoce.certificate.report.method import (
    attempts,
    drawing_method,
    extended_list,
    extension_caveats,
    known_before,
    method,
    who_graded,
)
from vivavoce.certificate.report.numbers import further_questions, in_figures, names, requirement, shown_verdict
from vivavoce.formats.interval import Estimate, Interval
from vivavoce.formats.wording import capital, count, numbered
from vivavoce.interview.budget import BudgetEnd
from vivavoce.interview.candidate import Usage
from vivavoce.interview.scope import Signature
from vivavoce.report.blocks import Block, Fold, InShort, Report, ReportFigure, ReportTable
from vivavoce.report.figures import EvidencePath, IntervalRows
from vivavoce.scopes.unit_laws import BrokenLaws

CORRECT: Final = "Correct answers"


@dataclass(frozen=True, slots=True, repr=False)
class Certificate(ClaimFinding):
    """The result of `certify` on one scope."""

    verdict: Verdict
    candidate: str
    scope: str
    scope_size: int | None
    """Number of questions in the scope; None if endless."""
    criterion: Criterion
    procedure: Procedure
    questions: int
    """Number of questions that the verdict is based on."""
    complete: bool
    """Whether all questions of a finite scope were asked, each once; then the verdict is exact."""
    score: Estimate
    """Mean score, with an interval at level 1 - delta that is valid when the examination stops.

    Where replies could not be graded the value is the lowest possible mean (see `score_range`); the interval allows for all
    possible grades.
    """
    unacceptable: Estimate
    """Rate of unacceptable answers, with an interval at the same level."""
    unacceptable_count: int
    replies: ReplyCounts
    path: tuple[Evidence, ...]
    """Evidence over questions, thinned to at most 1,000 points, the last one included."""
    threshold: float
    """ln(1/delta): `score_pass` and `unacceptable_pass` must each have reached it once, or `fail` must reach it."""
    worst: tuple[GradedAnswer, ...]
    """Up to ten answers, unacceptable ones first, then by score."""
    why_not: str
    """A clause on why it is undecided; empty if it is not."""
    still_needed: int | None
    """Estimated number of further questions until a verdict; None with a verdict or without an estimate."""
    spending: Usage
    caveats: tuple[str, ...]
    signature: Signature
    strata: tuple[Stratum, ...] = ()
    """Empty if the scope was not stratified."""
    largest_weight: float | None = None
    """Weight of the heaviest question, as a multiple of its share; None if questions were drawn by their weights."""
    broken_laws: BrokenLaws | None = None
    """Counts of the scope's laws over its questions; None if it has none."""
    grading: GradingReport | None = None
    """The graders, if not the scope's own rule."""
    explained: ExplanationFinding | None = None
    """The procedures that were handed over; None if none could be."""
    overlooked: int = 0
    """Number of replies that scored 0 but contain an accepted answer: the matching may be wrong."""
    if_anew_wrong: Verdict | None = None
    """The verdict if repeated answers counted 0; None if there are none."""
    score_range: Interval | None = None
    """The range of the mean score of the answers taken; None if it is one number."""
    unacceptable_range: Interval | None = None
    """The same for the rate of unacceptable answers."""
    unread: tuple[GradedAnswer, ...] = ()
    """The first five replies that could not be graded."""
    assumed_count: int = 0
    """Number of short replies that are wrong only by assumption: in the requested form, and unlike every accepted answer."""
    assumed: tuple[GradedAnswer, ...] = ()
    """The first five of them."""
    remedies: tuple[str, ...] = ()
    """Sentences on what to try if ungraded replies prevent a verdict."""
    unexamined: bool = False
    """Whether too many ungraded replies prevent a verdict."""
    order: ScoreOrder | None = None
    """Whether the candidate seems to have changed while it was asked; None for fewer than two units."""
    attempt: AttemptHistory | None = None
    """This attempt and all others on record; None if attempts are not counted."""
    history: HistoryUse | None = None
    """The history of the questions, and how much it helped; None without one."""
    ended: BudgetEnd | None = None
    """The limit of the budget that ended the questions; None if none did."""
    name: str = ""
    """Display name of the candidate; empty: `candidate`."""
    title: str = ""
    """Display title of the scope; empty: `scope`."""
    draws: DrawsFinding | None = None
    """The claim about several answers to each question and its result, which `score` measures; None if each has one answer."""

    extended: ExtendedList | None = None
    """The extension of the list of unacceptable answers; None: nothing was added."""
    agent: AgentRecord | None = None
    """The candidate's steps before its answers; None if no answer has steps."""

    json_keys = (
        "name? scope title? scope_size scope_digest=digest passing_grade=criterion.passing_grade "
        "unacceptable_limit=criterion.unacceptable_limit delta=criterion.delta procedure *counts log_e_values path worst "
        "unread assumed_wrong?=assumed why_not still_needed order tokens=spending.tokens money=spending.money strata? "
        "largest_weight? broken_laws? draws? verdict_if_asked_again_is_wrong?=if_anew_wrong overlooked? grading? "
        "explained? history? extension?=extended agent?"
    )

    @property
    def counts(self) -> dict[str, Any]:
        """The counts as JSON values."""
        return counted(self)

    @property
    def log_e_values(self) -> dict[str, float | None] | None:
        """The evidence in the end, and how much of it a verdict needs; None without any."""
        if not self.path:
            return None
        _, score_pass, unacceptable_pass, fail = self.path[-1]
        values = {"score_pass": score_pass, "unacceptable_pass": unacceptable_pass, "fail": fail}
        return values | {"pass_threshold": self.threshold, "fail_threshold": self.threshold}

    @property
    def claims(self) -> tuple[Certificate]:
        """The only one."""
        return (self,)

    @property
    def asked(self) -> int:
        """Questions to the candidate. With a judge and people, this includes those that only the judge graded; with
        procedures, it excludes those that they answered.
        """
        if self.draws is not None:
            return self.draws.answers
        if self.explained is not None:
            return self.explained.asked - self.explained.requests
        return self.questions + (0 if self.grading is None else self.grading.judged_only + self.grading.ruled_only)

    @property
    def digest(self) -> str:
        """Digest of the scope."""
        return self.signature.scope_digest

    def named(self, name: str, title: Callable[[str], str]) -> Self:
        """The certificate with display names of the candidate and its scope."""
        return replace(self, name=name, title=title(self.scope))

    def by_extended_list(self, extended: ExtendedList) -> Self:
        """The certificate with its extension of the list of unacceptable answers."""
        return replace(self, extended=extended, caveats=(*self.caveats, *extension_caveats(extended)))

    @property
    def called(self) -> str:
        """The display name of the candidate."""
        return self.name or self.candidate

    @property
    def titled(self) -> str:
        """The display title of the scope."""
        return self.title or brief(self.scope)

    @property
    def delta(self) -> float:
        """This attempt's share of delta; the criterion's delta covers all attempts together."""
        return self.criterion.delta if self.attempt is None else self.attempt.delta

    @property
    def unread_counts(self) -> UngradedReplies:
        """How many replies could not be graded."""
        judged = self.grading is not None and self.grading.judge_alone
        ruled = self.grading is not None and self.grading.by_rule > 0
        asked = max(1, self.questions if self.draws is None else self.draws.answers)
        return UngradedReplies.of(self.replies, asked, judged=judged, ruled=ruled)

    @property
    def statement(self) -> str:
        """The verdict in plain words, with its basis."""
        return f"{self.headline} {self.basis}{self._without_anew}"

    @property
    def _without_anew(self) -> str:
        """Addition to the statement of a pass that depends on answers that a later run asked again."""
        if self.verdict is not Verdict.PASS or self.if_anew_wrong is None:
            return ""
        return f" {if_anew_wrong(self.replies.asked_again, self.if_anew_wrong)}"

    @property
    def headline(self) -> str:
        """The verdict, with the measured, shown and required values."""
        return self._headline(self._about(), self.measured)

    def _headline(self, about: str, measured: str) -> str:
        if self.verdict is Verdict.UNDECIDED:
            return f"Undecided whether {self._subject} passes {about}. {capital(self.because)}{self._ungraded}."
        verb = "passes" if self.verdict is Verdict.PASS else "fails"
        return f"{self._subject} {verb} {about}: {measured}{self._ungraded}."

    @property
    def _subject(self) -> str:
        """The subject of the sentence: the candidate, with any follow-up turn and explanations."""
        together = "" if self.explained is None else self.explained.together
        return self.called + followed_up(self.signature.settings) + together

    def _about(self, *, remedy: bool = True) -> str:
        """The object of the verdict: scope, judge and answers; `remedy`: as for `about_in_words`."""
        judged = self.grading is not None and self.grading.judge_alone
        judge = f" by the judgement of {self.grading.judge_in_headline()}" if self.grading is not None and judged else ""
        return self.titled + judge + ("" if self.attempt is None else about_in_words(self.attempt.held.about, remedy=remedy))

    @property
    def because(self) -> str:
        """A clause on the measurements and the reason for no verdict; only the latter if no reply could be graded."""
        if self.verdict is Verdict.UNDECIDED and self.unread_counts.is_all:
            return f"{self.unread_counts.words}; {requirement(self.criterion, self._claimed)}"
        return "; ".join(filter(None, (self.measured, self.why_not)))

    @property
    def _claimed(self) -> str:
        return "" if self.draws is None else self.draws.claimed

    @property
    def measured(self) -> str:
        """The measured, shown and required values, in a clause; empty if nothing was measured."""
        return in_figures(self, self.criterion, self._claimed)

    @property
    def _ungraded(self) -> str:
        """Addition to the headline if many replies did not come, or could not be graded and it does not say so already."""
        clauses = self.unread_counts.in_headline, self.unread_counts.unanswered_words
        return "".join(f"; {words}" for words in clauses if words and words not in self.because)

    @property
    def basis(self) -> str:
        """The basis of the verdict, in one sentence."""
        if self.complete and self.explained is not None and self.explained.standing:
            own = count(self.explained.questions) if self.explained.questions else "none"
            return f"Every question of the scope was answered, {own} of them by the candidate itself."
        if self.explained is not None and self.explained.known is not None and self.explained.known.decides:
            return (
                "The answers of its procedures decide the verdict, whatever the answers to the other questions; none was asked."
            )
        questions = numbered(self.questions, "question")
        if self.draws is not None:
            questions += f" {self.draws.drawn}"
        by_whom = "" if self.grading is None else self.grading.by_whom
        by_people = self.grading is not None and self.grading.by_people and not by_whom
        if self.complete:
            all_asked = f"All {questions} of the scope were" if self.questions > 1 else "The only question of the scope was"
            return f"{all_asked} asked{', and people graded the answers' if by_people else by_whom}."
        if by_people:
            questions += " that people graded"
        questions += by_whom
        if self.explained is not None:
            questions += self.explained.of_these(self.questions)
        if self.verdict is Verdict.UNDECIDED:
            return f"After {questions}."
        # Not "this verdict is wrong with probability at most delta": the guarantee is on the procedure, before it is run.
        wrong = how_often(self.criterion.delta, self.attempt)
        return f"After {questions}, by a procedure that gives a wrong verdict {wrong}."

    def report(self) -> Report:
        """The whole report as blocks."""
        needed = further_questions(self.still_needed)
        deciding = in_figures(self, self.criterion, self._claimed, deciding=True)  # the tiles of the page show the bounds
        return Report(
            kind="Certificate of understanding",
            title=f"Certificate of understanding: {self.called} on {self.titled}",
            headline=self._headline(self._about(remedy=False), deciding),
            chance=f"{self.basis}{self._without_anew} {needed}".rstrip(),
            verdict=shown_verdict(self.verdict),
            blocks=(
                *names((self.called, self.candidate), [(self.titled, self.scope)]),
                of.tiles(self, self.criterion, CORRECT if self.draws is None else self.draws.row),
                InShort((self._numbers(), *of.strata(self.strata), *repeated_answers(self.draws))),
                *self.unread_replies(self.remedies),
                *worst_answers([*map(AnswerToShow, self.worst)], unread=bool(self.unread)),
                *assumed_replies([*map(AnswerToShow, self.assumed)], self.assumed_count),
                limits(self.caveats),
                who_graded(self.grading),
                explanations(self.explained, questions=self.questions, delta=self.delta),
                known_before(self.history),
                extended_list(self.extended),
                attempts(self.attempt),
                *what_it_did(self.agent),
                Fold(
                    "For statisticians",
                    (
                        self._numbers(),
                        *of.strata(self.strata),
                        *repeated_answers(self.draws),
                        ReportFigure(self.evidence_path),
                        *map(ReportFigure, self.intervals),
                        *self._method().blocks,
                    ),
                ),
            ),
            statement=f"{self.statement} {needed}".rstrip(),
            signature=self.signature.line,
        )

    def _method(self) -> Fold:
        return method(
            drawing_method(
                self.criterion,
                stratified=bool(self.strata),
                weighted=self.largest_weight is not None,
                repeated=() if self.draws is None else drawn_so(self.draws),
            ),
            self.criterion,
            self.procedure,
            self.attempt,
            self.signature.settings,
            grading=self.grading,
            ordered=self.order is not None,
            unread=self.unread_counts.count > 0,
        )

    @property
    def evidence_path(self) -> EvidencePath:
        """How the evidence grew, to be drawn."""
        return evidence_path(self.path, (self.threshold, self.threshold), self.questions, self.verdict)

    @property
    def intervals(self) -> tuple[IntervalRows, IntervalRows]:
        """Score and unacceptable answers with their requirements, for a plot."""
        what = "" if self.draws is None else self.draws.row
        return (
            score_interval_rows(self.criterion, self.score, self.score_range, what),
            rate_interval_rows(self.criterion, self.unacceptable, self.unacceptable_range),
        )

    def unread_replies(self, remedies: tuple[str, ...]) -> tuple[Block, ...]:
        """Replies that could not be graded, and what to try."""
        title = unread_title(self.unread_counts, len(self.unread))
        return unread_replies(title, [*map(AnswerToShow, self.unread)], remedies)

    def _numbers(self) -> ReportTable:
        what = of.MEAN_SCORE if self.draws is None else self.draws.row
        return of.numbers(
            of.mean_score(self, self.criterion, what),
            of.unacceptable_answers(self, self.criterion),
            of.number("Questions", self.questions, f"of {of.size(self.scope_size)}"),
            *(() if self.draws is None else (of.number("Answers", self.draws.answers, "with replacement"),)),
            of.number("“I don’t know”", self.replies.dont_know),
            of.number(self.unread_counts.row, self.unread_counts.count),
            *of.any_number("Copied from the prompt", self.replies.copied, "of these"),
            *of.any_number("Cut off", self.replies.cut_off, "of these"),
            *of.any_number("Read after a further turn", self.replies.after_turn),
            of.number("No answer", self.replies.no_answers),
            *of.change_over_time(self.order),
            *of.any_number("Asked, never answered", self.replies.orphans, "the program ended first"),
            *of.any_number(
                "Met a fault", self.replies.faults, "worth anything, whatever a second try said", short="worth anything"
            ),
            *of.any_number(
                "Turned away first", self.replies.turned_away, "assumed unheard, and asked again", short="asked again"
            ),
            *of.any_number(
                "Asked again", self.replies.asked_again, "met a fault of the service in an earlier run", short="in a later run"
            ),
            *of.broken_laws(self.broken_laws),
            *of.spent(self.spending),
            *of.two_sided(self, self.criterion),
        )

    @property
    def verdict_word(self) -> str:
        """The verdict."""
        return self.verdict.value
