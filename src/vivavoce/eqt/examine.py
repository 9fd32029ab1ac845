"""Runs an Explain-Query-Test examination, and estimates its cost beforehand."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from heapq import heappop, heappush
from math import fsum
from types import MappingProxyType
from typing import Final

from vivavoce.eqt.pipeline import ConceptExamination, examine_concept
from vivavoce.eqt.record import (
    ROLES,
    Concept,
    ConceptRecord,
    EqtConfig,
    EqtRecord,
    EqtRole,
    ParsedAnswer,
    concept_topic,
    question_topic,
)
from vivavoce.errors import BadInput, BudgetExhausted
from vivavoce.interview.budget import Limit
from vivavoce.interview.candidate import NoAnswer, Prompt, Reply, Usage
from vivavoce.interview.forms.form import Outcome
from vivavoce.interview.forms.repeated_answers import PrintedForm
from vivavoce.interview.forms.several_options import SeveralOptions, letters
from vivavoce.interview.forms.written_question import MultipleChoice
from vivavoce.interview.interview import Interview
from vivavoce.interview.reading import read
from vivavoce.interview.results import AnswerEvent, Marker, ResultMark

# Tokens of typical replies and prompts, rounded up: an explanation fills a page and a half, a question with its options a
# paragraph. They are estimates, not limits.
EXPLANATION: Final = 1_200
QUESTION: Final = 200
WORDING: Final = 60
ANSWER: Final = 30
FRAME: Final = 150
"""Tokens of the instructions in every prompt."""


@dataclass(frozen=True, slots=True)
class RoleCost:
    """The estimated calls and tokens of one role."""

    calls: int
    tokens_in: int
    tokens_out: int


def cost_estimate(concepts: int, config: EqtConfig, *, visitors: int = 0, sources: int = 0) -> dict[EqtRole, RoleCost]:
    """Estimate the calls and tokens of each role if nothing fails; `sources`: the number of concepts with a source.

    >>> estimate = cost_estimate(1, EqtConfig(questions=5, paraphrases=3, checks=False))
    >>> {role: share.calls for role, share in estimate.items()}
    {'explainer': 1, 'writer': 5, 'paraphraser': 15, 'answerer': 25, 'checker': 0}
    """
    questions = concepts * config.questions
    wordings = questions * config.paraphrases
    grounded = sources * config.questions
    closed, opened = questions * (1 + config.paraphrases + visitors), questions + grounded
    keys, alone, meanings = (questions, questions, wordings) if config.checks else (0, 0, 0)
    keys += grounded
    return {
        "explainer": _share(concepts, FRAME, EXPLANATION),
        "writer": _share(questions, FRAME + EXPLANATION, QUESTION),
        "paraphraser": _share(wordings, FRAME + WORDING, WORDING),
        "answerer": RoleCost(
            closed + opened, (closed + opened) * (FRAME + QUESTION) + opened * EXPLANATION, (closed + opened) * ANSWER
        ),
        "checker": RoleCost(
            keys + alone + meanings,
            (keys + alone + meanings) * (FRAME + QUESTION) + keys * EXPLANATION,
            (keys + alone + meanings) * ANSWER,
        ),
    }


def calls_ahead(concepts: int, config: EqtConfig, *, visitors: int = 0) -> int:
    """The maximum number of calls of an examination; unparsed replies reduce it.

    With q questions and k paraphrases, a concept takes 1 + q + q k + q (1 + k) calls, q more with the explanation, and
    2 q + q k checks: key and self-containment of each question, and meaning of each paraphrase.

    >>> calls_ahead(1, EqtConfig(questions=5, paraphrases=3, checks=False)) == 1 + 5 + 5 * 3 + 5 * (1 + 3) + 5
    True
    >>> calls_ahead(280, EqtConfig()), calls_ahead(1, EqtConfig(), visitors=2)
    (19880, 81)
    """
    return sum(share.calls for share in cost_estimate(concepts, config, visitors=visitors).values())


def _share(calls: int, tokens_in: int, tokens_out: int) -> RoleCost:
    return RoleCost(calls, calls * tokens_in, calls * tokens_out)


CONCURRENCY: Final = 64
"""Default limit of concurrent questions per candidate; the interview's own limit also applies."""

AHEAD: Final = 0.5
"""Questions that the interview gets beyond those in flight, as a share of these: it writes them to the record before their turn
comes. Otherwise each would wait for that when its turn has come (`bench/eqt.py`: 1.21 of the ideal time instead of 1.06).
"""

Examiner = Interview[Prompt, Reply]
Visits = Mapping[str, Mapping[tuple[str, int], ParsedAnswer]]


