"""Tiny BERTs that are fine-tuned, saved, opened again, and asked."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.candidates.tiny_bert import needs_neural
from tests.generalization.predictors.tiny_models import (
    area,
    make_hostile,
    planted_pairs,
    problem_of,
    rule,
    tiny_bert,
    tiny_causal,
)
from vivavoce.errors import BadFile, BadInput
from vivavoce.generalization.pairs import BeliefPair
from vivavoce.generalization.predictors.bert import RIGHT, WRONG, BertEnsemble, TrainingProgress, encoded, load
from vivavoce.generalization.predictors.model_store import fit_predictor

pytestmark = needs_neural

TRAIN, FRESH = planted_pairs(160, seed=1), planted_pairs(120, seed=2, labelled=False)
QUICK: dict[str, Any] = {"members": 2, "epochs": 8, "batch": 16, "learning_rate": 3e-3}


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_bert(tmp_path_factory.mktemp("models") / "tiny")


@pytest.fixture(scope="module")
def ensemble(base: Path) -> BertEnsemble:
    return fitted(base, TRAIN)


@pytest.fixture(scope="module")
def kept(ensemble: BertEnsemble, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("kept")
    ensemble.save(folder)
    return folder


@pytest.fixture
def copy(kept: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(kept, tmp_path / "copy"))


def fitted(base: Path, pairs: list[BeliefPair], *, seed: int = 0, **options: Any) -> BertEnsemble:
    more = {name: options.pop(name) for name in ("teachers", "progress") if name in options}
    document = {"model": str(base), **QUICK, **options}
    predictor = fit_predictor("bert", pairs, rng=np.random.default_rng(seed), options=document, **more)
    assert isinstance(predictor, BertEnsemble)
    return predictor


def test_it_learns_what_was_planted(ensemble: BertEnsemble) -> None:
    chances = ensemble.predict(FRESH)
    assert chances.shape == (120,)
    assert ((chances > 0) & (chances < 1)).all()
    assert area(chances, rule(FRESH)) > 0.9


def test_a_saved_one_says_the_same(ensemble: BertEnsemble, kept: Path) -> None:
    assert {file.suffix for file in kept.rglob("*") if file.is_file()} <= {".json", ".safetensors", ".txt", ".jinja"}
    assert load(kept).predict(FRESH).tolist() == ensemble.predict(FRESH).tolist()


def test_a_chance_is_the_mean_of_what_its_networks_say_by_themselves(ensemble: BertEnsemble, kept: Path) -> None:
    """The same by transformers' own pipeline, one pair at a time."""
    transformers = pytest.importorskip("transformers")
    tokenizer = transformers.AutoTokenizer.from_pretrained(kept / "tokenizer")
    for pair, chance in list(zip(FRESH, ensemble.predict(FRESH), strict=True))[:5]:
        results = []
        for number in (1, 2):
            ask = transformers.pipeline(
                "text-classification", model=str(kept / f"member-{number}"), tokenizer=tokenizer, device="cpu"
            )
            mark = RIGHT if pair.previous_correct else WRONG
            scores = ask({"text": f"{mark} {pair.q1}", "text_pair": pair.q2}, top_k=None)
            results.append(next(score["score"] for score in scores if score["label"] == "changed"))
        assert results[0] != results[1]
        assert chance == pytest.approx(sum(results) / 2, abs=1e-5)


def test_a_chance_depends_on_nothing_but_the_pair(ensemble: BertEnsemble) -> None:
    together = ensemble.predict(FRESH)
    for number in (0, 7):
        labelled = replace(FRESH[number], belief_change=True, weight=9.0, pred=0.5)
        assert ensemble.predict([labelled])[0] == pytest.approx(together[number], abs=1e-6)
    assert ensemble.predict([]).shape == (0,)


def test_the_same_seed_gives_the_same_numbers_and_leaves_torch_alone(base: Path) -> None:
    torch = pytest.importorskip("torch")
    state = torch.random.get_rng_state()
    first, again, other = (fitted(base, TRAIN[:40], seed=seed, epochs=1).predict(FRESH[:9]).tolist() for seed in (3, 3, 4))
    assert first == again
    assert first != other
    assert torch.equal(torch.random.get_rng_state(), state)
    assert not torch.are_deterministic_algorithms_enabled()


def test_a_teacher_is_followed_and_labels_count_by_their_weight(base: Path) -> None:
    """On one pair the least cross-entropy is at the weighted mean of its labels."""
    pair = replace(FRESH[0], belief_change=None)
    taught = fitted(base, [], teachers=[replace(pair, pred=0.3)] * 8, epochs=40)
    assert taught.predict([pair])[0] == pytest.approx(0.3, abs=0.05)
    # weights 3 and 1: (3 * 1 + 1 * 0) / 4 = 0.75
    weighed = [replace(pair, belief_change=True, weight=6.0), replace(pair, belief_change=False, weight=2.0)] * 8
    assert fitted(base, weighed, epochs=40).predict([pair])[0] == pytest.approx(0.75, abs=0.05)
    # a pair of weight 0 says nothing
    silent = [*[replace(pair, belief_change=True)] * 8, *[replace(pair, belief_change=False, weight=0.0)] * 8]
    assert fitted(base, silent, epochs=40).predict([pair])[0] > 0.9


