"""Two verdicts on the same answers: on a scope as a whole, and on its questions as people will ask them.

People use a model for what they believe it can do (`vafa2024`), so a scope's questions come with weights: the distribution of
what they will ask *this* model, which `viva people deploy` writes from their beliefs. Questions are drawn evenly, each
once. Each answer counts the same for the whole, and by importance weights with a cap (`evidence.drawn_once`) for the
deployment.

Each verdict has the error delta / 2, so the probability that any of the two is wrong is at most delta, at any stopping time.
Each run is valid alone on units that are drawn without replacement, and the union bound allows any dependence between them.
Any grader may grade: both runs get the same grades, in drawn order, and an answer that waits for a grade ends the evidence of
both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import fsum
from typing import Final, Self

from vivavoce.certificate.attempts.attempt import AttemptHistory, how_often
from vivavoce.certificate.attempts.determinism import about_in_words
from vivavoce.certificate.attempts.grades_log import Gradebook, PeopleGrade
from vivavoce.certificate.attempts.log import end, of_attempt, write_book
from vivavoce.certificate.certificate import Certificate
from vivavoce.certificate.claims.claim import Criterion, Verdict
from vivavoce.certificate.claims.results import ClaimFinding
from vivavoce.certificate.design.drawing import AsDrawn, Population
from vivavoce.certificate.evidence.drawn_once import ImportanceWeighting, importance_weighting_of
from vivavoce.certificate.graders.grades import GradingReport
from vivavoce.certificate.report import numbers
from vivavoce.certificate.report.answers import SHOWN_HEADLINE, AnswerToShow, worst_answers
from vivavoce.certificate.report.caveats import limits
from vivavoce.certificate.report.method import attempts, spending
from vivavoce.certificate.run import CertificateRun, StartedExamination, signed
from vivavoce.errors import BadInput
from vivavoce.formats.interval import Estimate
from vivavoce.formats.wording import clipped, count, name_of, numbered, score_interval, share, share_interval
from vivavoce.interview.candidate import NoAnswer, Prompt, Reply, Usage
from vivavoce.interview.commitment import CommittedSecret
from vivavoce.interview.results import ResultMark
from vivavoce.interview.scope import Grade, Signature
from vivavoce.report import blocks
from vivavoce.report.cells import TableCell, count_cell, observations
from vivavoce.scopes.listed_and_endless import ListedScope
from vivavoce.scopes.questions import Question, Unit

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


NAME = "deployment-certificate"


@dataclass(frozen=True, slots=True)
class DeployedScope(ImportanceWeighting):
    """A list of questions drawn evenly, each once, and counted in two ways: by how often people will ask each, and equally."""

    scope: ListedScope

    @property
    def whole(self) -> ListedScope:
        """The scope with equal weights."""
        return replace(self.scope, questions=alike(self.scope.questions))


def deployment_of(scope: object) -> DeployedScope:
    """A list of questions as people will ask them, by their weights.

    The weights are taken as given: delta does not cover uncertainty about people's beliefs. Raises `BadInput` for an endless
    scope, and for equal weights.

    >>> import vivavoce as viva
    >>> sums = [Question(f"q{n}", f"What is {n} + {n}?", accepted=(str(2 * n),), weight=n) for n in range(1, 40)]
    >>> interview = viva.Interview(viva.open_candidate("bot:calculator"), answers=viva.Reply)
    >>> used = deployment_of(ListedScope("doubles", tuple(sums)))
    >>> deployed = viva.run(viva.certify(interview, used, viva.Criterion(0.7, None), seed=2))
    >>> print(deployed.headline.replace("; ", ";\\n"))
    bot:calculator passes doubles as a whole: 100% correct (shown: at least 70%), 70% required;
    it passes as people will use it: 100% correct (shown: at least 70%), 70% required.
    """
    weighting = importance_weighting_of(scope)
    if not isinstance(scope, ListedScope) or weighting.alike:
        raise BadInput("all weights are equal: use a file from 'viva people deploy', which has weights")
    return DeployedScope(weighting.units, weighting.total, weighting.largest, scope)


class DeployedRuns:
    """Two runs on the same answers: on the scope as a whole, and by its weights."""

    def __init__(self, begun: StartedExamination, deployment: DeployedScope) -> None:
        self._deployment = deployment
        criterion, terms, whole = of_either(begun.own), begun.terms, deployment.whole
        evenly: Population = AsDrawn(whole) if whole.population else importance_weighting_of(whole)
        self._runs = tuple(
            CertificateRun(scope, population.inference(criterion, terms.procedure), replace(terms, design=population.settings))
            for scope, population in ((whole, evenly), (deployment.scope, deployment))
        )
        self._terms = terms
        self._asked = 0

    @property
    def over(self) -> bool:
        """Whether both have their verdicts, or can't get one."""
        return all(run.over for run in self._runs)

    @property
    def marks(self) -> list[ResultMark]:
        """The marks of the run that took more answers: the run with the first verdict takes no more."""
        return max(self._runs, key=lambda run: run.answers).marks

    def prompts(self, units: Iterator[Unit]) -> Iterator[Prompt]:
        """The questions to ask, unit by unit; both runs wait for the same answers."""
        for unit in self._terms.limited(units):
            self.expect(unit)
            yield from map(self._deployment.scope.prompt, unit)

    def expect(self, unit: Unit) -> None:
        """Expect the answers to this unit next, after the units expected before."""
        whole, deployed = self._runs
        whole.expect(alike(unit))
        deployed.expect(unit)

    def take(self, answer: Reply | NoAnswer) -> None:
        """Take an answer, graded by the scope's rule."""
        self._asked += 1
        for run in self._runs:
            if not run.over:
                run.take(answer)

    def take_grade(self, answer: Reply | NoAnswer, grade: Grade) -> None:
        """Take an answer with a grade from another grader."""
        self._asked += 1
        for run in self._runs:
            if not run.over:
                run.take_grade(answer, grade)

    def certificates(self, candidate: str, exhausted: str, spending: Usage, seed: int) -> tuple[Certificate, ...]:
        """The certificates on the whole scope, and on the scope as people will use it."""
        return tuple(run.certificate(candidate, exhausted, spending, seed) for run in self._runs)

    async def finish(
        self,
        begun: StartedExamination,
        certificates: Sequence[Certificate],
        exhausted: str,
        people: tuple[PeopleGrade, ...] = (),
        places: CommittedSecret | None = None,
    ) -> DeploymentCertificate:
        """Put the end on record, with both verdicts and any people's grades."""
        if people:
            await write_book(begun.interview, begun.attempt, Gradebook(people=people))
        whole, deployed = certificates
        decided = (certificate.complete or certificate.verdict is not Verdict.UNDECIDED for certificate in certificates)
        over = all(decided) or all(run.inference.looked for run in self._runs)
        outcome = f"{whole.verdict.value} / {deployed.verdict.value}"
        attempt = await end(begun.interview, begun.attempt, outcome, self._asked, over=over)
        whole, deployed = (
            replace(certificate, signature=replace(certificate.signature, seed=attempt.told_seed))
            for certificate in certificates
        )
        terms, interview, scope = begun.terms, begun.interview, self._deployment.scope
        signature = signed(
            NAME,
            interview.candidate.name,
            scope=scope.name,
            digest=scope.digest,
            criterion=begun.criterion,
            seed=begun.seed,
            questions=terms.limit,
            unreadable=terms.unreadable,
            **({"procedure": terms.procedure} if terms.procedure == "fixed" else {}),
            **terms.graded,
            **terms.endurance.settings,
            **interview.settings,
        )
        return DeploymentCertificate(
            whole=whole,
            deployed=deployed,
            criterion=begun.criterion,
            asked=self._asked,
            shares=self._deployment.shares(),
            signature=of_attempt(signature, begun.criterion, attempt),
            attempt=attempt,
        )


def of_either(criterion: Criterion) -> Criterion:
    """The criterion of either verdict, with half of the error."""
    return replace(criterion, delta=criterion.delta / 2)


def alike(questions: tuple[Question, ...]) -> tuple[Question, ...]:
    """The same questions with weight 1."""
    return tuple(replace(question, weight=1.0) for question in questions)
