"""Certify a candidate: compose an examination from design, grading and claim, ask the questions, and stop at the verdict."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any, Final, get_args, overload

from vivavoce.certificate.attempts.determinism import DeclarationCheck
from vivavoce.certificate.attempts.log import attempts, begin, known_seed, terms_of
from vivavoce.certificate.certificate import Certificate
from vivavoce.certificate.claims.claim import ClaimFamily, Criterion, answers_topic
from vivavoce.certificate.claims.deployed import NAME as DEPLOYED
from vivavoce.certificate.claims.deployed import DeployedRuns, DeployedScope, DeploymentCertificate
from vivavoce.certificate.claims.draws import Draws, check_answers_afresh, check_answers_once
from vivavoce.certificate.claims.many_scopes import NAME as MANY
from vivavoce.certificate.claims.many_scopes import ManyScopesProcedure
from vivavoce.certificate.claims.many_scopes_finding import ManyScopes
from vivavoce.certificate.claims.results import ClaimFinding
from vivavoce.certificate.config import ClaimConfig, Correction, Drawing, Feature, Procedure, features_of, refuse
from vivavoce.certificate.design.drawing import AsDrawn, Endurance, Population, WithReplacement, strata_of
from vivavoce.certificate.design.extension import Extension, check_seed, extended_by, rescore
from vivavoce.certificate.design.extension import put_on_record as put_extension_on_record
from vivavoce.certificate.design.history import History, put_on_record
from vivavoce.certificate.evidence.drawn_once import importance_weighting_of, with_history
from vivavoce.certificate.evidence.sequential import check_terms
from vivavoce.certificate.graders.rule_grading import ByRule, ExaminationProcedure, GradingMethod, Target
from vivavoce.certificate.run import CertificateRun, RunTerms, StartedExamination
from vivavoce.errors import BadInput
from vivavoce.interview.candidate import Prompt, Reply
from vivavoce.interview.interview import DrawPlan, Interview
from vivavoce.interview.scope import Scope
from vivavoce.scopes.listed_and_endless import ListedScope
from vivavoce.scopes.questions import Question

_CLAIM: Final = ClaimConfig()


POPULATIONS: Final[Mapping[Drawing, Callable[[Any], Population]]] = {
    "scope": AsDrawn,
    "strata": strata_of,
    "weights": importance_weighting_of,
}


@dataclass(frozen=True, slots=True)
class CertifiedScopes:
    """The subject: one scope, with one verdict or two (`deployment`), or several, each with its own verdict."""

    scopes: tuple[Scope[Question], ...]
    several: bool = False
    deployment: DeployedScope | None = None

    @classmethod
    def of(cls, given: Scope[Question] | DeployedScope | Sequence[Scope[Question] | DeployedScope]) -> CertifiedScopes:
        """The argument of `certify`."""
        if isinstance(given, DeployedScope):
            return cls((given.scope,), deployment=given)
        if not isinstance(given, Sequence):
            return cls((given,))
        deployment = next(
            (scope for scope in given if isinstance(scope, DeployedScope)), None
        )  # refused later, with the reason
        return cls(tuple(scope.scope if isinstance(scope, DeployedScope) else scope for scope in given), True, deployment)


@dataclass(frozen=True, slots=True)
class Composition:
    """How questions are drawn, who grades, and when the evidence is tested. `config` refuses unsound combinations.

    >>> Composition("strata").population(ListedScope("two", (Question("1", "1?", accepted=("1",), category="a"), Question(
    ...     "2", "2?", accepted=("2",), category="b")))).population
    2
    """

    drawing: Drawing = "scope"
    grading: GradingMethod = ByRule()  # noqa: RUF009 -- frozen
    procedure: Procedure = _CLAIM.procedure
    """`sequential` checks after every answer and stops at the first sufficient evidence; `fixed` asks a number of questions
    chosen beforehand, and checks once (Procedure 4.1 of `leytonbrown2024`).
    """
    correction: Correction = _CLAIM.correction
    """What delta bounds with several scopes; see `claims.claim.MultipleTest`."""
    endurance: Endurance = Endurance()  # noqa: RUF009 -- frozen
    """How long to examine a candidate that may change."""
    draws: Draws | None = None
    """How often each question is answered, and the claim about it; None: once."""
    history: History | None = None
    """Other candidates' scores on the questions of the scope, used by the bets."""
    extension: Extension | None = None
    """Additions to the list of unacceptable answers after answers were seen; the examined scope includes them."""
    family: ClaimFamily | None = None
    """For one scope given as a sequence: the family of verdicts that it belongs to, and its rule."""

    def population(self, scope: Scope[Question]) -> Population:
        """How questions of this scope are drawn. Raises `BadInput` if they cannot be drawn so."""
        if self.draws is not None:
            return WithReplacement(scope, self.draws)
        return POPULATIONS[self.drawing](scope) if self.history is None else with_history(scope, self.history)

    def populations(self, subject: CertifiedScopes) -> tuple[Population, ...]:
        """How questions of each scope are drawn."""
        if subject.deployment is not None:
            return (subject.deployment,)
        return tuple(map(self.population, subject.scopes))

    def features(self, subject: CertifiedScopes) -> frozenset[Feature]:
        """Features that may exclude others."""
        scopes = subject.scopes
        clustered = (isinstance(scope, ListedScope) and any(len(unit) > 1 for unit in scope.units) for scope in scopes)
        wanted: dict[Feature, bool] = {
            "several scopes": subject.several,
            "deployed": subject.deployment is not None,
            "laws": any(getattr(scope, "has_laws", False) for scope in scopes),
            "clusters": any(clustered),
            "fixed": self.procedure == "fixed",
            "endurance": bool(self.endurance.settings),
            "history": self.history is not None,
            "extended": self.extension is not None,
        }
        results = self.grading.features | (frozenset() if self.draws is None else self.draws.features)
        return features_of(results, self.drawing, wanted)

    def check(self, subject: CertifiedScopes, criterion: Criterion, questions: int | None) -> None:
        """Raise `BadInput`, before anything is asked, for impossible values or combinations."""
        scopes = subject.scopes
        check_terms(criterion, questions, scopes if "rule" in self.grading.features or self._explained else ())
        if self.drawing not in POPULATIONS:
            raise BadInput(f"unknown drawing '{self.drawing}': choose one of {', '.join(POPULATIONS)}")
        if self.procedure not in get_args(Procedure):
            raise BadInput(f"unknown procedure '{self.procedure}': choose {' or '.join(get_args(Procedure))}")
        features = self.features(subject)
        refuse(features)
        _check_names(scopes)
        if self.family is not None and not (subject.several and len(scopes) == 1):
            raise BadInput("a member of a family is one scope, given as a sequence")
        if questions is None and self.procedure == "fixed":
            raise BadInput("the fixed procedure needs its number of questions in advance: --questions N")
        self.endurance.check(self.procedure, questions)
        if self._explained and any(population.population is not None for population in self.populations(subject)):
            refuse(features | {"each once"})
        if self.history is not None:
            with_history(scopes[0], self.history)

    def terms(self, subject: CertifiedScopes, questions: int | None) -> dict[str, Any]:
        """Terms of an attempt, in addition to scopes, criterion and seed."""
        several, deployed = subject.several, subject.deployment is not None
        settings: dict[str, Any] = {} if several else dict(self.endurance.settings)
        by_graders = not ("rule" in self.grading.features or self._explained)
        if several:
            settings["many"] = self.correction if self.family is None else f"{self.family.rule}, by plan"
        elif not (deployed or by_graders):
            settings |= {"procedure": self.procedure, "questions": None}
        if self.procedure == "fixed":
            settings |= {"procedure": self.procedure, "questions": questions}
        if self.draws is not None:
            settings |= self.draws.settings
        design = None if deployed else self.population(subject.scopes[0]).name
        if design is not None or not (several or self._explained or deployed):
            settings["design"] = design
        if self.history is not None:
            settings["history"] = self.history.digest
        if self.extension is not None:
            settings["extension"] = self.extension.digest
        for scope in subject.scopes:
            settings |= self.grading.terms(scope)
        return settings

    @property
    def _explained(self) -> bool:
        return "procedures" in self.grading.features


