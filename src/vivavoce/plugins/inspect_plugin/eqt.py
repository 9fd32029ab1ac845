"""Explain, query, test: each sample is a concept and runs its whole examination."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

import numpy as np
from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessageAssistant, ModelOutput, get_model
from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, Value, metric, scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver

from vivavoce.candidates.text import as_unicode
from vivavoce.eqt.concepts import chosen_concepts
from vivavoce.eqt.eqt_finding import EqtFinding, finding_of
from vivavoce.eqt.examine import explain_query_test
from vivavoce.eqt.record import ROLES, Concept, EqtConfig, EqtRecord
from vivavoce.eqt.record_file import record_as_json, record_from_json
from vivavoce.eqt.result import Figures
from vivavoce.eqt.score import score
from vivavoce.errors import NotEnoughEvidence
from vivavoce.formats.interval import Estimate
from vivavoce.plugins.inspect_plugin.conclusion import Conclusion, back_to_inspect, collect, interview_of, numbers

RECORD = "vivavoce record"
"""Key in the sample's store and the score's metadata for all explanations, questions and answers."""


class EqtExamination:
    """The records of one model, concept by concept."""

    ended = ""
    """Concepts are independent, so all are examined."""

    def __init__(self, planned: Sequence[Sample] = ()) -> None:
        self._concepts = sorted("{category}/{name}".format(**(sample.metadata or {})["concept"]) for sample in planned)
        self._records: dict[int, EqtRecord] = {}

    def take(self, number: int, score: Score) -> None:
        """Take the record of a finished sample."""
        if score.metadata is not None and RECORD in score.metadata:
            self._records[number] = record_from_json(score.metadata[RECORD])

    def finding(self) -> EqtFinding:
        """The finding on all finished concepts, in drawn order."""
        records = [record for _, record in sorted(self._records.items())]
        if not records:
            raise NotEnoughEvidence("no concept was completed: raise the limits of the samples")
        whole = replace(
            records[0],
            concept_records=tuple(concept_record for record in records for concept_record in record.concept_records),
            planned=len(self._concepts) or len(records),
            calls=sum(record.calls for record in records),
            tokens_in=sum(record.tokens_in for record in records),
            tokens_out=sum(record.tokens_out for record in records),
            money=sum(record.money for record in records),
        )
        number = len(self._concepts)
        digest = hashlib.sha256("\n".join(self._concepts).encode()).hexdigest()
        return finding_of([score(whole, source=f"{number} concept{'s' * (number != 1)}", digest=digest)])


def samples(names: Sequence[str], seed: int) -> list[Sample]:
    """The concepts in an order that the seed draws, so the first N are a random sample. Raises `BadInput`."""
    concepts = chosen_concepts(names)
    return [
        Sample(id=number, input=concepts[index].name, metadata={"concept": asdict(concepts[index])})
        for number, index in enumerate(np.random.default_rng(seed).permutation(len(concepts)), 1)
    ]


def conclusion() -> Conclusion:
    """Puts the finding on all concepts into the log."""
    return Conclusion(comprehended.__name__, lambda _, planned: EqtExamination(planned))


@solver
def explain_and_answer(config: dict[str, Any]) -> Solver:
    """Runs the examination on one concept; an Inspect model role (`--model-role checker=...`) may replace the model."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        models = {role: get_model(role=role) for role in ROLES}
        interviews = {str(model): interview_of(model) for model in models.values()}
        cast = {role: interviews[str(model)] for role, model in models.items()}
        with back_to_inspect():
            record = await explain_query_test(cast, [Concept(**state.metadata["concept"])], EqtConfig(**config))
        state.store.set(RECORD, record_as_json(record))
        [concept_record] = record.concept_records
        parsed_explanation = as_unicode(concept_record.explanation or "")
        state.messages.append(ChatMessageAssistant(content=parsed_explanation))
        state.output = ModelOutput.from_content(str(models["explainer"]), parsed_explanation)
        return state

    return solve


@scorer(metrics=[])
def comprehended() -> Scorer:
    """The result for one concept; nothing if a limit of Inspect ended the sample early."""

    async def grade(state: TaskState, target: Target) -> Score:
        words = state.store.get(RECORD)
        if words is None:
            return Score(value=float("nan"), explanation="the sample ended before the examination did")
        result = score(record_from_json(words))
        value = {
            name: estimate.value if estimate.value is not None else float("nan")
            for name, estimate in _shown(result.whole).items()
        }
        return Score(value=value, explanation=finding_of([result]).statement, metadata={RECORD: words})

    return grade


@metric
def comprehension() -> Metric:
    """The figures over all concepts, with intervals that are clustered by concept."""

    def reckon(scores: list[SampleScore]) -> Value:
        sat = EqtExamination()
        collect(sat, scores)
        try:
            whole = sat.finding().results[0].whole
        except NotEnoughEvidence:
            return {}
        return {"questions": whole.questions} | numbers(_shown(whole))

    return reckon


def _shown(figures: Figures) -> dict[str, Estimate]:
    """The figures reported as scores and metrics."""
    names = ("closed", "open_book", "gap", "partial", "acs", "acs_rescaled", "unreadable")
    return {name: getattr(figures, name) for name in names}
