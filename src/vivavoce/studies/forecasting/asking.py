"""Ask for forecasts: each question in fresh conversations, or all questions of a tuple in one conversation."""

from __future__ import annotations

import asyncio
import hashlib
from collections import deque
from collections.abc import AsyncGenerator, Iterable, Iterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from itertools import islice
from typing import Final

import numpy as np

from vivavoce.errors import BadInput, BudgetExhausted
from vivavoce.interview.candidate import Exchange, NoAnswer, Prompt, Recording, Reply
from vivavoce.interview.forms.form import ParsedReply
from vivavoce.interview.interview import Interview
from vivavoce.interview.reading import read
from vivavoce.interview.requests import holds_conversation
from vivavoce.studies.config import ForecastsConfig
from vivavoce.studies.forecasting import planning
from vivavoce.studies.forecasting.forecast_files import QuestionTuple, Row
from vivavoce.studies.forecasting.prompts import Instructions, forecast_prompt, says_a_shown_line

TOPIC: Final = "consistency/forecasts"
_DIGITS: Final = 12
"""Digits of a tuple's digest in the topic of its conversations."""


def planned_by(config: ForecastsConfig, tuples: Sequence[QuestionTuple]) -> list[planning.PlannedTuple]:
    """Plan the questions of these tuples, in order. Conversations have no control: a repeated question would see its reply."""
    return planning.plan(tuples, limit=config.limit, control=0 if config.together else config.control, seed=config.seed)


def cost_estimate(tuples: Sequence[QuestionTuple], config: ForecastsConfig) -> planning.ForecastCost:
    """Count what `ask_forecasts` will ask.

    >>> cost_estimate([QuestionTuple("neg", {"P": "Will it rain?", "not_P": "Will it stay dry?"})], ForecastsConfig(control=1))
    ForecastCost(tuples=1, questions=2, controls=1, replies=15)
    """
    planned = planned_by(config, tuples)
    order = planning.all_series(planned)
    questions = {(series.question, series.kind) for series in order}
    controls = sum(planned_tuple.place >= len(tuples) for planned_tuple in planned)
    turns = sum(len(set(planned_tuple.series.values())) for planned_tuple in planned)
    replies = turns if config.together else len(order)
    return planning.ForecastCost(len(planned) - controls, len(questions), controls, replies * config.times)


