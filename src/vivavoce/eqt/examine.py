"""The examination: can it answer questions about what it has explained itself?"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import partial
from heapq import heappop, heappush
from math import fsum
from types import MappingProxyType
from typing import Final

from vivavoce.eqt.config import EqtConfig
from vivavoce.eqt.pipeline import Table, sit
from vivavoce.eqt.questions import ROLES, Answer, Concept, Record, Role, Sitting, concept_topic, question_topic
from vivavoce.errors import BadInput, BudgetExhausted
from vivavoce.interview.budget import Limit
from vivavoce.interview.candidate import NoAnswer, Prompt, Reply, Usage
from vivavoce.interview.forms.repeated_answers import PrintedForm
from vivavoce.interview.forms.several_options import SeveralOptions, letters
from vivavoce.interview.forms.written_question import MultipleChoice
from vivavoce.interview.interview import Interview
from vivavoce.interview.reading import read
from vivavoce.interview.results import AnswerEvent, Marker, ResultMark

CONCURRENCY: Final = 64
"""Questions under way with one candidate at most, unless said otherwise; the interview's own limit holds as well."""

Examiner = Interview[Prompt, Reply]
Visits = Mapping[str, Mapping[tuple[str, int], Answer]]


async def explain_query_test(
    interviews: Mapping[Role, Examiner],
    concepts: Sequence[Concept],
    config: EqtConfig = EqtConfig(),  # noqa: B008 -- frozen
    *,
    visitors: Mapping[str, Examiner] = MappingProxyType({}),
    concurrency: int = CONCURRENCY,
    sources: Mapping[str, str] = MappingProxyType({}),
) -> Record:
    """Does this candidate comprehend what it explains (`asgari2025`, algorithm 1)?

    Concepts are sat side by side, each a straight pipeline in which nothing waits for another question or concept. What comes
    out is in the order of concepts and questions, whatever was complete first. Nothing is dropped: a concept without an
    explanation, a question that could not be written, a paraphrase or answer that could not be read say why.

    When a budget runs out, sittings that are complete are kept; `planned` and `exhausted` say the rest. Earlier concepts go
    first, so that few are begun in vain; their answers are on record, and a run with a larger budget goes on from there.

    Departures. Answers with the explanation at hand, checks and visitors are not in the paper. The paper asks for all
    explanations and questions before the first answer; the order makes no difference to what is asked.

    Parameters
    ----------
    interviews: who has which role, all of `ROLES`; the same interview may have several.
    concepts: each once.
    visitors: other candidates by name, who answer all originals closed-book (cross-examination).
    concurrency: how many questions each candidate is asked at once at most; give what its interview was made with.
    sources: concept's name -> what you hold to be true of it. Each question is then answered, and its key checked, with that at
        hand as well, so that failures of explaining, writing and answering come apart (`grounding`). Needs checks.

    Raises `BadInput`, and what an interview raises: what was answered before is on record, and the same call goes on there.

    >>> class Parrot:
    ...     name = "bot:parrot"
    ...     async def answer(self, question: Prompt, /) -> Reply:
    ...         if question.id.endswith("written"):
    ...             return Reply("Question: What is a tree?\\nA) A graph\\nB) A path\\nCorrect: A")
    ...         return Reply("A tree is a graph." if question.id.endswith("explanation") else "Answer: A")
    >>> interview = Interview(Parrot(), answers=Reply)
    >>> config = EqtConfig(questions=1, paraphrases=0, options=2, shuffle=False, checks=False)
    >>> record = asyncio.run(explain_query_test(dict.fromkeys(ROLES, interview), [Concept("Trees", "math")], config))
    >>> [item] = record.sittings[0].items
    >>> record.calls, item.question.key == item.phrasings[0].answer.chosen == item.open_book.chosen
    (4, True)
    """
    _check(interviews, concepts, visitors)
    if sources and not config.checks:
        raise BadInput("sources need checks: without them nobody tells a wrong key from a wrong explanation")
    board = _Board(interviews, visitors, concurrency)
    tables = [
        Table(concept, config, partial(board.ask, place=place), tuple(visitors), source=sources.get(concept.name, ""))
        for place, concept in enumerate(concepts)
    ]
    board.mark_by(lambda heard: marks(heard, tables))
    sat = await _sit_all(tables)
    complete = [(table, sitting) for table, sitting in zip(tables, sat, strict=True) if table.complete]
    answered = {name: _visits(name, complete) for name in visitors} if visitors else None
    return board.record(config, tuple(sitting for _, sitting in complete), planned=len(concepts), visitors=answered)


