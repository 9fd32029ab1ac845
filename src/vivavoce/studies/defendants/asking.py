"""Ask for decisions on the records of each defendant, and on one record again as the control."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path

from vivavoce.formats.lines import file_digest
from vivavoce.interview.candidate import NoAnswer, Prompt, Reply
from vivavoce.interview.interview import Interview
from vivavoce.interview.reading import outcome_of, read
from vivavoce.studies.config import BailConfig
from vivavoce.studies.defendants.counterfactuals import DefendantCase, case_of, charges_of
from vivavoce.studies.defendants.decisions import DefendantQuestion, Judgement, judgement, vote_of
from vivavoce.studies.defendants.hearing import Hearing
from vivavoce.studies.defendants.prompts import bail_prompt
from vivavoce.studies.defendants.records import Defendant, DefendantRecord, drawn, read_defendants
from vivavoce.studies.study import NO_SOURCE, Source

Answers = AsyncIterator[tuple[Prompt, Reply | NoAnswer]]


@dataclass(frozen=True, slots=True)
class Dataset:
    """The defendants of a file."""

    defendants: Sequence[Defendant]
    """All defendants of the file: charges are drawn from all, however many are examined."""
    source: Source = NO_SOURCE


def open_dataset(file: Path) -> Dataset:
    """Load the defendants of a CSV file. Raises `BadFile` if it can't be read."""
    return Dataset(read_defendants(file), Source(file.name, file_digest(file)))


def cases_of(dataset: Dataset, config: BailConfig) -> list[DefendantCase]:
    """The defendants to examine, with their changed records, in the order in which they are asked."""
    charges = charges_of(dataset.defendants)
    chosen = drawn(dataset.defendants, config.limit, seed=config.seed)
    return [case_of(defendant, charges, config, seed=config.seed) for defendant in chosen]


def questions_in(cases: Sequence[DefendantCase], config: BailConfig) -> int:
    """Number of questions that the examination asks."""
    records = sum(1 + len(case.counterfactuals) for case in cases) + min(config.control, len(cases))
    return records * config.repeats * len(questions_of(config))


def questions_of(config: BailConfig) -> tuple[DefendantQuestion, ...]:
    """The questions about each record."""
    return tuple(DefendantQuestion) if config.recidivism else (DefendantQuestion.BAIL,)


async def hear(
    interview: Interview[Prompt, Reply], cases: Sequence[DefendantCase], config: BailConfig, replies: Counter[str], topic: str
) -> list[tuple[Hearing, ...]]:
    """The hearings of each defendant, one for each question; fewer defendants if the budget runs out.

    Each record is judged in its own conversation.

    replies: counts the outcome of each reply.
    """
    hearings: list[tuple[Hearing, ...]] = []
    async with aclosing(interview.ask_in_order(_prompts(cases, config), topic=topic, all_wanted=True)) as answers:
        for number, case in enumerate(cases):
            of_defendant = [
                hearing
                for question in questions_of(config)
                if (hearing := await _hearing(case, answers, config, question, replies, number < config.control)) is not None
            ]
            if len(of_defendant) < len(questions_of(config)):
                break
            hearings.append(tuple(of_defendant))
    return hearings


def _prompts(cases: Sequence[DefendantCase], config: BailConfig) -> Iterator[Prompt]:
    """The prompts of each defendant: the record as it is, each changed record, and as the control the first one again."""
    for number, case in enumerate(cases):
        for question in questions_of(config):
            for prompt in _prompts_of(case, config, question, control=number < config.control):
                yield from [prompt] * config.repeats


def _prompts_of(case: DefendantCase, config: BailConfig, question: DefendantQuestion, *, control: bool) -> Iterator[Prompt]:
    beginning = case.defendant.id if question is DefendantQuestion.BAIL else f"{case.defendant.id}/{question.value}"

    def prompt(record: DefendantRecord, version: str) -> Prompt:
        name = f"{beginning}/{version}"
        return bail_prompt(record, name=name, temperature=config.temperature, question=question, wording=config.prompts)

    yield prompt(case.defendant.record, "as it is")
    for number, other in enumerate(case.counterfactuals):
        yield prompt(other.record, f"{other.direction.value} {number}")
    if control:
        yield prompt(case.defendant.record, "as it is")


async def _hearing(
    case: DefendantCase, answers: Answers, config: BailConfig, question: DefendantQuestion, replies: Counter[str], control: bool
) -> Hearing | None:
    """The judgements on one defendant; None if the answers end before the last of them."""
    judged: list[Judgement] = []
    for _ in range(1 + len(case.counterfactuals) + control):
        readings = []
        for _ in range(config.repeats):
            answer = await anext(answers, None)
            if answer is None:
                return None
            readings.append(read(*answer))
        replies.update(map(outcome_of, readings))
        judged.append(judgement(map(vote_of, readings)))
    again = judged.pop() if control else None
    return Hearing(case, judged[0], tuple(judged[1:]), again, question)
