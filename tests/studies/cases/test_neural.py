"""The planted fact, with a BERT that was trained here."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.candidates.tiny_bert import needs_neural, train
from tests.studies.cases.made_cases import made_cases
from vivavoce.candidates import close_candidate, open_candidate
from vivavoce.candidates.classifiers import open_classifier
from vivavoce.consistency.config import CasesConfig
from vivavoce.consistency.legal.examine_cases import Bench
from vivavoce.consistency.legal.paraphrasing import ParaphraseWriter
from vivavoce.consistency.legal.trials import ClassifierJudge, ExaminedCase, FactChoice
from vivavoce.interview.candidate import Reply
from vivavoce.interview.candidate_kinds import CaseJudgement
from vivavoce.interview.interview import Interview
from vivavoce.studies.cases import judge_cases

pytestmark = needs_neural


@pytest.mark.parametrize(("importance", "layers"), [("attention", 1), ("leave-one-out", 2)])
async def test_the_white_box_finds_the_planted_fact_and_more_flips(
    tmp_path: Path, paraphraser: str, importance: str, layers: int
) -> None:
    """With two layers the final one need not look at the word that decides (it does in 25 of 60 cases): the first layer did."""
    train(tmp_path / "tiny-bert", layers=layers)
    cases, planted = made_cases(40, seed=2)
    classifier: Any = open_classifier(f"hf:{tmp_path / 'tiny-bert'}")
    writer = open_candidate(f"chat:substitutes{paraphraser}")
    judge = ClassifierJudge(Interview(classifier, answers=CaseJudgement))
    try:
        examined: list[ExaminedCase] = []
        bench = Bench(judge, ParaphraseWriter(Interview(writer, answers=Reply)), on_case=examined.append)
        finding = await judge_cases(bench, cases, CasesConfig(shortest=90, importance=importance))  # type: ignore[arg-type]
    finally:
        await close_candidate(classifier)
        await close_candidate(writer)
    white = {
        trial.case: trial.fact_number
        for examined_case in examined
        for trial in examined_case.trials
        if trial.box is FactChoice.WHITE
    }
    assert sum(white[case.id] == spot for case, spot in zip(cases, planted, strict=True)) >= 30  # by chance 6
    pairs = finding.details.pairs
    assert pairs is not None
    assert pairs.p < 0.01
    assert pairs.difference.interval.lower > 0
    (again,) = finding.control
    assert (again.rates["flips"].least, again.numbers["largest"]) == (0.0, 0.0)