def _check_names(scopes: Sequence[Scope[Question]]) -> None:
    names: dict[str, str] = {}
    for scope in scopes:
        if scope.digest in names:
            raise BadInput(f"'{scope.name}' and '{names[scope.digest]}' are the same scope: name each scope once")
        names[scope.digest] = scope.name


MANY_TOPIC: Final = "certificate/many"
"""Topic of the answers in an examination of several scopes."""


@overload
async def certify(
    interview: Interview[Prompt, Reply],
    scope: DeployedScope,
    criterion: Criterion,
    composition: Composition = ...,
    *,
    seed: int | None = ...,
    questions: int | None = ...,
    again: bool = ...,
) -> DeploymentCertificate: ...


@overload
async def certify(
    interview: Interview[Prompt, Reply],
    scope: Scope[Question],
    criterion: Criterion,
    composition: Composition = ...,
    *,
    seed: int | None = ...,
    questions: int | None = ...,
    again: bool = ...,
) -> Certificate: ...


@overload
async def certify(
    interview: Interview[Prompt, Reply],
    scope: Sequence[Scope[Question]],
    criterion: Criterion,
    composition: Composition = ...,
    *,
    seed: int | None = ...,
    questions: int | None = ...,
    again: bool = ...,
) -> ManyScopes: ...