async def explain_query_test(
    interviews: Mapping[EqtRole, Examiner],
    concepts: Sequence[Concept],
    config: EqtConfig = EqtConfig(),  # noqa: B008 -- frozen
    *,
    visitors: Mapping[str, Examiner] = MappingProxyType({}),
    concurrency: int = CONCURRENCY,
    sources: Mapping[str, str] = MappingProxyType({}),
) -> EqtRecord:
    """Test whether a candidate comprehends what it explains (`asgari2025`, algorithm 1).

    Concepts run concurrently, and no question waits for another. The record has the order of concepts and questions. It is
    complete: a missing explanation, question, paraphrase or answer has a reason.

    When the budget is spent, complete concepts are kept, and `planned` and `exhausted` report the rest. Earlier concepts have
    priority, so that few are incomplete. Their answers are recorded, so a run with a larger budget continues from there.

    Departures: open-book answers, checks and visitors are not in the paper. The paper asks for all explanations and questions
    before the first answer; the order makes no difference.

    Parameters
    ----------
    interviews: maps each of `ROLES` to its interview; one interview may have several roles.
    concepts: the concepts, without repeats.
    visitors: maps a name to another candidate that answers all originals closed-book (cross-examination).
    concurrency: limit of concurrent questions per candidate; use the same number as in its interview.
    sources: maps a concept's name to a text that you trust. Each question is also answered with this text, and its key checked.
        This separates failures of explaining, writing and answering (`result`). Needs checks.

    Raises `BadInput`, and whatever the interview raises. The same call then continues from the record.

    >>> class Parrot:
    ...     name = "bot:parrot"
    ...     async def answer(self, question: Prompt, /) -> Reply:
    ...         if question.id.endswith("written"):
    ...             return Reply("Question: What is a tree?\\nA) A graph\\nB) A path\\nCorrect: A")
    ...         return Reply("A tree is a graph." if question.id.endswith("explanation") else "Answer: A")
    >>> interview = Interview(Parrot(), answers=Reply)
    >>> config = EqtConfig(questions=1, paraphrases=0, options=2, shuffle=False, checks=False)
    >>> record = asyncio.run(explain_query_test(dict.fromkeys(ROLES, interview), [Concept("Trees", "math")], config))
    >>> [item] = record.concept_records[0].items
    >>> record.calls, item.question.key == item.phrasings[0].answer.chosen == item.open_book.chosen
    (4, True)
    """
    _check(interviews, concepts, visitors)
    if sources and not config.checks:
        raise BadInput("sources need checks, which tell a wrong key from a wrong explanation: set checks to true")
    examiners = _Examiners(interviews, visitors, concurrency)
    examinations = [
        ConceptExamination(
            concept, config, partial(examiners.ask, position=index), tuple(visitors), source=sources.get(concept.name, "")
        )
        for index, concept in enumerate(concepts)
    ]
    examiners.mark_by(lambda heard: marks(heard, examinations))
    concept_records = await _examine_all(examinations)
    both = zip(examinations, concept_records, strict=True)
    complete = [(examination, concept_record) for examination, concept_record in both if examination.complete]
    answered = {
        name: {
            (examination.concept.name, number): answer
            for examination, _ in complete
            for number, answer in sorted(examination.visits.get(name, {}).items())
        }
        for name in visitors
    }
    return examiners.record(config, [kept for _, kept in complete], planned=len(concepts), visitors=answered or None)


class _Examiners:
    """The interviews by role, and their costs."""

    def __init__(self, interviews: Mapping[EqtRole, Examiner], visitors: Mapping[str, Examiner], concurrency: int) -> None:
        self.calls = 0
        self.exhausted: Limit = ""
        """The budget limit that ended the examination; empty if none did."""
        self._interviews: dict[str, Examiner] = {f"visitor {name}": visitor for name, visitor in visitors.items()}
        for role, interview in interviews.items():
            self._interviews[role] = interview
        self._distinct = list({id(interview): interview for interview in self._interviews.values()}.values())
        most = concurrency + int(AHEAD * concurrency)
        self._turns = {id(interview): PriorityLimiter(most) for interview in self._distinct}
        self._before = [interview.spending for interview in self._distinct]

    async def ask(self, who: str, prompt: Prompt, topic: str, *, position: int) -> Reply | NoAnswer | None:
        """The reply; None if the budget is spent. Earlier concepts have priority."""
        interview = self._interviews[who]
        async with self._turns[id(interview)].slot(position):
            try:
                reply = await interview.ask(prompt, topic=topic)
            except BudgetExhausted:
                self.exhausted = self.exhausted or interview.exhausted
                return None
        self.calls += 1
        return reply

    def mark_by(self, marker: Marker) -> None:
        """Set these marks on the result rows of later questions; interviews may share their rows."""
        for results in {id(interview.results): interview.results for interview in self._distinct}.values():
            results.mark_by(marker)

    def record(
        self, config: EqtConfig, concept_records: Sequence[ConceptRecord], *, planned: int, visitors: Visits | None
    ) -> EqtRecord:
        """The record of the examination."""
        spent = self._spent()
        return EqtRecord(
            roles={role: self._interviews[role].candidate.name for role in ROLES},
            config=config,
            concept_records=tuple(concept_records),
            planned=planned,
            calls=self.calls,
            tokens_in=spent.tokens_in,
            tokens_out=spent.tokens_out,
            money=spent.money,
            exhausted=self.exhausted,
            settings={interview.candidate.name: interview.settings for interview in self._distinct},
            caveats=tuple(dict.fromkeys(sentence for interview in self._distinct for sentence in interview.caveats)),
            visitors=visitors,
        )

    def _spent(self) -> Usage:
        pairs = list(zip(self._distinct, self._before, strict=True))
        return Usage(
            sum(interview.spending.tokens_in - before.tokens_in for interview, before in pairs),
            sum(interview.spending.tokens_out - before.tokens_out for interview, before in pairs),
            fsum(interview.spending.money - before.money for interview, before in pairs),
        )


