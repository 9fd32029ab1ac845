"""The examination: ask every question several times, take medians, hand back a row for each tuple."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import aclosing

from vivavoce.consistency.forecasts.asked import Asked, CostEstimate, Told, forecaster_of, row_of, shown_numbers, total_of
from vivavoce.consistency.forecasts.config import ForecastsConfig
from vivavoce.consistency.forecasts.plan import Planned, Series, all_series, plan
from vivavoce.consistency.forecasts.printed import says_a_shown_line
from vivavoce.consistency.forecasts.prompts import Instructions, forecast_prompt
from vivavoce.consistency.forecasts.rows import Row
from vivavoce.consistency.forecasts.together import TOPIC, cross_examine, turns_in
from vivavoce.consistency.forecasts.tuples import QuestionTuple
from vivavoce.interview.candidate import NoAnswer, Prompt, Reply
from vivavoce.interview.interview import Interview
from vivavoce.interview.reading import read


def planned_by(config: ForecastsConfig, tuples: Sequence[QuestionTuple]) -> list[Planned]:
    """What of these tuples is asked, in order; a conversation has no control, as it would see its own reply."""
    return plan(tuples, limit=config.limit, control=0 if config.together else config.control, seed=config.seed)


def cost_estimate(tuples: Sequence[QuestionTuple], config: ForecastsConfig) -> CostEstimate:
    """What `ask_forecasts` will ask.

    >>> cost_estimate([QuestionTuple("neg", {"P": "Will it rain?", "not_P": "Will it stay dry?"})], ForecastsConfig(control=1))
    CostEstimate(tuples=1, questions=2, controls=1, replies=15)
    """
    planned = planned_by(config, tuples)
    order = all_series(planned)
    questions = {(series.question, series.kind) for series in order}
    controls = sum(one.place >= len(tuples) for one in planned)
    replies = turns_in(planned) if config.together else len(order)
    return CostEstimate(len(planned) - controls, len(questions), controls, replies * config.times)


async def ask_forecasts(
    interview: Interview[Prompt, Reply],
    tuples: Sequence[QuestionTuple],
    config: ForecastsConfig,
    instructions: Instructions | None = None,
    *,
    topic: str = TOPIC,
) -> Asked:
    """What does this candidate forecast?

    Each question is asked `config.times` times in fresh conversations, and its forecast is the median of those replies that can
    be read; None where none can. A question that stands in several tuples is asked once for all of them. With
    `config.together` the questions of a tuple stand in one conversation instead (`together.cross_examine`).

    The draws of a question are numbered by their place among its repeats, those of controls after all others: a run with
    more repeats over the same transcript asks only those that are new.

    instructions: the user's own, in place of ours.
    topic: where it stands in the transcript.

    Raises what the interview raises; what was answered before is on record, and the same call goes on from there.
    """
    planned = planned_by(config, tuples)
    if config.together:
        return await cross_examine(interview, planned, config, instructions, topic=topic)
    order = all_series(planned)
    told: dict[Series, Told] = {}
    answered, absence, shown = 0, "", 0
    prompts = _prompts(order, config, instructions)
    async with aclosing(interview.ask_in_order(prompts, topic=topic, all_wanted=True)) as answers:
        async for prompt, answer in answers:
            series = order[answered // config.times]
            told.setdefault(series, Told()).add(read(prompt, answer))
            shown += config.prompts == "printed" and isinstance(answer, Reply) and says_a_shown_line(answer.text)
            answered += 1
            absence = absence or (answer.reason if isinstance(answer, NoAnswer) else "")
    complete = set(order[: answered // config.times])
    forecaster = forecaster_of(interview.candidate.name, config, instructions)
    counted: set[Series] = set()
    rows: dict[int, Row] = {}
    for one in planned:
        if complete.issuperset(one.series.values()):
            own = [told[series] for series in dict.fromkeys(one.series.values()) if series not in counted]
            rows[one.place] = row_of(one, told, forecaster, total_of(own))
            counted.update(one.series.values())
    in_order = tuple(rows[place] for place in sorted(rows))
    return Asked(
        rows=in_order,
        planned=len(planned),
        outcomes=total_of(told.values()),
        exhausted=interview.exhausted,
        absence=absence,
        settings=interview.settings,
        asked_so=(*interview.caveats, *shown_numbers(config, shown, answered)),
        shown=shown,
    )


def _prompts(order: Sequence[Series], config: ForecastsConfig, instructions: Instructions | None) -> Iterator[Prompt]:
    for series in order:
        prompt = forecast_prompt(
            series.question,
            series.kind,
            variant=config.variant,
            temperature=config.temperature,
            wording=config.prompts,
            instructions=instructions,
        )
        for _ in range(config.times):
            yield prompt
