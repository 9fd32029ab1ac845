"""Tests a judge's consistency: it judges each case, and again with a paraphrased fact."""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import islice
from typing import Any, Final

import numpy as np

from vivavoce.consistency.config import CasesConfig
from vivavoce.consistency.legal.paraphrasing import Paraphraser
from vivavoce.consistency.legal.trials import (
    ExaminedCase,
    FactChoice,
    JudgeReply,
    LegalCase,
    LegalJudge,
    Paraphrase,
    Trial,
    drawn,
    eligible,
    importance_of,
    most_important,
)
from vivavoce.interview.budget import Budget
from vivavoce.interview.candidate import Usage
from vivavoce.interview.candidate_kinds import CaseJudgement, FactCase
from vivavoce.interview.results import AnswerEvent, ResultMark


class Versions:
    """Maps questions to versions of cases, for the result rows.

    >>> from vivavoce.interview.candidate import Usage
    >>> from vivavoce.interview.requests import QuestionOutcome
    >>> versions = Versions()
    >>> whole = LegalCase("7", ("She is a teacher.", "She was held."))
    >>> versions.note("asked", 0, whole, 0, FactCase(("She is a teacher.", "She was detained.")), paraphrase=1)
    >>> event = AnswerEvent("bot:x", QuestionOutcome(CaseJudgement(0.5), Usage()), asked="asked")
    >>> [mark.id for mark in versions.marks([event])]
    ['7/fact 2 in other words 1']
    """

    def __init__(self) -> None:
        self._known: dict[tuple[object, int], list[tuple[tuple[int, ...], str]]] = {}

    def note(self, question: object, draw: int, whole: LegalCase, position: int, case: FactCase, *, paraphrase: int) -> None:
        """Record a question and the version of the case that it is about.

        Parameters
        ----------
        position: position of the case among all cases.
        paraphrase: number of the paraphrase from 1; 0 if no fact is paraphrased.
        """
        kind, version = _version(whole.facts, case.facts, draw, paraphrase)
        self._known.setdefault((question, draw), []).append(((position, *kind), f"{whole.id}/{version}"))

    def marks(self, heard: Sequence[AnswerEvent]) -> list[ResultMark]:
        """The marks of result rows. The versions of a case are sorted: unchanged, without a fact, paraphrased, repeated."""
        left = {key: sorted(known) for key, known in self._known.items()}
        return [self._mark(outcome, left) for outcome in heard]

    @staticmethod
    def _mark(heard: AnswerEvent, left: dict[tuple[object, int], list[tuple[tuple[int, ...], str]]]) -> ResultMark:
        order, name = left[heard.asked, heard.draw].pop(0)
        answer = heard.settled.answer
        read_as = f"{answer.probability:.12g}" if isinstance(answer, CaseJudgement) else None
        return ResultMark(id=name, read_as=read_as, order=order)


def _version(whole: Sequence[str], facts: Sequence[str], draw: int, paraphrase: int) -> tuple[tuple[int, ...], str]:
    """The sort key of the version within its case, and its description."""
    if len(facts) == len(whole) and not paraphrase:
        return ((3, draw), f"asked again {draw}") if draw else ((0,), "as it is")
    number = next((index for index, fact in enumerate(facts) if fact != whole[index]), len(facts))
    if len(facts) < len(whole):
        return (1, number), f"without fact {number + 1}"
    return (2, number, paraphrase), f"fact {number + 1} in other words {paraphrase}"


TOO_SHORT = "no fact is long enough"
UNJUDGED = "not judged as it is"
NOT_CHOSEN: Final = 1 << 30
"""Added to the seed, so that the draw of cases does not depend on draws within them."""


@dataclass(frozen=True, slots=True)
class Bench:
    """What an examination of cases needs: the judge, the paraphraser, and the budget."""

    judge: LegalJudge
    paraphraser: Paraphraser
    source: str = ""
    concurrency: int = 8
    """Maximum number of cases examined concurrently."""
    budget: Budget = field(default_factory=Budget)
    """The budget of tokens and money for all models together. Cases still running when it is spent are dropped."""
    on_case: Callable[[ExaminedCase], None] | None = None
    """Called after every case, in the order of the cases."""


