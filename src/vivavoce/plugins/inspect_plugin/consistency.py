"""Consistency of forecasts as an Inspect task: a sample is a tuple of questions under a law."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessageAssistant, ModelOutput, get_model
from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, Value, metric, scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver
from pydantic import TypeAdapter

from vivavoce.errors import BadFile, NotEnoughEvidence
from vivavoce.formats.interval import Estimate
from vivavoce.formats.wording import clipped
from vivavoce.plugins.inspect_plugin.conclusion import Conclusion, back_to_inspect, collect, interview_of, numbers
from vivavoce.studies.config import ForecastsConfig
from vivavoce.studies.forecasting.asking import ask_forecasts, planned_by
from vivavoce.studies.forecasting.counting import STRONG, ForecastFinding
from vivavoce.studies.forecasting.forecast_files import Row
from vivavoce.studies.forecasting.planning import shown_numbers
from vivavoce.studies.forecasting.scoring import ScoredTuple, law_name, score_each
from vivavoce.studies.forecasting.tuples import QuestionTuple, read_tuples, tuple_as_json
from vivavoce.studies.forecasts import finding_of
from vivavoce.studies.study import Source

ROWS: Final = "vivavoce rows"
"""Key in the sample's store and the score's metadata for the forecasts: those of the tuple, then of its control."""
SHOWN: Final = "vivavoce shown"
"""Key for the number of replies that copy a line of the prompt, and of all replies."""
LONGEST_LAW: Final = 60
"""Characters of a law in the name of a metric; a user's own law may be long."""

SNOW = "Will it snow in Oslo on 24 December 2031?"
FROST = "Will the temperature in Oslo stay below 0 °C all day on 24 December 2031?"
TRY: Final = (
    QuestionTuple("neg", {"P": SNOW, "not_P": "Will 24 December 2031 pass without snowfall in Oslo?"}, "try-1"),
    QuestionTuple("paraphrase", {"P": SNOW, "para_P": "Is snowfall in Oslo to come on Christmas Eve of 2031?"}, "try-2"),
    QuestionTuple(
        "and",
        {"P": SNOW, "Q": FROST, "P_and_Q": "Will it snow in Oslo on 24 December 2031, and stay below 0 °C there all day?"},
        "try-3",
    ),
)
"""Enough to try the task, and too few for results: give a file with `-T tuples=FILE`."""

_ROWS: TypeAdapter[list[Row]] = TypeAdapter(list[Row])


class ModelForecasts:
    """The forecasts of one model, tuple by tuple."""

    ended = ""
    """Tuples are independent, so all are asked."""

    def __init__(self, source: str = "", digest: str = "", config: ForecastsConfig = ForecastsConfig()) -> None:  # noqa: B008 -- frozen
        self._source, self._digest, self._config = source, digest, config
        self._rows: dict[int, list[Row]] = {}
        self._shown: dict[int, tuple[int, int]] = {}

    def take(self, number: int, score: Score) -> None:
        """Take the forecasts of a finished sample."""
        if score.metadata is not None and ROWS in score.metadata:
            self._rows[number] = _ROWS.validate_python(score.metadata[ROWS])
            shown, answered = score.metadata.get(SHOWN, (0, 0))
            self._shown[number] = int(shown), int(answered)

    def finding(self) -> ForecastFinding:
        """The finding on all tuples, in drawn order."""
        rows = [row for _, of_sample in sorted(self._rows.items()) for row in of_sample]
        shown, answered = (sum(of_sample[index] for of_sample in self._shown.values()) for index in (0, 1))
        asked_so = shown_numbers(self._config, shown, answered)
        source = Source(self._source, self._digest)
        return finding_of(score_each(rows), source=source, seed=self._config.seed, asked_so=asked_so)