async def _examine_all(examinations: Sequence[ConceptExamination]) -> list[ConceptRecord]:
    """Examine concepts concurrently; an error in one stops all."""
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(examine_concept(examination)) for examination in examinations]
    except BaseExceptionGroup as errors:
        raise _first(errors) from errors
    return [task.result() for task in tasks]


def _first(error: BaseException) -> BaseException:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def _check(interviews: Mapping[EqtRole, Examiner], concepts: Sequence[Concept], visitors: Mapping[str, Examiner]) -> None:
    if missing := [role for role in ROLES if role not in interviews]:
        raise BadInput(f"no interview has the role '{missing[0]}': give one for each of {', '.join(ROLES)}")
    # Visitors' answers are looked up by the concept's name alone.
    names = [concept.name if visitors else concept_topic(concept) for concept in concepts]
    for name, times in Counter(names).items():
        if times > 1:
            raise BadInput(f"the concept '{name}' is listed {times} times: keep one, or use different names")


class PriorityLimiter:
    """A semaphore that serves the earliest concept first, and calls of one concept in order of arrival.

    When a budget is spent, the first concepts are complete and few are incomplete. Serving calls in order of arrival would
    explain all concepts before the first question is answered. Raises `BadInput` if `concurrency` is below 1.

    >>> async def order() -> list[int]:
    ...     turns, done = PriorityLimiter(1), []
    ...     async def ask(concept: int) -> None:
    ...         async with turns.slot(concept):
    ...             await asyncio.sleep(0)
    ...             done.append(concept)
    ...     await asyncio.gather(*(ask(concept) for concept in (3, 2, 1)))
    ...     return done
    >>> asyncio.run(order())
    [3, 1, 2]
    """

    def __init__(self, concurrency: int) -> None:
        if concurrency < 1:
            raise BadInput(f"concurrency is {concurrency}, it must be at least 1")
        self._free = concurrency
        self._came = 0
        self._waiting: list[tuple[int, int, asyncio.Future[None]]] = []

    @asynccontextmanager
    async def slot(self, concept: int) -> AsyncIterator[None]:
        """Hold a slot while the block runs."""
        await self._wait(concept)
        try:
            yield
        finally:
            self._pass_on()

    async def _wait(self, concept: int) -> None:
        if self._free:
            self._free -= 1
            return
        called: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._came += 1
        heappush(self._waiting, (concept, self._came, called))
        try:
            await called
        except asyncio.CancelledError:
            if called.done() and not called.cancelled():
                self._pass_on()  # served and cancelled at the same time: pass the slot on
            raise

    def _pass_on(self) -> None:
        while self._waiting:
            *_, called = heappop(self._waiting)
            if not called.done():
                called.set_result(None)
                return
        self._free += 1


def marks(heard: Sequence[AnswerEvent], examinations: Sequence[ConceptExamination]) -> list[ResultMark]:
    """The marks of result rows: sorted by topic, with concepts in their order.

    An answer scores 1 if it is exactly the key, else 0; one that could not be parsed or is missing has none.
    """
    places = {concept_topic(examination.concept): index for index, examination in enumerate(examinations)}
    keys = {
        question_topic(examination.concept, number): question
        for examination in examinations
        for number, question in examination.questions.items()
    }
    return [_mark(answer, places, keys) for answer in heard]


def _mark(heard: AnswerEvent, places: dict[str, int], keys: dict[str, MultipleChoice]) -> ResultMark:
    levels = heard.topic.split("/")
    order = (places.get("/".join(levels[:3]), len(places)), heard.topic)
    question, put = keys.get("/".join(levels[:4])), heard.settled.put
    if question is None or not isinstance(put, Prompt):
        return ResultMark(order=order)
    form = put.form.form if isinstance(put.form, PrintedForm) else put.form
    if not isinstance(form, SeveralOptions):
        return ResultMark(order=order)
    answer = heard.settled.answer
    reading = None if isinstance(answer, NoAnswer) else read(put, answer)
    is_known = reading is not None and reading.outcome in (Outcome.ANSWER, Outcome.DONT_KNOW)
    score = float(reading.value == question.key) if reading is not None and is_known else None
    return ResultMark(expected=letters(question.key), score=score, order=order)
