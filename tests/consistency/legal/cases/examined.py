"""The examination of made cases by judges and writers of the server, or in Python."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tests.consistency.legal.cases.attention_pooling import AttentionPooling
from tests.consistency.legal.cases.made_cases import made_cases
from vivavoce.candidates import close_candidate, open_candidate
from vivavoce.candidates.classifiers import FunctionClassifier
from vivavoce.consistency.legal.cases.config import CasesConfig
from vivavoce.consistency.legal.cases.examine import Bench, examine_cases
from vivavoce.consistency.legal.cases.finding import CaseConsistency
from vivavoce.consistency.legal.cases.judges import ClassifierJudge, ModelJudge
from vivavoce.consistency.legal.cases.paraphrasing import Writer
from vivavoce.consistency.legal.cases.trials import Box, LegalCase
from vivavoce.interview.candidate import Reply
from vivavoce.interview.classifier import Judgement
from vivavoce.interview.interview import Interview
from vivavoce.interview.transcript import Transcript

CASES, PLANTED = made_cases(60, seed=2)
LONG = 85
"""All made facts are longer."""


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
) -> CaseConsistency:
    """The finding; judge, writer and checker are models of the server, or the judge a function."""
    candidates = [open_candidate(f"chat:{name}{server}") for name in (writer, checker) if name]
    texts = [Interview(one, answers=Reply, transcript=transcript) for one in candidates]
    if isinstance(judge, str):
        candidates.append(open_candidate(f"chat:{judge}{server}"))
        by: ModelJudge | ClassifierJudge = ModelJudge(Interview(candidates[-1], answers=Reply, transcript=transcript))
    else:
        told = (judge.probability, judge.importance) if isinstance(judge, AttentionPooling) else (judge,)
        classifier = FunctionClassifier("function:test", *told)
        by = ClassifierJudge(Interview(classifier, answers=Judgement, transcript=transcript))
    try:
        return await examine_cases(Bench(by, Writer(*texts), source="made cases", **bench), cases, config)
    finally:
        for candidate in candidates:
            await close_candidate(candidate)


def chosen(finding: CaseConsistency, box: Box) -> dict[str, int]:
    """The fact that was paraphrased, by case."""
    return {trial.case: trial.number for trial in finding.trials if trial.box is box}