def samples(file: str | None, config: ForecastsConfig) -> list[Sample]:
    """The accepted tuples in an order that the seed draws; the first few are followed by a control. Raises `BadInput`."""
    tuples = (
        TRY
        if file is None
        else [question_tuple for question_tuple in read_tuples(Path(file)) if question_tuple.status == "accepted"]
    )
    if not tuples:
        raise BadFile(str(file), "has no accepted tuples")
    result: list[Sample] = []
    for planned in planned_by(config, tuples):
        if planned.place >= len(tuples):
            assert result[-1].metadata is not None
            result[-1].metadata["control"] = True
            continue
        text = "\n".join(f"{key}: {question}" for key, question in planned.asked.questions.items())
        metadata = {"tuple": tuple_as_json(planned.asked), "control": False}
        result.append(Sample(id=len(result) + 1, input=f"{law_name(planned.asked.law)}\n\n{text}", metadata=metadata))
    return result


def conclusion(file: str | None, config: ForecastsConfig) -> Conclusion:
    """Puts the finding on all tuples into the log."""
    source, digest = "tuples to try with", ""
    if file is not None:
        source, digest = Path(file).name, hashlib.sha256(Path(file).read_bytes()).hexdigest()
    return Conclusion(lawful.__name__, lambda *_: ModelForecasts(source, digest, config))


@solver
def forecast(set_up: dict[str, Any]) -> Solver:
    """Asks for the forecasts of one tuple, and of its control if it has one."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        own = ForecastsConfig(**(set_up | {"control": int(state.metadata["control"]), "limit": None}))
        model = get_model()
        with back_to_inspect():
            asked = await ask_forecasts(interview_of(model), [_tuple(state.metadata["tuple"])], own)
        state.store.set(ROWS, _ROWS.dump_python(list(asked.rows), mode="json"))
        state.store.set(SHOWN, [asked.shown, sum(asked.outcomes.values())])
        text = "\n".join(f"{key}: {value}" for key, value in asked.rows[0].forecasts.items())
        state.messages.append(ChatMessageAssistant(content=text))
        state.output = ModelOutput.from_content(str(model), text)
        return state

    return solve


@scorer(metrics=[])
def lawful() -> Scorer:
    """How much the forecasts of a tuple violate their law."""

    async def grade(state: TaskState, target: Target) -> Score:
        words = state.store.get(ROWS)
        if words is None:
            return Score(value=float("nan"), explanation="the sample ended before all questions were asked")
        scored_tuple = score_each(_ROWS.validate_python(words))[0]
        return Score(
            value=_value(scored_tuple), answer=state.output.completion, metadata={ROWS: words, SHOWN: state.store.get(SHOWN)}
        )

    return grade


@metric
def lawfulness() -> Metric:
    """The mean of the metric and the share of strong violations by law, with intervals that allow for shared questions."""

    def reckon(scores: list[SampleScore]) -> Value:
        forecasts = ModelForecasts()
        collect(forecasts, scores)
        try:
            finding = forecasts.finding()
        except NotEnoughEvidence:
            return {}
        result: dict[str, float] = {}
        for effect in (*finding.effects, *finding.control):
            law, rate = clipped(effect.label, LONGEST_LAW), effect.rates[STRONG]
            result |= {f"{law}: tuples": rate.n, f"{law}: unreadable": sum(effect.left_out.values())}
            strong = Estimate(rate.least, rate.interval, rate.n)
            result |= numbers({f"{law}: metric": effect.estimates["mean"], f"{law}: strong": strong})
        return result

    return reckon


def _value(scored_tuple: ScoredTuple) -> dict[str, float]:
    """The numbers of a tuple; unknown ones are NaN, which Inspect leaves out."""
    values = {"metric": scored_tuple.metric, "strong": scored_tuple.strong, "violation": scored_tuple.violation}
    return {name: float("nan") if value is None else float(value) for name, value in values.items()}


def _tuple(values: Mapping[str, Any]) -> QuestionTuple:
    return QuestionTuple(values["law"], values["questions"], values["id"], tuple(values["base"]))
