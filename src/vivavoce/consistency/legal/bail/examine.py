"""The examination: make the records, ask for every decision, count the contradictions."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass

import numpy as np

from vivavoce.consistency.legal.bail.config import BailConfig
from vivavoce.consistency.legal.bail.counterfactuals import Case, case_of, charges_of
from vivavoce.consistency.legal.bail.decisions import Judgement, Question, judgement, vote_of
from vivavoce.consistency.legal.bail.defendants import Defendant, Record, drawn
from vivavoce.consistency.legal.bail.finding import BailConsistency, Reach
from vivavoce.consistency.legal.bail.hearing import Hearing
from vivavoce.consistency.legal.bail.prompts import bail_prompt
from vivavoce.consistency.legal.bail.score import count_hearings
from vivavoce.interview.candidate import NoAnswer, Prompt, Reply
from vivavoce.interview.finding import Signature
from vivavoce.interview.interview import Interview
from vivavoce.interview.reading import read
from vivavoce.version import __version__


@dataclass(frozen=True, slots=True)
class Dataset:
    """Whose bail is to be decided."""

    defendants: Sequence[Defendant]
    """All of the file: charges are drawn from all, whatever the number that is examined."""
    title: str = ""
    """Where they come from, in words."""
    digest: str = ""
    """SHA-256 in hex of the file; empty where there is none."""


def cases_of(dataset: Dataset, config: BailConfig) -> list[Case]:
    """The defendants that are examined, with their changed records, in the order in which they are asked."""
    charges = charges_of(dataset.defendants)
    chosen = drawn(dataset.defendants, config.limit, seed=config.seed)
    return [case_of(defendant, charges, config, seed=config.seed) for defendant in chosen]


def questions_in(cases: Sequence[Case], config: BailConfig) -> int:
    """How many questions the examination asks."""
    records = sum(1 + len(case.counterfactuals) for case in cases) + min(config.control, len(cases))
    return records * config.repeats * len(_questions(config))


async def judge_bail(interview: Interview[Prompt, Reply], dataset: Dataset, config: BailConfig) -> BailConsistency:
    """Would a defendant fare better with a worse record, or worse with a milder one?

    Every record is judged in a conversation of its own. The law: a more severe record of the same person must not get a more
    lenient decision, in the order NO < UNDECIDED < YES (section 7 of `fluri2024`). Where it is also asked who will commit
    another crime, all of a defendant's records are put once more with that question; the order is the reverse there.

    Where the budget runs out, the defendants that were heard to the end count; one that was heard in part is left out.

    Raises what the interview raises; what was answered before is on record, and the same call goes on from there.
    """
    cases = cases_of(dataset, config)
    asked = _questions(config)
    hearings: list[Hearing] = []
    predictions: list[Hearing] = []
    async with aclosing(interview.ask_in_order(_prompts(cases, config), topic="consistency/bail", all_wanted=True)) as answers:
        for number, case in enumerate(cases):
            heard = [
                hearing
                for question in asked
                if (hearing := await _hear(case, answers, config.repeats, question, control=number < config.control))
                is not None
            ]
            if len(heard) < len(asked):
                break
            hearings.append(heard[0])
            predictions.extend(heard[1:])
    name = interview.candidate.name
    return BailConsistency(
        candidate=name,
        source=dataset.title,
        counts=count_hearings(hearings),
        reach=Reach(len(dataset.defendants), len(cases), len(hearings), interview.exhausted),
        config=config,
        pairs=tuple(pair for hearing in hearings for pair in hearing.pairs),
        spending=interview.spending,
        signature=Signature(
            version=__version__,
            examination="consistency/bail",
            candidate=name,
            scope=dataset.title,
            scope_digest=dataset.digest,
            seed=config.seed,
            settings={**_settings(config), **interview.settings},
        ),
        asked_so=interview.caveats,
        recidivism=count_hearings(predictions) if config.recidivism else None,
        predictions=tuple(pair for hearing in predictions for pair in hearing.pairs),
    )


def _questions(config: BailConfig) -> tuple[Question, ...]:
    """What is asked of every record."""
    return tuple(Question) if config.recidivism else (Question.BAIL,)


def _settings(config: BailConfig) -> dict[str, object]:
    """What the finding hangs on, besides how the candidate is asked."""
    return {
        "limit": config.limit,
        "temperature": config.temperature,
        "repeats": config.repeats,
        "control": config.control,
        "each_way": config.variants,
        "largest_step": config.largest_step,
        "keep_charge": config.keep_charge,
        "numpy": np.__version__,
        "recidivism": config.recidivism,
        "prompts": config.prompts,
    }


def _prompts(cases: Sequence[Case], config: BailConfig) -> Iterator[Prompt]:
    """Every defendant's questions: on the record as it is, on each changed one, and for the control on the first once more."""
    for number, case in enumerate(cases):
        for question in _questions(config):
            for prompt in _of_case(case, config, question, control=number < config.control):
                yield from [prompt] * config.repeats


def _of_case(case: Case, config: BailConfig, question: Question, *, control: bool) -> Iterator[Prompt]:
    beginning = case.defendant.id if question is Question.BAIL else f"{case.defendant.id}/{question.value}"

    def prompt(record: Record, which: str) -> Prompt:
        name = f"{beginning}/{which}"
        return bail_prompt(record, name=name, temperature=config.temperature, question=question, wording=config.prompts)

    yield prompt(case.defendant.record, "as it is")
    for number, other in enumerate(case.counterfactuals):
        yield prompt(other.record, f"{other.direction.value} {number}")
    if control:
        yield prompt(case.defendant.record, "as it is")


async def _hear(
    case: Case, answers: AsyncIterator[tuple[Prompt, Reply | NoAnswer]], repeats: int, question: Question, *, control: bool
) -> Hearing | None:
    """The judgements on one defendant; None where the answers end before the last of them."""
    judged: list[Judgement] = []
    for _ in range(1 + len(case.counterfactuals) + control):
        readings = []
        for _ in range(repeats):
            told = await anext(answers, None)
            if told is None:
                return None
            readings.append(read(*told))
        after_turn = sum(reading.after_turn for reading in readings)
        judged.append(judgement(map(vote_of, readings), after_turn=after_turn))
    again = judged.pop() if control else None
    return Hearing(case, judged[0], tuple(judged[1:]), again, question)