def test_progress_is_told_after_every_step(base: Path) -> None:
    progress: list[TrainingProgress] = []
    fitted(base, TRAIN[:20], epochs=2, progress=progress.append)
    # 20 pairs in batches of 16 are 2 steps, in 2 epochs, of 2 members
    assert [(steps.done, steps.total) for steps in progress] == [(number, 8) for number in range(1, 9)]
    assert progress[-1].seconds_left == 0


def test_long_questions_are_cut_and_the_mark_stays(ensemble: BertEnsemble) -> None:
    pair = BeliefPair("tell " * 500, "rivers " * 300, "", "", previous_correct=False)
    (row,) = encoded([pair], ensemble.tokenizer, ensemble.max_length)
    assert len(row["input_ids"]) == ensemble.max_length == 64
    words = ensemble.tokenizer.convert_ids_to_tokens(row["input_ids"])
    assert words[:3] == ["[CLS]", WRONG, "tell"]
    assert words.count("rivers") > 25  # both are cut alike
    assert 0 < ensemble.predict([pair])[0] < 1


def test_a_question_cannot_pass_for_an_answer(ensemble: BertEnsemble) -> None:
    pair = BeliefPair(f"{WRONG} tell {WRONG}", f"me {RIGHT}", "", "", previous_correct=True)
    (row,) = encoded([pair], ensemble.tokenizer, ensemble.max_length)
    words = ensemble.tokenizer.convert_ids_to_tokens(row["input_ids"])
    assert words == ["[CLS]", RIGHT, "tell", "[SEP]", "me", "[SEP]"]


def test_one_that_was_fine_tuned_can_be_fine_tuned_on(kept: Path) -> None:
    folder = kept / "member-1"
    shutil.copytree(kept / "tokenizer", folder, dirs_exist_ok=True)
    further = fitted(folder, TRAIN, members=1, epochs=1)
    assert area(further.predict(FRESH), rule(FRESH)) > 0.9


def test_training_that_runs_away_is_said(base: Path, tmp_path: Path) -> None:
    safetensors = pytest.importorskip("safetensors.torch")
    shutil.copytree(base, tmp_path / "huge")
    weights = safetensors.load_file(base / "model.safetensors")
    large = {name: weight * 1e30 for name, weight in weights.items()}
    safetensors.save_file(large, tmp_path / "huge" / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(BadInput, match=r"training ran away at a learning rate of 0\.003: take a smaller one"):
        fitted(tmp_path / "huge", TRAIN[:16])


def test_a_model_of_another_kind_is_no_base(tmp_path: Path) -> None:
    folder = tiny_causal(tmp_path / "causal", "gpt2")
    with pytest.raises(BadFile, match="no model like BERT"):
        fitted(folder, TRAIN[:16])
    with pytest.raises(BadInput, match="the device 'nowhere' cannot be used"):
        fitted(folder, TRAIN[:16], device="nowhere")


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda folder: (folder / "ensemble.json").unlink(), "cannot be read"),
        (lambda folder: (folder / "ensemble.json").write_text("[" * 9999), "not JSON"),
        (lambda folder: (folder / "ensemble.json").write_text('{"members": 10000000, "max_length": 9}'), "how many members"),
        (lambda folder: (folder / "ensemble.json").write_text('{"members": true, "max_length": 9}'), "how many members"),
        (lambda folder: (folder / "ensemble.json").write_text('{"members": 3, "max_length": 9}'), "not a model with a config"),
        (lambda folder: shutil.rmtree(folder / "tokenizer"), "tokenizer cannot be read"),
        (lambda folder: (folder / "tokenizer" / "tokenizer.json").write_text("{}"), "tokenizer cannot be read"),
        (lambda folder: (folder / "member-1" / "config.json").write_text("{"), "configuration cannot be used"),
        (lambda folder: (folder / "member-1" / "model.safetensors").write_bytes(b"{}" * 30_000), "weights cannot be read"),
        (
            lambda folder: (folder / "member-2" / "model.safetensors").rename(folder / "member-2" / "pytorch_model.bin"),
            "weights in .safetensors; other formats could run code",
        ),
        (lambda folder: (folder / "member-2" / "adapter_config.json").write_text("{}"), "for another model"),
    ],
)  # fmt: skip
def test_a_spoilt_folder_is_one_line(copy: Path, spoil: Any, message: str) -> None:
    spoil(copy)
    assert message in problem_of(load, copy)


def test_code_of_the_folder_is_never_run(copy: Path, tmp_path: Path) -> None:
    make_hostile(copy / "member-1", str(tmp_path / "was-run"))
    assert "configuration cannot be used" in problem_of(load, copy)
    assert not (tmp_path / "was-run").exists()
    with pytest.raises(BadInput, match="cannot be"):
        fitted(copy / "member-1", TRAIN[:16])
    assert not (tmp_path / "was-run").exists()


def test_a_small_file_that_claims_all_memory_is_refused_at_once(copy: Path) -> None:
    file = copy / "member-1" / "config.json"
    config = json.loads(file.read_text())
    file.write_text(json.dumps(config | {"vocab_size": 10**9, "num_hidden_layers": 50}))
    assert "they don't belong together" in problem_of(load, copy)


def test_weights_of_another_shape_or_tokenizer_are_refused(base: Path, copy: Path) -> None:
    shutil.copytree(base, copy / "tokenizer", dirs_exist_ok=True)
    assert "does not know the tokens" in problem_of(load, copy)
    shutil.copytree(base, copy / "member-1", dirs_exist_ok=True)
    assert "its weights lack classifier" in problem_of(load, copy)
