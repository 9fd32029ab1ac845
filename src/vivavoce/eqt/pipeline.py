"""One concept, from its explanation to the last answer: each step begins as soon as what it needs is there."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace
from typing import Any, Final, Protocol

from vivavoce.eqt.config import EqtConfig
from vivavoce.eqt.order import put_in_order
from vivavoce.eqt.prompts import (
    answer_prompt,
    explanation_prompt,
    key_prompt,
    kind_of,
    meaning_prompt,
    open_book_prompt,
    paraphrase_prompt,
    question_prompt,
    right_of,
    self_contained_prompt,
)
from vivavoce.eqt.questions import Answer, Concept, Item, Manner, Phrasing, Role, Sitting, concept_topic, level, question_topic
from vivavoce.eqt.wording_checks import duplicates, pointing
from vivavoce.formats.wording import clipped
from vivavoce.interview.candidate import NoAnswer, Prompt, Reply
from vivavoce.interview.forms.form import Outcome, Reading
from vivavoce.interview.forms.judgements import ReasonedDecision
from vivavoce.interview.forms.several_options import Choice
from vivavoce.interview.forms.spellings import folded
from vivavoce.interview.forms.written_question import MultipleChoice
from vivavoce.interview.forms.written_texts import read_explanation
from vivavoce.interview.reading import CUT_OFF, broken_off, heard, read

OUT_OF_BUDGET = "the budget ran out"
_MANNERS: Final[dict[Outcome, Manner]] = {
    Outcome.DONT_KNOW: "does not know",
    Outcome.UNREADABLE: "unreadable",
    Outcome.COPIED: "copied",
    Outcome.CUT_OFF: "cut off",
    Outcome.NO_ANSWER: "no answer",
}


class Asks(Protocol):
    """Puts a prompt to the holder of a role, or to a visitor."""

    async def __call__(self, who: str, prompt: Prompt, *, topic: str) -> Reply | NoAnswer | None:
        """What came of it; None where the budget leaves no room.

        Parameters
        ----------
        who: a role, or `visitor NAME`.
        """
        ...


@dataclass(slots=True)
class Table:
    """Where one concept is examined."""

    concept: Concept
    config: EqtConfig
    ask: Asks
    visitors: tuple[str, ...] = ()
    complete: bool = True
    """Whether all was asked that there was to ask; the budget may have run out."""
    visits: dict[str, dict[int, Answer]] = field(default_factory=dict)
    """Visitor -> number of a question -> its answer."""
    questions: dict[int, MultipleChoice] = field(default_factory=dict)
    """By number, those that were written."""
    source: str = ""
    """What the user holds to be true of the concept; empty where there is nothing."""

    async def put(self, who: Role, prompt: Prompt, *, topic: str) -> Reply | NoAnswer | None:
        """Ask; where the budget has run out, the sitting is not complete."""
        reply = await self.ask(who, prompt, topic=topic)
        self.complete = self.complete and reply is not None
        return reply

    async def answer(self, who: Role, prompt: Prompt, *, topic: str) -> Answer | None:
        """Ask for options."""
        reply = await self.put(who, prompt, topic=topic)
        return None if reply is None else answer_in(read(prompt, reply))

    async def verdict(self, prompt: Prompt, *, topic: str) -> tuple[bool | None, str]:
        """Ask the checker for yes or no, if checks are wanted; with its reason against, or why there is no verdict."""
        reply = await self.put("checker", prompt, topic=topic) if self.config.checks else None
        if reply is None:
            return None, ""
        reading: Reading[ReasonedDecision] = read(prompt, reply)
        if reading.value is None:
            return None, reading.problem
        return reading.value.passed, "" if reading.value.passed else " ".join(clipped(reading.value.reason, 300).split())


async def sit(table: Table) -> Sitting:
    """Examine on one concept (`asgari2025`, algorithm 1).

    First the explanation. Then all questions side by side, each a pipeline of its own: written, put in order, and from then on
    answered closed-book and open-book, checked, and paraphrased at the same time; a paraphrase is answered and checked as soon
    as it is there. Nothing is asked again, whatever came.
    """
    concept, config = table.concept, table.config
    reply = await table.put(
        "explainer", explanation_prompt(concept, config.prompts), topic=f"{concept_topic(concept)}/1 explanation"
    )
    explanation, problem = (None, OUT_OF_BUDGET) if reply is None else explained(reply)
    if explanation is None:
        return Sitting(concept, None, problem, (), table.source)
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(_item(table, number, explanation)) for number in range(1, config.questions + 1)]
    items = [task.result() for task in tasks]
    twins = duplicates([(item.number, item.question) for item in items if item.question is not None])
    told_apart = tuple(replace(item, duplicate_of=twins.get(item.number)) for item in items)
    ends_early = isinstance(reply, Reply) and broken_off(reply) == CUT_OFF
    return Sitting(concept, explanation, "", told_apart, table.source, ends_early)


def explained(reply: Reply | NoAnswer) -> tuple[str | None, str]:
    """The explanation, as far as it goes; None, and why there is none."""
    text, problem = heard(reply, whole=True)
    reading = read_explanation(text)
    return (None, problem) if problem else (reading.value, reading.problem)


async def _item(table: Table, number: int, explanation: str) -> Item:
    """One question, with all that becomes of it."""
    concept, config = table.concept, table.config
    kind = kind_of(concept, number, seed=config.seed)
    right = right_of(concept, number, options=config.options, seed=config.seed)
    prompt = question_prompt(
        concept, explanation, number, kind=kind, options=config.options, right=right, wording=config.prompts
    )
    reply = await table.put("writer", prompt, topic=f"{question_topic(concept, number)}/1 written")
    if reply is None:
        return Item(number, kind.name, None, "no answer", OUT_OF_BUDGET)
    written: Reading[MultipleChoice] = read(prompt, reply)
    if written.value is None:
        return Item(number, kind.name, None, manner_of(written), written.problem)
    question = put_in_order(written.value, concept, number, seed=config.seed) if config.shuffle else written.value
    table.questions[number] = question
    async with asyncio.TaskGroup() as group:
        original = group.create_task(_answered(table, number, question, question.stem, which=0))
        opened = group.create_task(_open_book(table, number, question, explanation))
        key = group.create_task(_key_check(table, number, question, explanation))
        alone_prompt = self_contained_prompt(concept, number, question, temperature=config.temperature)
        alone_topic = f"{question_topic(concept, number)}/6 self-contained"
        alone = group.create_task(table.verdict(alone_prompt, topic=alone_topic))
        others = [group.create_task(_paraphrased(table, number, question, which)) for which in range(1, config.paraphrases + 1)]
        grounded = group.create_task(_grounded(table, number, question))
        for name in table.visitors:
            group.create_task(_visited(table, number, question, name))
    return Item(
        number,
        kind.name,
        question,
        manner_of(written),
        phrasings=(Phrasing(question.stem, original.result()), *_distinct([task.result() for task in others])),
        open_book=opened.result(),
        key_check=key.result(),
        pointing=pointing(question),
        self_contained=alone.result()[0],
        source_book=grounded.result()[0],
        source_check=grounded.result()[1],
    )


async def _answered(table: Table, number: int, question: MultipleChoice, stem: str, *, which: int) -> Answer | None:
    """The answer to one wording, closed-book."""
    config = table.config
    prompt = answer_prompt(
        table.concept, number, stem, question.options, which=which, temperature=config.temperature, wording=config.prompts
    )
    name = f"paraphrase {which:02d}" if which else "original"
    topic = f"{question_topic(table.concept, number)}/3 answer {name}"
    return await table.answer("answerer", prompt, topic=topic)


async def _open_book(table: Table, number: int, question: MultipleChoice, explanation: str) -> Answer | None:
    config = table.config
    prompt = open_book_prompt(
        table.concept, number, question, explanation=explanation, temperature=config.temperature, wording=config.prompts
    )
    return await table.answer("answerer", prompt, topic=f"{question_topic(table.concept, number)}/4 open book")


async def _key_check(table: Table, number: int, question: MultipleChoice, explanation: str) -> Answer | None:
    if not table.config.checks:
        return None
    prompt = key_prompt(table.concept, number, question, explanation=explanation, temperature=table.config.temperature)
    return await table.answer("checker", prompt, topic=f"{question_topic(table.concept, number)}/5 key check")


async def _grounded(table: Table, number: int, question: MultipleChoice) -> tuple[Answer | None, Answer | None]:
    """The answerer's answer with the user's source at hand, and the checker's; none where there is no source."""
    if not table.source:
        return None, None
    config, topic = table.config, question_topic(table.concept, number)
    book = open_book_prompt(
        table.concept, number, question, explanation=table.source, temperature=config.temperature, wording=config.prompts,
        from_source=True,
    )  # fmt: skip
    key = key_prompt(
        table.concept, number, question, explanation=table.source, temperature=config.temperature, from_source=True
    )
    async with asyncio.TaskGroup() as group:
        opened = group.create_task(table.answer("answerer", book, topic=f"{topic}/9 open book with the source"))
        checked = group.create_task(table.answer("checker", key, topic=f"{topic}/9 key check by the source"))
    return opened.result(), checked.result()


