"""Examines one concept, from its explanation to the last answer; each step starts as soon as its input is ready."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from vivavoce.eqt import prompts, record
from vivavoce.eqt.question_checks import duplicates, pointing
from vivavoce.formats.wording import clipped
from vivavoce.interview.candidate import NoAnswer, Prompt, Reply
from vivavoce.interview.forms.form import Outcome, ParsedReply
from vivavoce.interview.forms.judgements import ReasonedDecision
from vivavoce.interview.forms.several_options import Choice
from vivavoce.interview.forms.spellings import folded
from vivavoce.interview.forms.written_question import MultipleChoice
from vivavoce.interview.forms.written_texts import read_explanation
from vivavoce.interview.reading import CUT_OFF, broken_off, heard, read

_POSITIONS: Final = re.compile(
    r"\b(?i:all|none|both|neither|any|two|three) of the (?i:above|previous|preceding|others?)\b"
    r"|^(?i:both |either |neither |only )?(?i:options? |choices? |answers? |statements? )?\(?[A-J]\)?(?:, ?\(?[A-J]\)?){0,9}"
    r",? (?i:and|&|or|nor) (?i:options? )?\(?[A-J]\)?(?: (?i:only|both|together|are|is)\b.{0,60})?\.?$"
    r"|\b(?i:options?|choices?) \(?[A-J]\)?(?=[\s,.;]|$)"
)


def shuffle_options(question: MultipleChoice, concept: record.Concept, number: int, *, seed: int) -> MultipleChoice:
    """Shuffle the options of a question, and its key, by seed, concept and number.

    A question is not shuffled if an option refers to others by position or letter ("both A and C", "none of the above").

    >>> tree = MultipleChoice("What is a tree?", ("A graph", "A plant", "A path", "A set"), frozenset([0, 1]))
    >>> shuffled = shuffle_options(tree, record.Concept("Graph theory", "math"), 1, seed=0)
    >>> sorted(shuffled.options[index] for index in shuffled.key), sorted(shuffled.options) == sorted(tree.options)
    (['A graph', 'A plant'], True)
    """
    if refers_to_positions(question.options):
        return question
    order = drawn_order(len(question.options), concept, number, seed=seed)
    key = frozenset(index for index, written in enumerate(order) if written in question.key)
    return MultipleChoice(question.stem, tuple(question.options[written] for written in order), key)


def drawn_order(options: int, concept: record.Concept, number: int, *, seed: int) -> list[int]:
    """The original positions of the options, in their new order."""
    return sorted(
        range(options), key=lambda index: record.seeded_digest(seed, "order", concept.category, concept.name, number, index)
    )


def refers_to_positions(options: Sequence[str]) -> bool:
    """Whether an option refers to others by position or letter.

    >>> refers_to_positions(["Iron", "Zinc", "Both A and B"]), refers_to_positions(["Iron", "None of the above"])
    (True, True)
    >>> refers_to_positions(["Vitamin A and vitamin C", "Only a graph", "Hepatitis B"])
    False
    """
    return any(_POSITIONS.search(option[:1_000]) for option in options)


OUT_OF_BUDGET = "the budget ran out"
_PARSE_OUTCOMES: Final[dict[Outcome, record.ParseOutcome]] = {
    Outcome.DONT_KNOW: "does not know",
    Outcome.UNREADABLE: "unreadable",
    Outcome.COPIED: "copied",
    Outcome.CUT_OFF: "cut off",
    Outcome.NO_ANSWER: "no answer",
}


AskFunction = Callable[[str, Prompt, str], Awaitable[Reply | NoAnswer | None]]
"""Sends a prompt to a role, or to `visitor NAME`, under a topic; there is no reply if the budget is spent."""


@dataclass(slots=True)
class ConceptExamination:
    """The examination of one concept."""

    concept: record.Concept
    config: record.EqtConfig
    ask: AskFunction
    visitors: tuple[str, ...] = ()
    complete: bool = True
    """Whether every question was asked before the budget was spent."""
    visits: dict[str, dict[int, record.ParsedAnswer]] = field(default_factory=dict)
    """Maps a visitor and the number of a question to the visitor's answer."""
    questions: dict[int, MultipleChoice] = field(default_factory=dict)
    """Maps a number to the written question."""
    source: str = ""
    """The user's source text on the concept; empty without one."""

    async def ask_role(self, who: record.EqtRole, prompt: Prompt, *, topic: str) -> Reply | NoAnswer | None:
        """Ask the candidate in a role; without a reply, the examination is incomplete."""
        reply = await self.ask(who, prompt, topic)
        self.complete = self.complete and reply is not None
        return reply

    async def answer(self, who: record.EqtRole, prompt: Prompt, *, topic: str) -> record.ParsedAnswer | None:
        """Ask for options, and parse the answer."""
        reply = await self.ask_role(who, prompt, topic=topic)
        return None if reply is None else parsed_answer(read(prompt, reply))

    async def verdict(self, prompt: Prompt, *, topic: str) -> tuple[bool | None, str]:
        """Ask the checker for yes or no, if checks are on; return its verdict, and its objection or why there is no verdict."""
        reply = await self.ask_role("checker", prompt, topic=topic) if self.config.checks else None
        if reply is None:
            return None, ""
        reading: ParsedReply[ReasonedDecision] = read(prompt, reply)
        if reading.value is None:
            return None, reading.problem
        return reading.value.passed, "" if reading.value.passed else " ".join(clipped(reading.value.reason, 300).split())