async def ask_forecasts(
    interview: Interview[Prompt, Reply],
    tuples: Sequence[QuestionTuple],
    config: ForecastsConfig,
    instructions: Instructions | None = None,
    *,
    topic: str = TOPIC,
) -> planning.AskedForecasts:
    """Ask the candidate for its forecasts.

    Each question is asked `config.times` times in fresh conversations. Its forecast is the median of the parsed replies; None
    if there are none. A question that several tuples share is asked once for all of them. With `config.together` the questions
    of a tuple are asked in one conversation instead (`together.cross_examine`).

    The draws of a question are numbered by their place among its repeats, those of controls after all others. So a run with
    more repeats over the same transcript asks only the new ones.

    instructions: the user's own; None: ours.
    topic: in the transcript.

    Passes on the interview's errors; the same call then resumes from the recorded answers.
    """
    planned = planned_by(config, tuples)
    if config.together:
        return await cross_examine(interview, planned, config, instructions, topic=topic)
    order = planning.all_series(planned)
    replies_of: dict[planning.Series, planning.SeriesReplies] = {}
    answered, absence, shown = 0, "", 0
    each = (_prompt(series, config, instructions) for series in order)
    prompts = (prompt for prompt in each for _ in range(config.times))
    async with aclosing(interview.ask_in_order(prompts, topic=topic, all_wanted=True)) as answers:
        async for prompt, answer in answers:
            series = order[answered // config.times]
            replies_of.setdefault(series, planning.SeriesReplies()).add(read(prompt, answer))
            shown += config.prompts == "printed" and isinstance(answer, Reply) and says_a_shown_line(answer.text)
            answered += 1
            absence = absence or (answer.reason if isinstance(answer, NoAnswer) else "")
    complete = set(order[: answered // config.times])
    forecaster = planning.forecaster_of(interview.candidate.name, config, instructions)
    counted: set[planning.Series] = set()
    rows: dict[int, Row] = {}
    for planned_tuple in planned:
        if complete.issuperset(planned_tuple.series.values()):
            own = [replies_of[series] for series in dict.fromkeys(planned_tuple.series.values()) if series not in counted]
            rows[planned_tuple.place] = planning.row_of(planned_tuple, replies_of, forecaster, planning.total_of(own))
            counted.update(planned_tuple.series.values())
    in_order = tuple(rows[row] for row in sorted(rows))
    return planning.AskedForecasts(
        rows=in_order,
        planned=len(planned),
        outcomes=planning.total_of(replies_of.values()),
        exhausted=interview.exhausted,
        absence=absence,
        settings=interview.settings,
        asked_so=(*interview.caveats, *planning.shown_numbers(config, shown, answered)),
        shown=shown,
    )


def _prompt(series: planning.Series, config: ForecastsConfig, instructions: Instructions | None) -> Prompt:
    return forecast_prompt(
        series.question,
        series.kind,
        variant=config.variant,
        temperature=config.temperature,
        wording=config.prompts,
        instructions=instructions,
    )


@dataclass(frozen=True, slots=True)
class TupleConversation:
    """The questions of one tuple, asked one after the other in one conversation."""

    planned: planning.PlannedTuple
    draw: int
    """Number of this conversation among those on the same tuple."""
    order: tuple[planning.Series, ...]
    topic: str


@dataclass(frozen=True, slots=True)
class FinishedConversation:
    """A conversation that was completed."""

    readings: tuple[tuple[planning.Series, ParsedReply[float]], ...]
    absence: str = ""
    """Why the first missing reply is missing; empty if none is."""
    shown: int = 0
    """Number of replies that consist only of a line shown in the printed prompts."""


def conversations(
    planned: Iterable[planning.PlannedTuple], config: ForecastsConfig, topic: str = TOPIC
) -> Iterator[TupleConversation]:
    """All conversations, grouped by tuple. Each has the tuple's questions in its own order.

    The order depends only on seed, questions and number of the conversation. So a larger limit or more repeats keep the
    conversations already held.
    """
    for planned_tuple in planned:
        series = tuple(dict.fromkeys(planned_tuple.series.values()))
        digest = hashlib.sha256(
            "\n".join([planned_tuple.asked.law, *planned_tuple.asked.questions.values()]).encode("utf-8", "replace")
        ).digest()
        for draw in range(config.times):
            rng = np.random.default_rng([config.seed, draw, int.from_bytes(digest[:8], "big")])
            order = tuple(series[index] for index in rng.permutation(len(series)).tolist())
            yield TupleConversation(planned_tuple, draw, order, f"{topic}/together/{digest.hex()[:_DIGITS]}/{draw + 1}")


async def cross_examine(
    interview: Interview[Prompt, Reply],
    planned: Sequence[planning.PlannedTuple],
    config: ForecastsConfig,
    instructions: Instructions | None = None,
    *,
    topic: str = TOPIC,
) -> planning.AskedForecasts:
    """Ask for forecasts when the candidate sees its own answers to the related questions before.

    The first question of a conversation is the same record as that question asked alone, in the draw with the conversation's
    number. So the two designs differ only by what the candidate has seen. A question without a reply is not shown in later
    turns; an unparsed reply is shown, together with its follow-up turn.

    If the budget runs out, the finding has the tuples before the first incomplete one, whichever was answered sooner.

    Raises `BadInput` for a recording, which can't hold conversations. Passes on the interview's errors; the same call then
    resumes mid-conversation from the recorded answers.
    """
    if isinstance(interview.candidate, Recording):
        raise BadInput(f"{interview.candidate.name} is a recording: it has answers to questions, but no conversations")
    replies_of: dict[tuple[int, planning.Series], planning.SeriesReplies] = {}
    absence, complete, shown = "", 0, 0
    every = list(conversations(planned, config, topic))
    async with aclosing(_in_order(interview, every, config, instructions)) as coming:
        async for finished in coming:
            index = every[complete].planned.place
            for series, reading in finished.readings:
                replies_of.setdefault((index, series), planning.SeriesReplies()).add(reading)
            absence = absence or finished.absence
            shown += finished.shown
            complete += 1
    forecaster = planning.forecaster_of(interview.candidate.name, config, instructions)
    rows: dict[int, Row] = {}
    for planned_tuple in planned[: complete // config.times]:
        own = {series: replies_of[planned_tuple.place, series] for series in planned_tuple.series.values()}
        rows[planned_tuple.place] = planning.row_of(planned_tuple, own, forecaster, planning.total_of(own.values()))
    outcomes = planning.total_of(replies_of.values())
    answered = sum(outcomes.values())
    blind = (
        f"Whether {interview.candidate.name} heard the replies before is not known: a function hears them only where its first "
        "parameter is annotated Prompt."
    )
    heard = () if holds_conversation(interview.candidate) else (blind,)
    return planning.AskedForecasts(
        rows=tuple(rows[row] for row in sorted(rows)),
        planned=len(planned),
        outcomes=outcomes,
        exhausted=interview.exhausted if complete < len(every) else "",
        absence=absence,
        settings={**interview.settings, "together": True},
        asked_so=(*interview.caveats, *heard, *planning.shown_numbers(config, shown, answered)),
        shown=shown,
    )


async def _in_order(
    interview: Interview[Prompt, Reply],
    every: Sequence[TupleConversation],
    config: ForecastsConfig,
    instructions: Instructions | None,
) -> AsyncGenerator[FinishedConversation, None]:
    """Run conversations concurrently and yield them in order, up to the first one that the budget cut short."""
    under_way: deque[asyncio.Task[FinishedConversation | None]] = deque()
    waiting = iter(every)
    try:
        while True:
            for conversation in islice(waiting, interview.concurrency - len(under_way)):
                under_way.append(asyncio.create_task(_held(interview, conversation, config, instructions)))
            if not under_way:
                return
            finished = await under_way[0]
            if finished is None:  # The others stop too, once their current questions, which are already paid for, are answered.
                await asyncio.gather(*under_way)
                return
            under_way.popleft()
            yield finished
    finally:
        for task in under_way:
            task.cancel()
        await asyncio.gather(*under_way, return_exceptions=True)


async def _held(
    interview: Interview[Prompt, Reply],
    conversation: TupleConversation,
    config: ForecastsConfig,
    instructions: Instructions | None,
) -> FinishedConversation | None:
    """Hold the whole conversation; None if the budget ended it."""
    exchanges: tuple[Exchange, ...] = ()
    readings: list[tuple[planning.Series, ParsedReply[float]]] = []
    absence, shown = "", 0
    for series in conversation.order:
        alone = _prompt(series, config, instructions)
        prompt = replace(alone, earlier=exchanges)
        try:
            answer = await interview.ask(prompt, draw=conversation.draw, topic=conversation.topic)
        except BudgetExhausted:
            return None
        readings.append((series, read(prompt, answer)))
        if isinstance(answer, NoAnswer):
            absence = absence or answer.reason
        else:
            shown += config.prompts == "printed" and says_a_shown_line(answer.text)
            if answer.text.strip():
                exchanges = interview.next_turn(prompt, answer, alone.text, id=alone.id).earlier
    return FinishedConversation(tuple(readings), absence, shown)
