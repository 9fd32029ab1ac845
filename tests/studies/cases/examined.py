"""The examination of made cases by judges and writers of the server, or in Python."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from tests.studies.cases.attention_pooling import AttentionPooling
from tests.studies.cases.made_cases import made_cases
from vivavoce.candidates import close_candidate, open_candidate
from vivavoce.candidates.classifiers import FunctionClassifier
from vivavoce.consistency.config import CasesConfig
from vivavoce.consistency.legal.examine_cases import Bench
from vivavoce.consistency.legal.paraphrasing import ParaphraseWriter
from vivavoce.consistency.legal.trials import ClassifierJudge, ExaminedCase, FactChoice, LegalCase, ModelJudge, Trial
from vivavoce.interview.candidate import Reply
from vivavoce.interview.candidate_kinds import CaseJudgement
from vivavoce.interview.interview import Interview
from vivavoce.interview.transcript import Transcript
from vivavoce.studies.cases import CasesFinding, judge_cases
from vivavoce.studies.effects import Effect
from vivavoce.studies.judged_cases import CaseCounts

CASES, PLANTED = made_cases(60, seed=2)
LONG = 85
"""All made facts are longer."""


@dataclass(frozen=True)
class JudgedCases:
    """A finding with all that it rests on."""

    finding: CasesFinding
    cases: list[ExaminedCase]

    @property
    def trials(self) -> list[Trial]:
        return [trial for case in self.cases for trial in case.trials]

    @property
    def counts(self) -> CaseCounts:
        return self.finding.details.counts

    def effect(self, box: FactChoice) -> Effect:
        return next(effect for effect in (*self.finding.effects, *self.finding.control) if effect.treatment.name == box)


async def found(
    judge: str | Callable[[Sequence[str]], float] | AttentionPooling,
    server: str,
    config: CasesConfig = CasesConfig(shortest=LONG),  # noqa: B008 -- frozen
    *,
    cases: Sequence[LegalCase] = CASES,
    writer: str = "substitutes",
    checker: str = "",
    transcript: Transcript | None = None,
    **bench: Any,
) -> JudgedCases:
    """The finding; judge, writer and checker are models of the server, or the judge a function."""
    candidates = [open_candidate(f"chat:{name}{server}") for name in (writer, checker) if name]
    texts = [Interview(entry, answers=Reply, transcript=transcript) for entry in candidates]
    if isinstance(judge, str):
        candidates.append(open_candidate(f"chat:{judge}{server}"))
        by: ModelJudge | ClassifierJudge = ModelJudge(Interview(candidates[-1], answers=Reply, transcript=transcript))
    else:
        pair = (judge.probability, judge.importance) if isinstance(judge, AttentionPooling) else (judge,)
        classifier = FunctionClassifier("function:test", *pair)
        by = ClassifierJudge(Interview(classifier, answers=CaseJudgement, transcript=transcript))
    try:
        examined: list[ExaminedCase] = []
        judged_by = Bench(by, ParaphraseWriter(*texts), source="made cases", on_case=examined.append, **bench)
        return JudgedCases(await judge_cases(judged_by, cases, config), examined)
    finally:
        for candidate in candidates:
            await close_candidate(candidate)


def chosen(judged: JudgedCases, box: FactChoice) -> dict[str, int]:
    """The fact that was paraphrased, by case."""
    return {trial.case: trial.fact_number for trial in judged.trials if trial.box is box}
