"""A tiny BERT on workers: it is loaded there, once by each, and judges as it does in one process."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from tests.candidates.tiny_bert import needs_neural, train
from tests.studies.cases.made_cases import made_cases
from vivavoce.candidates import close_candidate
from vivavoce.candidates.classifiers import open_classifier
from vivavoce.candidates.cluster.dealer import CandidateCluster, ClusterCandidate
from vivavoce.interview.candidate import NoAnswer
from vivavoce.interview.candidate_kinds import CaseJudgement, FactCase
from vivavoce.interview.interview import Interview

pytestmark = [*needs_neural, pytest.mark.filterwarnings("ignore::ResourceWarning")]


async def judged(classifier: Any, cases: list[FactCase]) -> list[CaseJudgement | NoAnswer]:
    try:
        return [answer async for _, answer in Interview(classifier, answers=CaseJudgement).ask_in_order(cases)]
    finally:
        await close_candidate(classifier)


def test_a_model_is_loaded_where_it_computes(address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from vivavoce.candidates import huggingface

    train(tmp_path / "tiny-bert", rounds=60)
    cases = [FactCase(case.facts, weigh=True) for case in made_cases(12, seed=5)[0]]
    here = open_classifier(f"hf:{tmp_path / 'tiny-bert'}")
    loaded, load = list[str](), huggingface._load

    def noted(folder: Path, target: str, device: str) -> Any:
        loaded.append(target)
        return load(folder, target, device)

    monkeypatch.setattr(huggingface, "_load", noted)
    with CandidateCluster(address) as cluster:
        dealt = open_classifier(f"hf:{tmp_path / 'tiny-bert'}")
        assert isinstance(dealt, ClusterCandidate)
        there: Any = dealt
        assert (there.name, there.asked_again) == (here.name, "same")
        results = asyncio.run(judged(there, cases))
    assert len(loaded) == 2  # once by each of the two workers, and never by the process that counts
    assert cluster.run.answered == len(cases)
    assert results == asyncio.run(judged(here, cases))