def boxes_of(config: CasesConfig) -> tuple[FactChoice, ...]:
    """The boxes of the configuration: how facts are chosen."""
    return (FactChoice.BLACK, FactChoice.WHITE) if config.box == "both" else (FactChoice(config.box),)


def eligible_in(case: LegalCase, config: CasesConfig) -> list[int]:
    """The facts of the case that may be paraphrased."""
    return eligible(case.facts, shortest=config.shortest)


def chosen_cases(cases: Sequence[LegalCase], config: CasesConfig) -> tuple[LegalCase, ...]:
    """Draw at most `config.limit` cases at random; their order does not change."""
    if config.limit is None or config.limit >= len(cases):
        return tuple(cases)
    numbers = np.random.default_rng(NOT_CHOSEN + config.seed).permutation(len(cases))[: config.limit]
    return tuple(cases[number] for number in sorted(numbers))


def questions_in(case: LegalCase, config: CasesConfig, *, attention: bool, writer: bool, checker: bool) -> int:
    """The number of questions about the case to all models, if every paraphrase is usable."""
    numbers, boxes = len(eligible_in(case, config)), boxes_of(config)
    if not numbers:
        return 0
    chosen = (FactChoice.WHITE in boxes) + (FactChoice.BLACK in boxes) * min(config.facts, numbers)
    left_out = 0 if attention or FactChoice.WHITE not in boxes else numbers
    return 1 + config.repeats + left_out + chosen * (config.paraphrases * (1 + checker) + writer)


async def examine_cases(
    bench: Bench,
    cases: Sequence[LegalCase],
    config: CasesConfig = CasesConfig(),  # noqa: B008 -- frozen
) -> list[ExaminedCase]:
    """Judge each case and its paraphrased versions.

    Each case is first judged unchanged, then with one fact paraphrased, as often as configured: a random fact (black box), and
    the fact most important to the classifier (white box). As a control, the unchanged case is asked again: language models give
    different answers to the same question, and only changes beyond that are due to the wording.

    Cases are counted in their order. If the budget is spent, the earlier cases are returned; response times do not decide
    which. The draws for a case depend only on the seed and its id.

    cases: the cases, all of which are examined; use `chosen_cases` to draw some.

    Raises `BadInput` if the configuration does not suit the classifier.
    """
    examined: list[ExaminedCase] = []
    versions = Versions()
    bench.judge.results.mark_by(versions.marks)
    spent, exhausted = Usage(), ""
    under_way: deque[asyncio.Task[ExaminedCase]] = deque()
    waiting = iter(enumerate(cases))
    try:
        while True:
            for position, case in islice(waiting, bench.concurrency - len(under_way)):
                under_way.append(asyncio.create_task(_CaseExamination(bench, config, case, position, versions).examined()))
            if not under_way or exhausted:
                break
            examined.append(await under_way[0])
            under_way.popleft()
            spent += examined[-1].usage
            if len(examined) < len(cases):
                exhausted = bench.budget.reached(questions=0, usage=spent)
            if bench.on_case is not None:
                bench.on_case(examined[-1])
    finally:
        for task in under_way:
            task.cancel()
        await asyncio.gather(*under_way, return_exceptions=True)
    return examined


