"""The comparison: the same questions to all, in one order, until it is clear who is better."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from itertools import combinations

from vivavoce.certificate.attempts.attempt import Attempt, Terms
from vivavoce.certificate.attempts.log import begin, end, foresight
from vivavoce.certificate.claim import brief
from vivavoce.certificate.comparison.asking import BlindJudging, Interviews, ask_all
from vivavoce.certificate.comparison.concluding import concluded
from vivavoce.certificate.comparison.config import ComparisonConfig, as_settled
from vivavoce.certificate.comparison.drawing import PairedDrawing, check_scope, paired_drawing
from vivavoce.certificate.comparison.evidence import Pair, PairedEvidence, known, used, with_known
from vivavoce.certificate.comparison.finding import Comparison
from vivavoce.certificate.comparison.protocol import Protocol
from vivavoce.certificate.config import Drawing
from vivavoce.certificate.design.design import repeated
from vivavoce.certificate.design.history import History, put_on_record
from vivavoce.certificate.draws.claim import Draws, check_answers_afresh, check_answers_once
from vivavoce.certificate.features import Feature, refuse
from vivavoce.certificate.graders.judge import Judge
from vivavoce.errors import BadInput
from vivavoce.interview.candidate import Candidate, Prompt, Recording, RepeatedRecording, Reply
from vivavoce.interview.scope import Scope
from vivavoce.scopes.listed import ListedScope
from vivavoce.scopes.logged import LoggedScope
from vivavoce.scopes.questions import Question
from vivavoce.scopes.score import check_rule

EXAMINATION = "comparison"


async def compare(
    interviews: Interviews,
    scope: Scope[Question],
    config: ComparisonConfig = ComparisonConfig(),  # noqa: B008 -- frozen
    *,
    drawing: Drawing = "scope",
    history: History | None = None,
    again: bool | timedelta = False,
    share: int = 1,
    judge: Judge | None = None,
) -> Comparison:
    """Compare candidates on a scope, with error at most delta at any stop.

    Parameters
    ----------
    interviews: one with each candidate, at least two; each may have a record of its own. What is on record is not asked again.
    drawing: as the scope draws; `strata`, its categories in proportion; or `weights`, each question once, counted by weight.
    history: what others, or these candidates before, earned on the questions, of which bets take account.
    again: begin another attempt, at what is left of delta, although the first candidate's record holds one. A time: if that one
        began longer ago, with new answers, as a model may have changed behind its name.
    share: how many comparisons share delta evenly, so that it bounds the chance of a wrong statement in any of them.
    judge: grades the answers of all candidates blind, or only those to questions with a rubric where the scope's own rule
        grades others; the finding is then about what it says.

    All candidates get the same questions, in an order that is drawn from the whole scope before any answer is looked at. A pair
    is settled once the first is shown to be better, worse, or equal up to the margin; a candidate is no longer asked once all
    of its pairs are. Each pair counts the questions that were asked up to then. What that rests on: `evidence`.

    Raises what interviews raise; what was answered before is on record, and the same call goes on from there. Raises `BadInput`
    for fewer than two candidates, or one that stands there twice, where recordings have no question in common, and where
    questions cannot be drawn so.

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
    scope, left_out = checked(scope, interviews, config.repeated, judge)
    judging = None if judge is None else BlindJudging(interviews, scope, judge, config.unreadable)
    drawn = paired_drawing(drawing, scope, config.repeated)
    pairs = tuple(combinations(range(len(interviews)), 2))
    names = [one.candidate.name for one in interviews]
    drawn = with_known(drawn, history, names, pairs)
    more = {**drawn.settings, **known(history, config.margin), **({} if judging is None else judging.terms)}
    claim = f"comparison, margin {config.margin:g}" + (f", 1 of {share} that share delta" if share > 1 else "")
    terms = terms_of(interviews, scope, config, **more)
    attempt = await begun(interviews, terms, scope, history, again=again, claim=claim)
    read_if_finished(interviews, attempt, judge)
    attempt = replace(attempt, held=replace(attempt.held, delta=attempt.delta / share))
    evidence = PairedEvidence(pairs, margin=config.margin, delta=attempt.delta, rule=config.rule, means=drawn.means)
    protocol = protocol_of(interviews, pairs, drawn, config.repeated)

    def so_far() -> Comparison:
        found = concluded(interviews, scope, config, attempt, evidence, protocol, left_out, judging)
        return replace(found, history=used(evidence, scope, history, names))

    await ask_all(interviews, scope, config, attempt, evidence, protocol, so_far, judging)
    found = so_far()
    over = found.complete or bool(evidence.decided.all())
    attempt = await end(interviews[0], attempt, found.verdict, len(protocol), over=over)
    return found.within(attempt)


