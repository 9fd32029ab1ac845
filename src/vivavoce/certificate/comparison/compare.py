"""The comparison: the same questions to all, in one order, until it is clear who is better."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from itertools import combinations
from typing import Final, Generic, Protocol, Self, TypeVar

from vivavoce.certificate.attempts.attempt import PROCEDURE_VERSION, AttemptHistory, AttemptTerms
from vivavoce.certificate.attempts.log import begin, end, foresight
from vivavoce.certificate.claims.claim import brief
from vivavoce.certificate.claims.deployed import DeployedScope
from vivavoce.certificate.claims.draws import Draws, check_answers_afresh, check_answers_once
from vivavoce.certificate.comparison.asking import BlindJudging, Interviews, ask_all
from vivavoce.certificate.comparison.concluding import concluded
from vivavoce.certificate.comparison.config import ComparisonConfig, as_settled
from vivavoce.certificate.comparison.drawing import paired_drawing
from vivavoce.certificate.comparison.evidence import PairedEvidence, Stopping, known, used, with_known
from vivavoce.certificate.comparison.finding import Comparison
from vivavoce.certificate.comparison.paired_answers import PairedAnswers
from vivavoce.certificate.config import Drawing, Feature, refuse
from vivavoce.certificate.design.drawing import repeated
from vivavoce.certificate.design.history import History, put_on_record
from vivavoce.certificate.graders.judge import CandidateJudge
from vivavoce.errors import BadInput
from vivavoce.interview.candidate import Candidate, Prompt, Recording, RepeatedRecording, Reply
from vivavoce.interview.scope import Scope
from vivavoce.scopes.listed_and_endless import ListedScope
from vivavoce.scopes.logged import LoggedScope
from vivavoce.scopes.questions import Question
from vivavoce.scopes.score import check_rule

EXAMINATION = "comparison"
ONE_VERDICT: Final = (
    "a comparison has one verdict for each pair, and '--deployed' would give two on the same answers: compare on the questions "
    "as people will ask them with '--set importance-weighting'"
)


async def compare(
    interviews: Interviews,
    scope: Scope[Question],
    config: ComparisonConfig = ComparisonConfig(),  # noqa: B008 -- frozen
    *,
    drawing: Drawing = "scope",
    history: History | None = None,
    again: bool | timedelta = False,
    share: int = 1,
    judge: CandidateJudge | None = None,
) -> Comparison:
    """Compare candidates on a scope, with error at most delta at any stop.

    Parameters
    ----------
    interviews: one with each candidate, at least two; each may have its own record. Recorded answers are not asked again.
    drawing: as the scope draws; `strata`, its categories in proportion; or `weights`, each question once, counted by weight.
    history: scores of others, or of these candidates before, on the questions; the bets use them.
    again: start another attempt, with the remaining delta, even if the first candidate's record has one. A time: only if that
        attempt started longer ago, with new answers, since a model may have changed behind its name.
    share: how many comparisons share delta evenly, so that it bounds the chance of a wrong statement in any of them.
    judge: grades the answers of all candidates blind, or only those to questions with a rubric if the scope's own rule grades
        others; then the finding is about its grades.

    All candidates get the same questions, in an order that is drawn from the whole scope before any answer is looked at. A pair
    is settled once the first is shown to be better, worse, or equal up to the margin; a candidate is no longer asked once all
    of its pairs are. Each pair counts the questions that were asked up to then. The proof is in `comparison.evidence`.

    Raises what interviews raise; earlier answers are on record, and the same call resumes there. Raises `BadInput` for fewer
    than two candidates, for a candidate that is given twice, for recordings without a common question, and for questions that
    cannot be drawn that way.

    >>> import asyncio
    >>> from vivavoce.candidates import open_candidate
    >>> from vivavoce.interview.candidate import Reply
    >>> from vivavoce.interview.interview import Interview
    >>> from vivavoce.scopes import open_scope
    >>> names = ("bot:calculator", "bot:calculator?wrong=0.3")
    >>> interviews = [Interview(open_candidate(name), answers=Reply) for name in names]
    >>> asyncio.run(compare(interviews, open_scope("arithmetic"), ComparisonConfig(seed=0))).pairs[0].verdict
    'better'
    """
    text = f"comparison, margin {config.margin:g}" + (f", 1 of {share} that share delta" if share > 1 else "")
    claim: PairClaim[Comparison] = PairClaim(text, config.rule, lambda comparison, *_: comparison, share)
    return await examine_pairs(interviews, scope, config, claim, drawing=drawing, history=history, judge=judge, again=again)


class PairedFinding(Protocol):
    """The finding of a comparison or a gate."""

    @property
    def verdict(self) -> str: ...

    @property
    def complete(self) -> bool: ...

    def within(self, attempt: AttemptHistory) -> Self: ...


F = TypeVar("F", bound=PairedFinding)


@dataclass(frozen=True, slots=True)
class PairClaim(Generic[F]):
    """What a comparison or a gate claims, and when its evidence is enough."""

    text: str
    """On record; a comparison and a gate of the same candidates may share their answers."""
    rule: Stopping
    conclude: Callable[[Comparison, PairedEvidence, PairedAnswers], F]
    """The finding, from the comparison so far."""
    share: int = 1
    """How many examinations share delta evenly."""


async def examine_pairs(
    interviews: Interviews,
    scope: Scope[Question],
    config: ComparisonConfig,
    claim: PairClaim[F],
    *,
    drawing: Drawing,
    history: History | None,
    judge: CandidateJudge | None,
    again: bool | timedelta,
) -> F:
    """Ask candidates the same questions, for a comparison or a gate, until the evidence is enough or no more can be asked.

    Raises `BadInput` for candidates, questions and ways of drawing that do not go together.
    """
    scope, left_out = checked(scope, interviews, config.repeated, judge)
    judging = None if judge is None else BlindJudging(interviews, scope, judge, config.unreadable)
    names = [interview.candidate.name for interview in interviews]
    pairs = tuple(combinations(range(len(interviews)), 2))
    drawn = with_known(paired_drawing(drawing, scope, config.repeated), history, names, pairs)
    more = {**drawn.settings, **known(history, config.margin), **({} if judging is None else judging.terms)}
    attempt = await _started(interviews, scope, config, more, history, judge, claim=claim.text, again=again)
    attempt = replace(attempt, held=replace(attempt.held, delta=attempt.delta / claim.share))
    means = drawn.means.aimed(attempt.held.margin)
    evidence = PairedEvidence(pairs, margin=config.margin, delta=attempt.delta, rule=claim.rule, means=means)
    wanted = any(interview.results.wanted for interview in interviews)
    answers = PairedAnswers(names, pairs, drawn, config.repeated, keep_rows=wanted)
    for results in {id(interview.results): interview.results for interview in interviews}.values():
        results.mark_by(answers.rows)
    await ask_all(interviews, scope, config, attempt, evidence, answers, judging)
    comparison = concluded(interviews, scope, config, attempt, evidence, answers, left_out, judging)
    result = claim.conclude(replace(comparison, history=used(evidence, scope, history, names)), evidence, answers)
    over = result.complete or bool(evidence.decided.all())
    return result.within(await end(interviews[0], attempt, result.verdict, len(answers), over=over))


async def _started(
    interviews: Interviews,
    scope: Scope[Question],
    config: ComparisonConfig,
    more: Mapping[str, object],
    history: History | None,
    judge: CandidateJudge | None,
    *,
    claim: str,
    again: bool | timedelta,
) -> AttemptHistory:
    """The attempt in the first candidate's record, with the reasons why its seed may be known in advance.

    If the record has the final result, nothing is asked.
    """
    terms, margin = terms_of(interviews, scope, config, **more), config.margin
    attempt = await begin(interviews[0], terms, [scope], again=again, claim=claim, asked=interviews, margin=margin)
    if history is not None:
        await put_on_record(interviews[0], history)
    if attempt.finished_at:
        for interview in (*interviews, *([] if judge is None else [judge.interview])):
            interview.read_record_only()
    reasons = dict.fromkeys(foresight(interview.candidate) for interview in interviews)
    return replace(attempt, foresight=" ".join(filter(None, reasons)))


def checked(
    scope: Scope[Question], interviews: Interviews, draws: Draws | None = None, judge: CandidateJudge | None = None
) -> tuple[Scope[Question], int]:
    """The scope on which these candidates can be compared, and how many of its questions are left out: see `in_common`.

    draws: if each question is answered several times; the scope then draws with replacement.

    Raises `BadInput` for candidates that cannot be compared, for questions that no rule can score where there is no judge, and
    for what a judge cannot grade.
    """
    check_candidates(interviews)
    if isinstance(scope, DeployedScope):
        raise BadInput(ONE_VERDICT)
    if judge is not None:
        _check_judged(scope, draws)
    scope, left_out = in_common(scope, interviews)
    candidates = [interview.candidate for interview in interviews]
    if draws is None:
        check_answers_once(candidates)
    else:
        check_answers_afresh(_asked_again(candidates, draws), draws.number, getattr(scope, "questions", ()))
        scope = repeated(scope, draws)
    for question in getattr(scope, "questions", ()) if judge is None else ():
        check_rule(question)
    return scope, left_out


def _asked_again(candidates: Sequence[Candidate[Prompt, Reply]], draws: Draws) -> Sequence[Candidate[Prompt, Reply]]:
    """The candidates that must answer afresh; with one answer per draw, a recording may repeat its answer."""
    others = [
        candidate
        for candidate in candidates
        if isinstance(candidate, RepeatedRecording) or not isinstance(candidate, Recording)
    ]
    return others if others and draws.number == 1 else candidates


def _check_judged(scope: Scope[Question], draws: Draws | None) -> None:
    if isinstance(scope, LoggedScope):
        raise BadInput("logs are compared by the scores in them: leave out the judge")
    features: set[Feature] = {"judge"} if draws is None else {"judge", *draws.features}
    refuse(features | {"laws"} if getattr(scope, "has_laws", False) else features)


def check_candidates(interviews: Interviews) -> None:
    """Raise `BadInput` for candidates that cannot be compared."""
    names = [interview.candidate.name for interview in interviews]
    if len(names) < 2:
        raise BadInput("a comparison needs two candidates or more")
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise BadInput(f"'{twice}' is given twice: name two different candidates")


def in_common(scope: Scope[Question], interviews: Interviews) -> tuple[Scope[Question], int]:
    """The scope without the questions that some recording lacks, and their number.

    Raises `BadInput` if none is left.
    """
    recorded = [interview.candidate.recorded for interview in interviews if isinstance(interview.candidate, Recording)]
    if isinstance(scope, LoggedScope):
        return scope, scope.left_out
    if not recorded or not isinstance(scope, ListedScope):
        return scope, 0
    units = [unit for unit in scope.units if all(question.id in answers for question in unit for answers in recorded)]
    kept = tuple(question for unit in units for question in unit)
    left_out = len(scope.questions) - len(kept)
    if not kept:
        raise BadInput(f"no question of {scope.name} is in all recordings: '?id=' must name the column with the scope's ids")
    return (replace(scope, questions=kept), left_out) if left_out else (scope, 0)


def terms_of(interviews: Interviews, scope: Scope[Question], config: ComparisonConfig, **more: object) -> AttemptTerms:
    """The terms that identify a comparison, or a gate.

    The margin and the order of the candidates do not identify it: all claims come from the same evidence.

    more: further settings.
    """
    in_order = sorted(interviews, key=lambda interview: interview.candidate.name)
    names = [interview.candidate.name for interview in in_order]
    settings = as_settled(config, without=("seed", "questions", "margin"))
    asked = {
        interview.candidate.name: {name: interview.settings.get(name) for name in ("asking", "source")}
        for interview in in_order
    }
    seed = "drawn" if config.seed is None else config.seed
    scopes = ((brief(scope.name), scope.digest),)
    fixed = {"asked": asked, "seed": seed, "bets": PROCEDURE_VERSION}
    return AttemptTerms(EXAMINATION, " vs. ".join(names), scopes, settings | more | fixed)