async def certify(
    interview: Interview[Prompt, Reply],
    scope: Scope[Question] | DeployedScope | Sequence[Scope[Question]],
    criterion: Criterion,
    composition: Composition = Composition(),
    *,
    seed: int | None = None,
    questions: int | None = None,
    again: bool = False,
) -> ClaimFinding:
    """Certify a candidate on one scope or several, with error at most delta.

    Parameters
    ----------
    scope: one scope; several, each for its own verdict; or `claims.deployed.deployment_of` one, for two verdicts on the same
        answers: on the scope as a whole, and as people will use it.
    criterion: the claim: a mean score of at least this, and unacceptable answers at most this often; with delta.
    composition: how questions are drawn, who grades, and when to test; default: as the scope draws and grades, after every
        answer.
    seed: of the order in which questions are drawn. None draws one, and the transcript commits to it before the first question.
        A given seed is for examples and studies, and the finding says so. With several scopes, the questions drawn from one
        depend only on the seed and that scope.
    questions: at most this many (sequential), or exactly this many (fixed; required); for all scopes together. A cluster is
        never split. With a judge and people, it counts all questions that are asked, and the finding's `questions` only those
        that people graded. With explanations, it counts those that the candidate is asked.
    again: start another attempt, with the remaining delta, even if the transcript has one (see `attempts.attempt`).

    The guarantee: P(a verdict is given and is wrong) <= delta for every fixed candidate, for any budget of the interview and
    any interruption, for all attempts on record together; this one has its share of delta. For several scopes see
    `claims.claim.MultipleTest`. The guarantee needs answers in drawn order, which `Interview.ask_in_order` keeps, and grades in
    the same order. An answer that waits for a person's grade ends the evidence there; the same call with more grades resumes
    from the record. Once all of a finite scope has been asked, the verdict is exact.

    Raises what the interview raises; earlier answers are on record, and the same call resumes from them. Raises `BadInput` for
    combinations that `config` refuses, and `OtherTerms` if the transcript holds an examination of this candidate on this
    scope with other terms.

    >>> import asyncio
    >>> from vivavoce.candidates import open_candidate
    >>> from vivavoce.scopes import open_scope
    >>> interview = Interview(open_candidate("bot:calculator"), answers=Reply)
    >>> chosen = [open_scope("arithmetic"), open_scope("intervals")]
    >>> asyncio.run(certify(interview, chosen, Criterion(0.7, None), seed=0)).headline
    'bot:calculator passes 1 of 2 scopes and fails 1: 0% to 100% correct, 70% required.'
    """
    subject = CertifiedScopes.of(scope)
    composition.check(subject, criterion, questions)
    begun = await begun_examination(interview, subject, criterion, composition, seed=seed, questions=questions, again=again)
    if subject.several:
        many = ManyScopesProcedure(begun, composition.grading, composition.correction, composition.family)
        apart = composition.family is not None  # the topic of a certificate by itself, or of a comparison
        await _carry_out(begun, many, topic=answers_topic(begun.scope.name) if apart else MANY_TOPIC, steady=True)
        return await many.finish()
    population = begun.population
    if isinstance(population, DeployedScope):
        target: Target = DeployedRuns(begun, population)
    else:
        target = CertificateRun(begun.scope, population.inference(begun.own, begun.terms.procedure), begun.terms)
    procedure = await composition.grading.procedure(begun, target)
    await _carry_out(begun, procedure, topic=answers_topic(begun.scope.name))
    finding = await procedure.finish()
    if composition.extension is None or not isinstance(finding, Certificate):
        return finding
    return finding.by_extended_list(extended_by(interview.transcript, composition.extension, begun.attempt))