async def examine_concept(examination: ConceptExamination) -> record.ConceptRecord:
    """Run the examination on one concept (`asgari2025`, algorithm 1).

    The explanation comes first. Then all questions run concurrently: each is written, shuffled, answered closed-book and
    open-book, checked and paraphrased at the same time. A paraphrase is answered and checked as soon as it is written. No
    question is asked twice.
    """
    concept, config = examination.concept, examination.config
    reply = await examination.ask_role(
        "explainer", prompts.explanation_prompt(concept, config.prompts), topic=f"{record.concept_topic(concept)}/1 explanation"
    )
    explanation, problem = (None, OUT_OF_BUDGET) if reply is None else parsed_explanation(reply)
    if explanation is None:
        return record.ConceptRecord(concept, None, problem, (), examination.source)
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(_item(examination, number, explanation)) for number in range(1, config.questions + 1)]
    items = [task.result() for task in tasks]
    twins = duplicates([(item.number, item.question) for item in items if item.question is not None])
    told_apart = tuple(replace(item, duplicate_of=twins.get(item.number)) for item in items)
    ends_early = isinstance(reply, Reply) and broken_off(reply) == CUT_OFF
    return record.ConceptRecord(concept, explanation, "", told_apart, examination.source, ends_early)


def parsed_explanation(reply: Reply | NoAnswer) -> tuple[str | None, str]:
    """The explanation, even if cut off, and an empty string; or None and the reason."""
    text, problem = heard(reply, whole=True)
    reading = read_explanation(text)
    return (None, problem) if problem else (reading.value, reading.problem)


async def _item(examination: ConceptExamination, number: int, explanation: str) -> record.QuestionRecord:
    concept, config = examination.concept, examination.config
    kind = prompts.kind_of(concept, number, seed=config.seed)
    right = prompts.right_of(concept, number, options=config.options, seed=config.seed)
    prompt = prompts.question_prompt(
        concept, explanation, number, kind=kind, options=config.options, right=right, wording=config.prompts
    )
    reply = await examination.ask_role("writer", prompt, topic=f"{record.question_topic(concept, number)}/1 written")
    if reply is None:
        return record.QuestionRecord(number, kind.name, None, "no answer", OUT_OF_BUDGET)
    written: ParsedReply[MultipleChoice] = read(prompt, reply)
    if written.value is None:
        return record.QuestionRecord(number, kind.name, None, parse_outcome(written), written.problem)
    question = shuffle_options(written.value, concept, number, seed=config.seed) if config.shuffle else written.value
    examination.questions[number] = question
    async with asyncio.TaskGroup() as group:
        original = group.create_task(_answered(examination, number, question, question.stem, which=0))
        opened = group.create_task(_open_book(examination, number, question, explanation))
        key = group.create_task(_key_check(examination, number, question, explanation))
        alone_prompt = prompts.self_contained_prompt(concept, number, question, temperature=config.temperature)
        alone_topic = f"{record.question_topic(concept, number)}/6 self-contained"
        alone = group.create_task(examination.verdict(alone_prompt, topic=alone_topic))
        others = [
            group.create_task(_paraphrased(examination, number, question, which)) for which in range(1, config.paraphrases + 1)
        ]
        grounded = group.create_task(_grounded(examination, number, question))
        for name in examination.visitors:
            group.create_task(_visited(examination, number, question, name))
    return record.QuestionRecord(
        number,
        kind.name,
        question,
        parse_outcome(written),
        phrasings=(record.Phrasing(question.stem, original.result()), *_distinct([task.result() for task in others])),
        open_book=opened.result(),
        key_check=key.result(),
        pointing=pointing(question),
        self_contained=alone.result()[0],
        source_book=grounded.result()[0],
        source_check=grounded.result()[1],
    )


def _closed_book(examination: ConceptExamination, number: int, stem: str, options: Sequence[str], which: int) -> Prompt:
    concept, config = examination.concept, examination.config
    return prompts.answer_prompt(
        concept, number, stem, options, which=which, temperature=config.temperature, wording=config.prompts
    )