def checked(
    scope: Scope[Question], interviews: Interviews, draws: Draws | None = None, judge: Judge | None = None
) -> tuple[Scope[Question], int]:
    """The scope on which these candidates can be compared, and how many of its questions are left out: see `in_common`.

    draws: where each question is answered several times; the scope then draws with replacement.

    Raises `BadInput` for candidates that cannot be compared, for questions that no rule can score where there is no judge, and
    for what a judge cannot grade.
    """
    check_candidates(interviews)
    check_scope(scope)
    if judge is not None:
        _check_judged(scope, draws)
    scope, left_out = in_common(scope, interviews)
    candidates = [one.candidate for one in interviews]
    if draws is None:
        check_answers_once(candidates)
    else:
        check_answers_afresh(_asked_again(candidates, draws), draws.number, getattr(scope, "questions", ()))
        scope = repeated(scope, draws)
    for question in getattr(scope, "questions", ()) if judge is None else ():
        check_rule(question)
    return scope, left_out


def _asked_again(candidates: Sequence[Candidate[Prompt, Reply]], draws: Draws) -> Sequence[Candidate[Prompt, Reply]]:
    """Candidates that must answer afresh; with one answer per draw, a recording repeats its answer."""
    others = [one for one in candidates if isinstance(one, RepeatedRecording) or not isinstance(one, Recording)]
    return others if others and draws.number == 1 else candidates


def _check_judged(scope: Scope[Question], draws: Draws | None) -> None:
    """Refuse what a judge cannot grade: `BadInput`."""
    if isinstance(scope, LoggedScope):
        raise BadInput("logs are compared by the scores in them: leave out the judge")
    features: set[Feature] = {"judge"} if draws is None else {"judge", *draws.features}
    refuse(features | {"laws"} if getattr(scope, "has_laws", False) else features)


async def begun(
    interviews: Interviews,
    terms: Terms,
    scope: Scope[Question],
    history: History | None = None,
    *,
    again: bool | timedelta,
    claim: str = "",
) -> Attempt:
    """The attempt with these terms, in the first candidate's record, with what may foresee its seed in any of them.

    claim: what is claimed of it; a comparison and a gate of the same candidates may share their answers.
    """
    attempt = await begin(interviews[0], terms, [scope], again=again, claim=claim, asked=interviews)
    if history is not None:
        await put_on_record(interviews[0], history)
    reasons = dict.fromkeys(foresight(one.candidate) for one in interviews)
    return replace(attempt, foresight=" ".join(filter(None, reasons)))


def read_if_finished(interviews: Interviews, attempt: Attempt, judge: Judge | None) -> None:
    """Ask nothing where the record has the final result: not even questions ahead of it."""
    if attempt.finished_at:
        for one in (*interviews, *([] if judge is None else [judge.interview])):
            one.read_record_only()


def protocol_of(interviews: Interviews, pairs: Sequence[Pair], drawn: PairedDrawing, draws: Draws | None = None) -> Protocol:
    """What takes the answers of all, and says in files of results what they are worth."""
    wanted = any(one.results.wanted for one in interviews)
    protocol = Protocol([one.candidate.name for one in interviews], pairs, drawn, draws, keep_rows=wanted)
    for results in {id(one.results): one.results for one in interviews}.values():
        results.mark_by(protocol.rows)
    return protocol


def check_candidates(interviews: Interviews) -> None:
    """Refuse what cannot be compared: `BadInput`."""
    names = [one.candidate.name for one in interviews]
    if len(names) < 2:
        raise BadInput("a comparison needs two candidates or more")
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise BadInput(f"'{twice}' is given twice: name different candidates")


def in_common(scope: Scope[Question], interviews: Interviews) -> tuple[Scope[Question], int]:
    """The scope less the questions that a recording does not have, and how many these are.

    Raises `BadInput` where none is left.
    """
    recorded = [one.candidate.recorded for one in interviews if isinstance(one.candidate, Recording)]
    if isinstance(scope, LoggedScope):
        return scope, scope.left_out
    if not recorded or not isinstance(scope, ListedScope):
        return scope, 0
    units = [unit for unit in scope.units if all(question.id in of for question in unit for of in recorded)]
    kept = tuple(question for unit in units for question in unit)
    left_out = len(scope.questions) - len(kept)
    if not kept:
        raise BadInput(f"no question of {scope.name} is in all recordings: '?id=' must name the column with the scope's ids")
    return (replace(scope, questions=kept), left_out) if left_out else (scope, 0)


def terms_of(interviews: Interviews, scope: Scope[Question], config: ComparisonConfig, **more: object) -> Terms:
    """What makes the answers to a comparison, or a gate, the ones that they are.

    The margin does not, nor which candidate is named first: all claims are read from the same evidence (`evidence`).

    more: further settings.
    """
    in_order = sorted(interviews, key=lambda one: one.candidate.name)
    names = [one.candidate.name for one in in_order]
    settings = as_settled(config, without=("seed", "questions", "margin"))
    asked = {one.candidate.name: {name: one.settings.get(name) for name in ("asking", "source")} for one in in_order}
    seed = "drawn" if config.seed is None else config.seed
    scopes = ((brief(scope.name), scope.digest),)
    return Terms(EXAMINATION, " vs. ".join(names), scopes, settings | more | {"asked": asked, "seed": seed})