class _Board:
    """Those who take part, and what was asked."""

    def __init__(self, interviews: Mapping[Role, Examiner], visitors: Mapping[str, Examiner], concurrency: int) -> None:
        self.calls = 0
        self.exhausted: Limit = ""
        """Which limit ended the questions; empty where none did."""
        self._interviews: dict[str, Examiner] = {f"visitor {name}": visitor for name, visitor in visitors.items()}
        for role, interview in interviews.items():
            self._interviews[role] = interview
        self._distinct = list({id(one): one for one in self._interviews.values()}.values())
        self._turns = {id(one): Turns(concurrency) for one in self._distinct}
        self._before = [one.spending for one in self._distinct]

    async def ask(self, who: str, prompt: Prompt, *, topic: str, place: int) -> Reply | NoAnswer | None:
        """What came of it; None where the budget leaves no room. Earlier places go first."""
        interview = self._interviews[who]
        async with self._turns[id(interview)].taken(place):
            try:
                reply = await interview.ask(prompt, topic=topic)
            except BudgetExhausted:
                self.exhausted = self.exhausted or interview.exhausted
                return None
        self.calls += 1
        return reply

    def mark_by(self, marker: Marker) -> None:
        """What is asked from here on has these marks in its row; those who take part may share their rows."""
        for results in {id(one.results): one.results for one in self._distinct}.values():
            results.mark_by(marker)

    @property
    def settings(self) -> dict[str, dict[str, object]]:
        """How each candidate was asked."""
        return {one.candidate.name: one.settings for one in self._distinct}

    @property
    def caveats(self) -> tuple[str, ...]:
        """What to know about how they were asked; each sentence once."""
        return tuple(dict.fromkeys(sentence for one in self._distinct for sentence in one.caveats))

    def record(self, config: EqtConfig, sittings: tuple[Sitting, ...], *, planned: int, visitors: Visits | None) -> Record:
        """All that was asked and answered."""
        spent = self._spent()
        return Record(
            roles={role: self._interviews[role].candidate.name for role in ROLES},
            set_up=config,
            sittings=sittings,
            planned=planned,
            calls=self.calls,
            tokens_in=spent.tokens_in,
            tokens_out=spent.tokens_out,
            money=spent.money,
            exhausted=self.exhausted,
            settings=self.settings,
            caveats=self.caveats,
            visitors=visitors,
        )

    def _spent(self) -> Usage:
        """What all answers have cost since the beginning."""
        pairs = list(zip(self._distinct, self._before, strict=True))
        return Usage(
            sum(one.spending.tokens_in - before.tokens_in for one, before in pairs),
            sum(one.spending.tokens_out - before.tokens_out for one, before in pairs),
            fsum(one.spending.money - before.money for one, before in pairs),
        )


async def _sit_all(tables: Sequence[Table]) -> list[Sitting]:
    """The sittings side by side; what goes wrong at one ends all."""
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(sit(table)) for table in tables]
    except BaseExceptionGroup as errors:
        raise _first(errors) from errors
    return [task.result() for task in tasks]


def _visits(name: str, complete: Sequence[tuple[Table, Sitting]]) -> dict[tuple[str, int], Answer]:
    return {
        (table.concept.name, number): answer
        for table, _ in complete
        for number, answer in sorted(table.visits.get(name, {}).items())
    }


def _first(error: BaseException) -> BaseException:
    """What went wrong first, out of what concepts side by side report together."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def _check(interviews: Mapping[Role, Examiner], concepts: Sequence[Concept], visitors: Mapping[str, Examiner]) -> None:
    if missing := [role for role in ROLES if role not in interviews]:
        raise BadInput(f"nobody is {missing[0]}: each of {', '.join(ROLES)} needs an interview")
    # What visitors answer is found by the concept's name alone.
    names = [concept.name if visitors else concept_topic(concept) for concept in concepts]
    for name, times in Counter(names).items():
        if times > 1:
            raise BadInput(f"the concept '{name}' is there {times} times: leave one, or give them different names")


class Turns:
    """Lets this many ask at once; of those who wait, the earliest concept goes first, and within it the first to come.

    All concepts are under way side by side, so nobody waits while there is room. But when a budget runs out, the first
    concepts are complete and only a few have been begun in vain: first come, first served would have all of them explained
    before the first question is answered. Raises `BadInput` for none at once.

    >>> async def order() -> list[int]:
    ...     turns, done = Turns(1), []
    ...     async def one(concept: int) -> None:
    ...         async with turns.taken(concept):
    ...             await asyncio.sleep(0)
    ...             done.append(concept)
    ...     await asyncio.gather(*(one(concept) for concept in (3, 2, 1)))
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
    async def taken(self, concept: int) -> AsyncIterator[None]:
        """A turn for as long as the block runs."""
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
                self._pass_on()  # called and cancelled at once: the turn is another's
            raise

    def _pass_on(self) -> None:
        while self._waiting:
            *_, called = heappop(self._waiting)
            if not called.done():
                called.set_result(None)
                return
        self._free += 1


def marks(heard: Sequence[AnswerEvent], tables: Sequence[Table]) -> list[ResultMark]:
    """By topic, which tells the examination as one would read it; concepts in the order in which they were to be sat.

    An answer scores 1 if it is exactly the key, else 0, as does one that could not be read or did not come.
    """
    places = {concept_topic(table.concept): place for place, table in enumerate(tables)}
    keys = {question_topic(table.concept, number): question for table in tables for number, question in table.questions.items()}
    return [_mark(one, places, keys) for one in heard]


def _mark(heard: AnswerEvent, places: dict[str, int], keys: dict[str, MultipleChoice]) -> ResultMark:
    levels = heard.topic.split("/")
    order = (places.get("/".join(levels[:3]), len(places)), heard.topic)
    question, put = keys.get("/".join(levels[:4])), heard.settled.put
    if question is None or not isinstance(put, Prompt) or not _is_answered(put):
        return ResultMark(order=order)
    answer = heard.settled.answer
    chosen = None if isinstance(answer, NoAnswer) else read(put, answer).value
    return ResultMark(expected=letters(question.key), score=float(chosen == question.key), order=order)


def _is_answered(put: Prompt) -> bool:
    """Whether the prompt asks for options."""
    form = put.form.form if isinstance(put.form, PrintedForm) else put.form
    return isinstance(form, SeveralOptions)
