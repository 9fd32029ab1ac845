"""The finding with two verdicts on the same answers: on a scope as a whole, and as people will ask its questions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import fsum
from typing import Final, Self

from vivavoce.certificate.attempts.attempt import AttemptHistory, how_often
from vivavoce.certificate.attempts.determinism import about_in_words
from vivavoce.certificate.certificate import Certificate
from vivavoce.certificate.claims.claim import Criterion, Verdict
from vivavoce.certificate.claims.results import ClaimFinding
from vivavoce.certificate.graders.grades import GradingReport
from vivavoce.certificate.report import numbers
from vivavoce.certificate.report.answers import SHOWN_HEADLINE, AnswerToShow, worst_answers
from vivavoce.certificate.report.caveats import limits
from vivavoce.certificate.report.method import attempts, spending
from vivavoce.formats.interval import Estimate
from vivavoce.formats.wording import clipped, count, name_of, numbered, score_interval, share, share_interval
from vivavoce.interview.candidate import Usage
from vivavoce.interview.scope import Signature
from vivavoce.report import blocks
from vivavoce.report.cells import TableCell, count_cell, observations

_METHOD = (
    "Questions are drawn evenly, each once in random order, and answers are taken in the order of drawing. For the first "
    "verdict each answer counts the same. For the second it counts by how often people will ask its question, as far as the "
    "heaviest question allows (importance weights with a cap).",
    "Each verdict has half of the attempt's share of δ. The probability that either is wrong is at most that share, at any "
    "stopping time (anytime-valid).",
    "How often people will ask each question comes from their beliefs about the candidate, by the rule that wrote the file of "
    "questions.",
)
_MOST_USED = 0.1
AS_A_WHOLE: Final = "As a whole"
AS_USED: Final = "As people will use it"


def both_verdicts(verdicts: tuple[Verdict, Verdict]) -> str:
    """Both in a few words."""
    whole, deployed = verdicts
    return f"{whole.value} as a whole; {deployed.value} as used"


@dataclass(frozen=True, slots=True, repr=False)
class DeploymentCertificate(ClaimFinding):
    """The result of `certify` on a scope as people will use it (`claims.deployed.deployment_of`)."""

    whole: Certificate
    """Every question counts the same; at delta / 2."""
    deployed: Certificate
    """Questions count by how often people will ask them; at delta / 2."""
    criterion: Criterion
    """Its delta covers both verdicts together."""
    asked: int
    shares: tuple[float, ...]
    """Shares of the units in all that people will ask, the largest first; they add up to 1."""
    signature: Signature
    attempt: AttemptHistory | None = None
    """The same as in a certificate."""

    json_keys = (
        "name?=whole.name scope title?=whole.title scope_digest=signature.scope_digest "
        "passing_grade=criterion.passing_grade unacceptable_limit=criterion.unacceptable_limit delta=criterion.delta "
        "asked most_used_tenth=most_used whole deployed tokens=spending.tokens money=spending.money"
    )

    @property
    def candidate(self) -> str:
        """The name of the candidate."""
        return self.whole.candidate

    @property
    def scope(self) -> str:
        """On what."""
        return self.whole.scope

    @property
    def grading(self) -> GradingReport | None:
        """The graders, if not only the scope's own rule."""
        return self.whole.grading

    @property
    def spending(self) -> Usage:
        """The cost."""
        return self.whole.spending

    @property
    def claims(self) -> tuple[Certificate, Certificate]:
        """The claims on the scope as a whole, and as people will use it."""
        return self.whole, self.deployed

    def named(self, name: str, title: Callable[[str], str]) -> Self:
        """The same as in a certificate."""
        return replace(self, whole=self.whole.named(name, title), deployed=self.deployed.named(name, title))

    @property
    def verdicts(self) -> tuple[Verdict, Verdict]:
        """The verdicts on the scope as a whole, and as people will use it."""
        return self.whole.verdict, self.deployed.verdict

    @property
    def statement(self) -> str:
        """Both verdicts in plain words, with their basis."""
        return f"{self.headline} {self.basis}"

    @property
    def headline(self) -> str:
        """Both verdicts in one sentence, with the share of ungraded replies if it is large."""
        text = self._both_verdicts
        words = self.whole.unread_counts.in_headline or self.deployed.unread_counts.in_headline
        return text if not words or words in text else f"{text.removesuffix('.')}; {words}."

    @property
    def _both_verdicts(self) -> str:
        who, scope, whole, deployed = self.whole.called, self.whole.titled, self.whole, self.deployed
        scope += "" if self.attempt is None else about_in_words(self.attempt.held.about)
        verbs = {Verdict.PASS: "passes", Verdict.FAIL: "fails"}
        first, second = (certificate.because for certificate in (whole, deployed))
        match self.verdicts:
            case (Verdict.UNDECIDED, Verdict.UNDECIDED):
                return f"Undecided whether {who} passes {scope}. As a whole, {first}; as people will use it, {second}."
            case (Verdict.UNDECIDED, sure):
                return f"{who} {verbs[sure]} {scope} as people will use it: {second}; undecided as a whole: {first}."
            case (sure, Verdict.UNDECIDED):
                return f"{who} {verbs[sure]} {scope} as a whole: {first}; undecided as people will use it: {second}."
            case (one, other):
                return f"{who} {verbs[one]} {scope} as a whole: {first}; it {verbs[other]} as people will use it: {second}."

    @property
    def _short_headline(self) -> str:
        """Both verdicts without numbers, which the rows of the page show."""
        scope = self.whole.titled + ("" if self.attempt is None else about_in_words(self.attempt.held.about, remedy=False))
        words = self.whole.unread_counts.in_headline or self.deployed.unread_counts.in_headline
        return f"{self.whole.called} on {scope}: {both_verdicts(self.verdicts)}{f'; {words}' if words else ''}."

    @property
    def basis(self) -> str:
        """The basis of the verdicts, in one sentence."""
        questions = numbered(self.asked, "question")
        if self.whole.complete and self.deployed.complete:
            return f"All {questions} of the scope were asked."
        if Verdict.UNDECIDED in self.verdicts:
            return f"After {questions}."
        rare = how_often(self.criterion.delta, self.attempt)
        return f"After {questions}, by a procedure that gives any wrong verdict {rare}."

    @property
    def most_used(self) -> float:
        """The share of all questions that people will ask which falls on their most frequent tenth of the file."""
        return fsum(self.shares[: max(1, round(_MOST_USED * len(self.shares)))])

    @property
    def _use(self) -> str:
        """A sentence on how unevenly people will use it."""
        return f"People will put {share(self.most_used)} of all their questions to the tenth of the file that they ask most."

    @property
    def caveats(self) -> tuple[str, ...]:
        """Caveats of the verdicts."""
        own = (
            "How often people will ask each question is taken as given: uncertainty about their beliefs is not part of delta.",
            "Questions that are not in the file do not count, however much people may use the candidate for them.",
        )
        counted = () if self.attempt is None else self.attempt.caveats
        return (*own, *dict.fromkeys((*self.whole.caveats, *self.deployed.caveats, *counted)))

    def report(self) -> blocks.Report:
        """The whole report as blocks."""
        whole, deployed, use = self.whole, self.deployed, self._use
        delta_spent = spending(self.criterion.delta, self.attempt).strip()
        return blocks.Report(
            kind="Deployment certificate",
            title=f"Deployment certificate: {name_of(whole.called)} on {whole.titled}",
            headline=clipped(self._short_headline, SHOWN_HEADLINE),
            verdict=numbers.shown_verdict(numbers.overall(self.verdicts), both_verdicts(self.verdicts)),
            chance=f"{self.basis} {use}",
            blocks=(
                *numbers.names((whole.called, whole.candidate), [(whole.titled, whole.scope)]),
                blocks.ResultList(
                    (
                        numbers.result(whole, whole.criterion, AS_A_WHOLE),
                        numbers.result(deployed, deployed.criterion, AS_USED),
                    )
                ),
                blocks.InShort((self._numbers(), *blocks.paragraphs(use))),
                *deployed.unread_replies(deployed.remedies or whole.remedies),
                *worst_answers([*map(AnswerToShow, deployed.worst)], unread=bool(deployed.unread)),
                limits(self.caveats),
                attempts(self.attempt),
                blocks.Fold(
                    "For statisticians",
                    (
                        self._numbers(),
                        blocks.ReportSection(AS_A_WHOLE, (blocks.ReportFigure(whole.evidence_path),)),
                        blocks.ReportSection(AS_USED, (blocks.ReportFigure(deployed.evidence_path),)),
                        *blocks.method_of([*_METHOD, *filter(None, (delta_spent,))]).blocks,
                    ),
                ),
            ),
            statement=self.statement,
            signature=self.signature.line,
        )

    def _numbers(self) -> blocks.ReportTable:
        """Both verdicts in figures; the last rows have two-sided intervals, since those above show one-sided bounds."""
        both, criterion = self.claims, self.criterion
        heads = (("What", "what"), (AS_A_WHOLE, "as a whole"), (AS_USED, "as used"), ("Required", "required"))
        scores = [_counted_below(numbers.score_in_cell(claim, claim.criterion), claim.score) for claim in both]
        rates = [_counted_below(numbers.rate_in_cell(claim, claim.criterion), claim.unacceptable) for claim in both]
        score_ends = [TableCell(score_interval(claim.score.interval)) for claim in both]
        rate_ends = [TableCell(share_interval(claim.unacceptable.interval)) for claim in both]
        laws = [law for law in (claim.broken_laws for claim in both) if law is not None]
        broken = [TableCell(f"{count(law.count)} of {count(law.judged)}", law.count) for law in laws]
        rows = (
            _row("Verdict", [TableCell(claim.verdict.value) for claim in both], ""),
            _row("Mean score", scores, numbers.required_score(criterion)),
            _row("Unacceptable answers", rates, numbers.required_rate(criterion)),
            _row(
                "Questions it rests on",
                [count_cell(claim.questions) for claim in both],
                f"of {count(self.whole.scope_size or 0)} in the file",
            ),
            *((_row("Broken laws", broken, "of those that could be judged", short="of those judged"),) if laws else ()),
            _row("Interval of the score", score_ends, "two-sided"),
            _row("Interval of the rate", rate_ends, "two-sided"),
        )
        return blocks.ReportTable(tuple(blocks.Column(head, short=short) for head, short in heads), rows)


def _row(what: str, cells: Sequence[TableCell], required: str, *, short: str = "") -> blocks.ReportRow:
    return blocks.ReportRow(TableCell(what), (*cells, TableCell(required, short=short, quiet=True)))


def _counted_below(cell: TableCell, estimate: Estimate) -> TableCell:
    """A number with its observations below it; on narrow screens they have a separate row."""
    return replace(cell, below=(observations(estimate.n),))
