"""The comparison: the same questions to all, in one order, until it is clear who is better."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import AsyncExitStack, aclosing
from dataclasses import asdict, replace
from itertools import combinations

import numpy as np

from vivavoce.certificate.attempts import Attempt, Terms
from vivavoce.certificate.comparison.concluding import concluded
from vivavoce.certificate.comparison.config import ComparisonConfig
from vivavoce.certificate.comparison.evidence import PairedEvidence
from vivavoce.certificate.comparison.finding import Comparison
from vivavoce.certificate.comparison.protocol import Answered, Protocol
from vivavoce.certificate.questions import Question, Unit
from vivavoce.certificate.register import Recorded, begin, end, foresight
from vivavoce.certificate.scopes.listed import ListedScope
from vivavoce.certificate.score import as_wrong, check_rule, unit_mean
from vivavoce.certificate.unit_laws import LawTally
from vivavoce.certificate.verdict import answers_topic, brief
from vivavoce.errors import BadInput
from vivavoce.interview.candidate import NoAnswer, Prompt, Reply
from vivavoce.interview.interview import Interview
from vivavoce.interview.scope import Scope, unknowable

Interviews = Sequence[Interview[Prompt, Reply]]
EXAMINATION = "comparison"


async def compare(
    interviews: Interviews,
    scope: Scope[Question],
    config: ComparisonConfig = ComparisonConfig(),  # noqa: B008 -- frozen
    *,
    again: bool = False,
) -> Comparison:
    """Which of these candidates are better on this scope, with error at most delta however often one looks?

    Parameters
    ----------
    interviews: one with each candidate, at least two; each may have a record of its own. What is on record is not asked again.
    again: begin another attempt, at what is left of delta, although the first candidate's record holds one.

    All candidates get the same questions, in an order that is drawn from the whole scope before any answer is looked at. A pair
    is settled once the first is shown to be better, worse, or equal up to the margin; a candidate is no longer asked once all
    of its pairs are. Each pair counts the questions that were asked up to then. What that rests on: `evidence`.

    Raises what interviews raise; what was answered before is on record, and the same call goes on from there. Raises `BadInput`
    for fewer than two candidates, or one that stands there twice, and where recordings have no question in common.

    >>> from vivavoce.candidates import open_candidate
    >>> from vivavoce.certificate.scopes import open_scope
    >>> names = ("bot:calculator", "bot:calculator?wrong=0.3")
    >>> interviews = [Interview(open_candidate(name), answers=Reply) for name in names]
    >>> asyncio.run(compare(interviews, open_scope("arithmetic"), ComparisonConfig(seed=0))).pairs[0].verdict
    'better'
    """
    check_candidates(interviews)
    scope, left_out = in_common(scope, interviews)
    for question in getattr(scope, "questions", ()):
        check_rule(question)
    pairs = tuple(combinations(range(len(interviews)), 2))
    attempt = await begin(interviews[0], terms_of(interviews, scope, config), again=again)
    attempt = replace(attempt, foresight=next(filter(None, (foresight(one.candidate) for one in interviews)), ""))
    evidence = PairedEvidence(pairs, margin=config.margin, delta=attempt.delta, rule=config.rule, population=scope.population)
    protocol = Protocol([one.candidate.name for one in interviews], pairs)
    for results in {id(one.results): one.results for one in interviews}.values():
        results.mark_by(protocol.rows)
    await _ask_all(interviews, scope, config, attempt, evidence, protocol)
    found = concluded(interviews, scope, config, attempt, evidence, protocol, left_out)
    over = found.complete or bool(evidence.settled.all())
    attempt = await end(interviews[0], attempt, found.verdict, len(protocol.units), over=over)
    return found.within(attempt)


def check_candidates(interviews: Interviews) -> None:
    """Refuse what cannot be compared: `BadInput`."""
    names = [one.candidate.name for one in interviews]
    if len(names) < 2:
        raise BadInput("a comparison needs two candidates or more")
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise BadInput(f"'{twice}' stands there twice: a candidate has nothing to be compared with in itself")


def in_common(scope: Scope[Question], interviews: Interviews) -> tuple[Scope[Question], int]:
    """The scope less the questions that a recording does not have, and how many these are.

    Raises `BadInput` where none is left.
    """
    recorded = [one.candidate.recorded for one in interviews if isinstance(one.candidate, Recorded)]
    if not recorded or not isinstance(scope, ListedScope):
        return scope, 0
    units = [unit for unit in scope.units if all(question.id in of for question in unit for of in recorded)]
    kept = tuple(question for unit in units for question in unit)
    left_out = len(scope.questions) - len(kept)
    if not kept:
        raise BadInput(f"no question of {scope.name} is in all recordings: '?id=' must name the column with the scope's ids")
    return (replace(scope, questions=kept), left_out) if left_out else (scope, 0)


def terms_of(interviews: Interviews, scope: Scope[Question], config: ComparisonConfig) -> Terms:
    """What makes a comparison the one that it is; the order in which candidates are named does not."""
    names = sorted(one.candidate.name for one in interviews)
    settings = {name: value for name, value in asdict(config).items() if name not in ("seed", "questions")}
    asked = {one.candidate.name: {name: one.settings.get(name) for name in ("asking", "source")} for one in interviews}
    seed = "drawn" if config.seed is None else config.seed
    scopes = ((brief(scope.name), scope.digest),)
    return Terms(EXAMINATION, " vs. ".join(names), scopes, settings | {"asked": asked, "seed": seed})


async def _ask_all(
    interviews: Interviews,
    scope: Scope[Question],
    config: ComparisonConfig,
    attempt: Attempt,
    evidence: PairedEvidence,
    protocol: Protocol,
) -> None:
    """Ask all candidates side by side, and take their answers unit by unit, until nothing more can matter."""
    async with AsyncExitStack() as stack:
        streams = [await stack.enter_async_context(aclosing(_answered(one, scope, config, attempt))) for one in interviews]
        units, asked = _units(scope, attempt.seed.number), 0
        while (wanted := _wanted(evidence, len(interviews))) and (unit := next(units, None)) is not None:
            asked += len(unit)
            if config.questions is not None and asked > config.questions:
                return
            answers = await asyncio.gather(*(anext(streams[place], None) for place in wanted))
            if gone := [place for place, answer in zip(wanted, answers, strict=True) if answer is None]:
                for place in gone:
                    evidence.close(place)
                if len(_wanted(evidence, len(interviews))) < 2:
                    return
            by_place = dict(zip(wanted, answers, strict=True))
            protocol.take(unit, [by_place.get(place) for place in range(len(interviews))], evidence)
            for place in set(wanted) - set(_wanted(evidence, len(interviews))):
                await streams[place].aclose()


def _wanted(evidence: PairedEvidence, candidates: int) -> list[int]:
    """Who still has a pair that is not settled."""
    open_ = set(evidence.pairs[~evidence.settled].ravel().tolist())
    return [place for place in range(candidates) if place in open_]


def _units(scope: Scope[Question], seed: int) -> Iterator[Unit]:
    return scope.draw(np.random.default_rng(seed))


async def _answered(
    interview: Interview[Prompt, Reply], scope: Scope[Question], config: ComparisonConfig, attempt: Attempt
) -> AsyncGenerator[Answered, None]:
    """The graded answers of one candidate, unit by unit in drawn order, as long as its budget lasts."""
    waiting: list[Unit] = []
    laws = LawTally()

    def prompts() -> Iterator[Prompt]:
        asked = 0
        for unit in _units(scope, attempt.seed.number):
            asked += len(unit)
            if config.questions is not None and asked > config.questions:
                return
            waiting.append(unit)
            yield from map(scope.prompt, unit)

    answers: list[Reply | NoAnswer] = []
    async with aclosing(interview.ask_in_order(prompts(), topic=answers_topic(scope.name))) as stream:
        async for _, answer in stream:
            answers.append(answer)
            if len(answers) < len(waiting[0]):
                continue
            unit, said = waiting.pop(0), tuple(answers)
            answers.clear()
            grades = [unknowable(one) or scope.grade(question, one) for question, one in zip(unit, said, strict=True)]
            if config.unreadable == "wrong":
                grades = list(map(as_wrong, grades))
            judged, _ = laws.judge(unit, grades)
            yield Answered.of(unit_mean(judged, [question.weight for question in unit]), said, judged)
