"""Two verdicts on the same answers: on a scope as a whole, and on its questions as people will ask them.

People use a model for what they believe it can do (`vafa2024`), so a scope's questions come with weights: the distribution of
what they will ask *this* model, which `viva people deploy` writes from their beliefs. Questions are drawn evenly, each
once. Each answer counts the same for the whole, and by importance weights with a cap (`evidence.importance_weighting`) for the
deployment.

Each verdict has the error delta / 2, so the probability that any of the two is wrong is at most delta, at any stopping time.
Each run is valid alone on units that are drawn without replacement, and the union bound allows any dependence between them.
Any grader may grade: both runs get the same grades, in drawn order, and an answer that waits for a grade ends the evidence of
both.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from vivavoce.certificate.attempts.grades_log import Gradebook, PeopleGrade
from vivavoce.certificate.attempts.log import end, of_attempt, write_book
from vivavoce.certificate.certificate import Certificate
from vivavoce.certificate.claims.claim import Criterion, Verdict
from vivavoce.certificate.claims.deployed_certificate import DeploymentCertificate
from vivavoce.certificate.design.drawing import AsDrawn, Population
from vivavoce.certificate.evidence.importance_weighting import ImportanceWeighting, importance_weighting_of
from vivavoce.certificate.run import CertificateRun, signed
from vivavoce.errors import BadInput
from vivavoce.interview.candidate import NoAnswer, Prompt, Reply, Usage
from vivavoce.interview.commitment import CommittedSecret
from vivavoce.interview.results import ResultMark
from vivavoce.interview.scope import Grade
from vivavoce.scopes.listed_and_endless import ListedScope
from vivavoce.scopes.questions import Question, Unit

if TYPE_CHECKING:
    from vivavoce.certificate.procedure import StartedExamination

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