async def begun_examination(
    interview: Interview[Prompt, Reply],
    subject: CertifiedScopes,
    criterion: Criterion,
    composition: Composition,
    *,
    seed: int | None,
    questions: int | None,
    again: bool,
) -> StartedExamination:
    """The examination with its terms on record."""
    grading, scopes = composition.grading, subject.scopes
    name = MANY if subject.several else "certificate" if subject.deployment is None else DEPLOYED
    if composition.draws is None:
        check_answers_once([interview.candidate])
    else:
        check_answers_afresh([interview.candidate], composition.draws.number, getattr(scopes[0], "questions", ()))
    await grading.prepare()
    populations = composition.populations(subject)
    settled = terms_of(name, interview, scopes, criterion, seed=seed, **composition.terms(subject, questions))
    if composition.extension is not None:
        held = await asyncio.to_thread(attempts, interview.transcript, interview.candidate.name)
        check_seed(seed, settled, held)
        await put_extension_on_record(interview, composition.extension)
    attempt = await begin(interview, settled, scopes, again=again)
    if composition.history is not None:
        await put_on_record(interview, composition.history)
    if composition.extension is not None:
        await rescore(interview, composition.extension, scopes[0], attempt, known_seed)
    terms = RunTerms(
        composition.procedure,
        questions,
        grading.unreadable,
        composition.endurance,
        design=populations[0].settings,
        graded={name: value for scope in scopes for name, value in grading.settings(scope).items()},
        judged=grading.judged,
        ruled=any(map(grading.mix, scopes)),
        draws=composition.draws,
        rows=interview.results.wanted,
    )
    return StartedExamination(interview, scopes, populations, criterion, terms, attempt)


async def _carry_out(begun: StartedExamination, procedure: ExaminationProcedure, *, topic: str, steady: bool = False) -> None:
    """Ask until the procedure ends or no question is left; `steady`: whether answers decide which questions are drawn."""
    interview, terms = begun.interview, begun.terms
    each = None if terms.draws is None else terms.draws.number
    times = await terms.endurance.times(interview, begun.scope, seed=begun.seed, questions=terms.limit, answers=each)
    interview.results.mark_by(procedure.rows)
    asked = interview.ask_in_order(
        procedure.prompts(),
        topic=topic,
        all_wanted=terms.procedure == "fixed",
        plan=DrawPlan(times=times, steady=steady, first_draw=begun.first_draw),
    )
    check = DeclarationCheck(interview, topic, begun.first_draw)
    async with (
        aclosing(check.heard(asked)) as answers,
        aclosing(procedure.graded(answers)) as graded,
    ):
        async for graded_unit in graded:
            if await procedure.take(graded_unit):
                break
    await check.finish()