async def _paraphrased(table: Table, number: int, question: MultipleChoice, which: int) -> Phrasing:
    """One paraphrase with its answer, and whether it means the same."""
    concept, topic = table.concept, question_topic(table.concept, number)
    prompt = paraphrase_prompt(concept, number, question, which, table.config.prompts)
    reply = await table.put("paraphraser", prompt, topic=f"{topic}/2 paraphrase {which:02d}")
    if reply is None:
        return Phrasing(None, None, problem=OUT_OF_BUDGET)
    reworded: Reading[str] = read(prompt, reply)
    if reworded.value is None:
        return Phrasing(None, None, problem=reworded.problem)
    stem = reworded.value
    check = meaning_prompt(concept, number, question, paraphrase=stem, which=which, temperature=table.config.temperature)
    async with asyncio.TaskGroup() as group:
        answer = group.create_task(_answered(table, number, question, stem, which=which))
        meaning = group.create_task(table.verdict(check, topic=f"{topic}/7 meaning of paraphrase {which:02d}"))
    return Phrasing(stem, answer.result(), *meaning.result())


def _distinct(phrasings: list[Phrasing]) -> list[Phrasing]:
    """The paraphrases, without those that repeat an earlier one: they would count one wording twice."""
    first: dict[str, int] = {}
    distinct = []
    for which, phrasing in enumerate(phrasings, 1):
        twin = which if phrasing.stem is None else first.setdefault(folded(phrasing.stem), which)
        distinct.append(phrasing if twin == which else Phrasing(None, None, problem="repeats another paraphrase"))
    return distinct


async def _visited(table: Table, number: int, question: MultipleChoice, name: str) -> None:
    """A visitor's closed-book answer to the original; one that its budget leaves out is left out."""
    config = table.config
    prompt = answer_prompt(
        table.concept, number, question.stem, question.options, which=0, temperature=config.temperature, wording=config.prompts
    )
    reply = await table.ask(f"visitor {name}", prompt, topic=f"{question_topic(table.concept, number)}/8 visitor {level(name)}")
    if reply is not None:
        table.visits.setdefault(name, {})[number] = answer_in(read(prompt, reply))


def manner_of(reading: Reading[Any]) -> Manner:
    """How a reply was read, in a word or two."""
    return _MANNERS.get(reading.outcome) or ("strict" if reading.strict else "lenient")


def answer_in(reading: Reading[Choice]) -> Answer:
    """The answer that was read."""
    return Answer(reading.value, manner_of(reading), reading.problem, reading.after_turn)
