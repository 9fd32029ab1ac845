"""The planted fact, with a BERT that was trained here."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.candidates.tiny_bert import needs_neural, train
from tests.consistency.legal.cases.made_cases import made_cases
from vivavoce.candidates import close_candidate, open_candidate
from vivavoce.candidates.classifiers import open_classifier
from vivavoce.consistency.legal.cases.config import CasesConfig
from vivavoce.consistency.legal.cases.examine import Bench, examine_cases
from vivavoce.consistency.legal.cases.judges import ClassifierJudge
from vivavoce.consistency.legal.cases.paraphrasing import Writer
from vivavoce.consistency.legal.cases.trials import Box
from vivavoce.interview.candidate import Reply
from vivavoce.interview.classifier import Judgement
from vivavoce.interview.interview import Interview

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
    judge = ClassifierJudge(Interview(classifier, answers=Judgement))
    try:
        bench = Bench(judge, Writer(Interview(writer, answers=Reply)))
        finding = await examine_cases(bench, cases, CasesConfig(shortest=90, importance=importance))  # type: ignore[arg-type]
    finally:
        await close_candidate(classifier)
        await close_candidate(writer)
    white = {trial.case: trial.number for trial in finding.trials if trial.box is Box.WHITE}
    assert sum(white[case.id] == spot for case, spot in zip(cases, planted, strict=True)) >= 30  # by chance 6
    pairs = finding.counts.pairs
    assert pairs is not None
    assert pairs.p < 0.01
    assert pairs.difference.interval.lower > 0
    again = finding.counts.row(Box.AGAIN)
    assert again is not None
    assert (again.flips.value, again.largest) == (0.0, 0.0)