async def _answered(
    examination: ConceptExamination, number: int, question: MultipleChoice, stem: str, *, which: int
) -> record.ParsedAnswer | None:
    prompt = _closed_book(examination, number, stem, question.options, which)
    name = f"paraphrase {which:02d}" if which else "original"
    topic = f"{record.question_topic(examination.concept, number)}/3 answer {name}"
    return await examination.answer("answerer", prompt, topic=topic)


async def _open_book(
    examination: ConceptExamination, number: int, question: MultipleChoice, explanation: str
) -> record.ParsedAnswer | None:
    config = examination.config
    prompt = prompts.open_book_prompt(
        examination.concept, number, question, explanation=explanation, temperature=config.temperature, wording=config.prompts
    )
    return await examination.answer(
        "answerer", prompt, topic=f"{record.question_topic(examination.concept, number)}/4 open book"
    )


async def _key_check(
    examination: ConceptExamination, number: int, question: MultipleChoice, explanation: str
) -> record.ParsedAnswer | None:
    if not examination.config.checks:
        return None
    prompt = prompts.key_prompt(
        examination.concept, number, question, explanation=explanation, temperature=examination.config.temperature
    )
    return await examination.answer(
        "checker", prompt, topic=f"{record.question_topic(examination.concept, number)}/5 key check"
    )


async def _grounded(
    examination: ConceptExamination, number: int, question: MultipleChoice
) -> tuple[record.ParsedAnswer | None, record.ParsedAnswer | None]:
    """The answerer's and the checker's answers with the user's source; None without a source."""
    if not examination.source:
        return None, None
    config, topic = examination.config, record.question_topic(examination.concept, number)
    book = prompts.open_book_prompt(
        examination.concept, number, question, explanation=examination.source, temperature=config.temperature,
        wording=config.prompts,
        from_source=True,
    )  # fmt: skip
    key = prompts.key_prompt(
        examination.concept, number, question, explanation=examination.source, temperature=config.temperature, from_source=True
    )
    async with asyncio.TaskGroup() as group:
        opened = group.create_task(examination.answer("answerer", book, topic=f"{topic}/9 open book with the source"))
        checked = group.create_task(examination.answer("checker", key, topic=f"{topic}/9 key check by the source"))
    return opened.result(), checked.result()


async def _paraphrased(examination: ConceptExamination, number: int, question: MultipleChoice, which: int) -> record.Phrasing:
    """One paraphrase with its answer, and whether it means the same."""
    concept, topic = examination.concept, record.question_topic(examination.concept, number)
    prompt = prompts.paraphrase_prompt(concept, number, question, which, examination.config.prompts)
    reply = await examination.ask_role("paraphraser", prompt, topic=f"{topic}/2 paraphrase {which:02d}")
    if reply is None:
        return record.Phrasing(None, None, problem=OUT_OF_BUDGET)
    reworded: ParsedReply[str] = read(prompt, reply)
    if reworded.value is None:
        return record.Phrasing(None, None, problem=reworded.problem)
    stem = reworded.value
    check = prompts.meaning_prompt(
        concept, number, question, paraphrase=stem, which=which, temperature=examination.config.temperature
    )
    async with asyncio.TaskGroup() as group:
        answer = group.create_task(_answered(examination, number, question, stem, which=which))
        meaning = group.create_task(examination.verdict(check, topic=f"{topic}/7 meaning of paraphrase {which:02d}"))
    return record.Phrasing(stem, answer.result(), *meaning.result())


def _distinct(phrasings: list[record.Phrasing]) -> list[record.Phrasing]:
    """Replace repeats of earlier paraphrases, which would count one wording twice."""
    first: dict[str, int] = {}
    distinct = []
    for which, phrasing in enumerate(phrasings, 1):
        twin = which if phrasing.stem is None else first.setdefault(folded(phrasing.stem), which)
        distinct.append(phrasing if twin == which else record.Phrasing(None, None, problem="repeats another paraphrase"))
    return distinct


async def _visited(examination: ConceptExamination, number: int, question: MultipleChoice, name: str) -> None:
    """Record a visitor's closed-book answer to the original, if its budget allows one."""
    prompt = _closed_book(examination, number, question.stem, question.options, 0)
    topic = f"{record.question_topic(examination.concept, number)}/8 visitor {record.level(name)}"
    reply = await examination.ask(f"visitor {name}", prompt, topic)
    if reply is not None:
        examination.visits.setdefault(name, {})[number] = parsed_answer(read(prompt, reply))


def parse_outcome(reading: ParsedReply[Any]) -> record.ParseOutcome:
    """How a reply was parsed."""
    return _PARSE_OUTCOMES.get(reading.outcome) or ("strict" if reading.strict else "lenient")


def parsed_answer(reading: ParsedReply[Choice]) -> record.ParsedAnswer:
    """The answer of a parsed reply."""
    return record.ParsedAnswer(reading.value, parse_outcome(reading), reading.problem, reading.after_turn)