class _CaseExamination:
    """Judges one case in all its versions; a version that is needed twice is asked once."""

    def __init__(self, bench: Bench, config: CasesConfig, case: LegalCase, position: int, versions: Versions) -> None:
        self._bench = bench
        self._config = config
        self._case = case
        self._position = position
        self._versions = versions
        self._rng = np.random.default_rng([config.seed, *sha256(case.id.encode()).digest()])
        self._known: dict[FactCase, asyncio.Task[JudgeReply]] = {}
        self._reworded: dict[int, tuple[Paraphrase, ...]] = {}
        self._absences: Counter[str] = Counter()
        self._usage = Usage()
        self._asked_for = 0
        self._after_turn = 0

    async def examined(self) -> ExaminedCase:
        """The case with all its trials."""
        numbers = eligible_in(self._case, self._config)
        if not numbers:
            return ExaminedCase(self._case.id, skipped=TOO_SHORT)
        whole = FactCase(
            self._case.facts, weigh=FactChoice.WHITE in boxes_of(self._config) and self._config.importance != "leave-one-out"
        )
        before = (await self._judged(whole)).judgement
        if before is None:
            return ExaminedCase(self._case.id, skipped=UNJUDGED, usage=self._usage, **self._heard())
        chosen, judged_by = await self._chosen(whole, before, numbers)
        for number in dict.fromkeys(number for _, number in chosen):
            written = await self._bench.paraphraser.paraphrases(self._case.facts[number], self._config.paraphrases)
            self._reworded[number] = written.paraphrases
            self._usage += written.usage
        tried = await asyncio.gather(*(self._tried(box, number, whole, before) for box, number in chosen))
        again = await self._again(whole, before)
        return ExaminedCase(
            self._case.id,
            trials=(*(trial for trials in tried for trial in trials), *again),
            unread=before.unread,
            judged_by=judged_by,
            paraphrases=tuple(paraphrase for paraphrases in self._reworded.values() for paraphrase in paraphrases),
            usage=self._usage,
            **self._heard(),
        )

    def _heard(self) -> dict[str, Any]:
        counts = {"judgements": self._asked_for, "after_turn": self._after_turn}
        return {"absences": dict(self._absences), **counts}

    async def _chosen(
        self, whole: FactCase, before: CaseJudgement, numbers: list[int]
    ) -> tuple[list[tuple[FactChoice, int]], str]:
        """The facts to paraphrase, and how importance was measured."""
        random = drawn(numbers, self._config.facts, self._rng)
        chosen = [(FactChoice.BLACK, number) for number in random] if FactChoice.BLACK in boxes_of(self._config) else []
        if FactChoice.WHITE not in boxes_of(self._config):
            return chosen, ""
        known, judged_by = await importance_of(whole, before, numbers, method=self._config.importance, ask=self._judged)
        if known:
            chosen.append((FactChoice.WHITE, most_important(known, self._rng)))
        return chosen, judged_by

    async def _tried(self, box: FactChoice, number: int, whole: FactCase, before: CaseJudgement) -> list[Trial]:
        """A trial for each usable paraphrase of the fact."""
        usable = [paraphrase for paraphrase in self._reworded[number] if not paraphrase.problem]
        judged = await asyncio.gather(*(self._judged(whole.with_fact(number, paraphrase.text)) for paraphrase in usable))
        return [
            Trial(self._case.id, box, number, paraphrase.fact, paraphrase.text, before.probability, after.judgement.probability)
            for paraphrase, after in zip(usable, judged, strict=True)
            if after.judgement is not None
        ]

    async def _again(self, whole: FactCase, before: CaseJudgement) -> list[Trial]:
        """The trials of the control: the unchanged case, asked again."""
        draws = range(1, self._config.repeats + 1)
        judged = await asyncio.gather(*(self._asked(whole, draw) for draw in draws))
        return [
            Trial(self._case.id, FactChoice.AGAIN, -1, "", "", before.probability, after.judgement.probability)
            for after in judged
            if after.judgement is not None
        ]

    async def _judged(self, case: FactCase) -> JudgeReply:
        """The judgement on a case; both boxes may need the same one."""
        if case not in self._known:
            self._known[case] = asyncio.ensure_future(self._asked(case, 0))
        return await self._known[case]

    async def _asked(self, case: FactCase, draw: int) -> JudgeReply:
        self._note(case, draw)
        judged = await self._bench.judge.judge(case, draw=draw)
        self._usage += judged.usage
        self._asked_for += 1
        self._after_turn += judged.after_turn
        if judged.judgement is None:
            self._absences[judged.absence] += 1
        return judged

    def _note(self, case: FactCase, draw: int) -> None:
        """Record the version of the case that a question is about."""
        pairs = enumerate(zip(self._case.facts, case.facts, strict=False))
        changed = next((number for number, (fact, asked) in pairs if fact != asked), None)
        written = () if changed is None else [version.text for version in self._reworded.get(changed, ())]
        paraphrase = 1 + written.index(case.facts[changed]) if changed is not None and case.facts[changed] in written else 0
        self._versions.note(self._bench.judge.question(case), draw, self._case, self._position, case, paraphrase=paraphrase)
