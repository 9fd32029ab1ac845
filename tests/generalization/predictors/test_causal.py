"""Tiny causal models that are fine-tuned, whole or by an adapter, saved, opened again, and asked."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Sequence
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
from vivavoce.errors import BadFile, BadInput, MissingExtra
from vivavoce.generalization.pairs import BeliefPair
from vivavoce.generalization.predictors.causal import CausalPredictor, load, tokenized
from vivavoce.generalization.predictors.model_store import fit_predictor

pytestmark = needs_neural

TRAIN, FRESH = planted_pairs(160, seed=1), planted_pairs(120, seed=2, labelled=False)
OTHERWISE = [replace(pair, belief_change=not pair.belief_change) for pair in TRAIN]
WHOLE: dict[str, Any] = {"epochs": 12, "batch": 16, "learning_rate": 1e-2}
ADAPTER: dict[str, Any] = {"epochs": 6, "batch": 16, "learning_rate": 1e-2, "lora": True}


@pytest.fixture(scope="module")
def bases(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The Llama is one that has learnt something: an adapter on random weights finds little to lean on."""
    folder = tmp_path_factory.mktemp("models")
    learnt = fitted(tiny_causal(folder / "random", "llama"), OTHERWISE, epochs=8, batch=8, learning_rate=3e-3)
    learnt.model.save_pretrained(folder / "llama")
    learnt.tokenizer.save_pretrained(folder / "llama")
    return {"gpt2": tiny_causal(folder / "gpt2", "gpt2"), "llama": folder / "llama"}


@pytest.fixture(scope="module")
def whole(bases: dict[str, Path]) -> CausalPredictor:
    return fitted(bases["gpt2"], TRAIN)


@pytest.fixture(scope="module")
def adapted(bases: dict[str, Path]) -> CausalPredictor:
    pytest.importorskip("peft")
    return fitted(bases["llama"], TRAIN, **ADAPTER)


def fitted(
    base: Path, pairs: list[BeliefPair], *, teachers: Sequence[BeliefPair] = (), seed: int = 0, **options: Any
) -> CausalPredictor:
    document = {"model": str(base), **WHOLE, **options}
    predictor = fit_predictor("causal", pairs, teachers=teachers, rng=np.random.default_rng(seed), options=document)
    assert isinstance(predictor, CausalPredictor)
    return predictor


def saved(predictor: CausalPredictor, folder: Path) -> Path:
    folder.mkdir()
    predictor.save(folder)
    return folder


def test_it_learns_what_was_planted_and_keeps_it(whole: CausalPredictor, tmp_path: Path) -> None:
    chances = whole.predict(FRESH)
    assert ((chances > 0) & (chances < 1)).all()
    assert area(chances, rule(FRESH)) > 0.9
    folder = saved(whole, tmp_path / "kept")
    assert {file.suffix for file in folder.rglob("*") if file.is_file()} <= {".json", ".safetensors", ".txt", ".jinja"}
    assert load(folder).predict(FRESH).tolist() == chances.tolist()
    assert whole.predict([]).shape == (0,)


def test_an_adapter_learns_it_too_and_is_kept_without_its_model(
    adapted: CausalPredictor, bases: dict[str, Path], tmp_path: Path
) -> None:
    assert area(fitted(bases["llama"], OTHERWISE, epochs=1, learning_rate=1e-9).predict(FRESH), rule(FRESH)) < 0.1
    chances = adapted.predict(FRESH)
    assert area(chances, rule(FRESH)) > 0.9
    folder = saved(adapted, tmp_path / "kept")
    assert {file.name for file in folder.iterdir()} == {"adapter.safetensors", "causal.json", "tokenizer"}
    assert (folder / "adapter.safetensors").stat().st_size < (bases["llama"] / "model.safetensors").stat().st_size / 2
    assert load(folder).predict(FRESH).tolist() == chances.tolist()


@pytest.mark.parametrize("family", ["gpt2", "llama"])
def test_a_chance_is_what_the_model_makes_of_one_against_nought(
    family: str, whole: CausalPredictor, adapted: CausalPredictor, tmp_path: Path
) -> None:
    """The same by transformers alone, one pair at a time, all logits of the whole text."""
    torch, transformers = (pytest.importorskip(name) for name in ("torch", "transformers"))
    predictor = whole if family == "gpt2" else adapted
    model = predictor.model if predictor.lora is None else predictor.model.merge_and_unload()
    for pair, chance in list(zip(FRESH, predictor.predict(FRESH), strict=True))[:4]:
        asked = tokenized(pair, predictor.tokenizer, predictor.max_length)
        assert predictor.tokenizer.decode(asked.tokens).endswith("Reply:")
        assert [predictor.tokenizer.decode([token]) for token in (asked.same, asked.changed)] == [" 0", " 1"]
        with torch.inference_mode():
            next_token = torch.softmax(model(torch.tensor([asked.tokens])).logits[0, -1].double(), dim=-1)
        same, changed = float(next_token[asked.same]), float(next_token[asked.changed])
        assert chance == pytest.approx(changed / (changed + same), abs=1e-5)
    assert isinstance(model, transformers.PreTrainedModel)


def test_the_prompt_says_what_was_asked_and_how_it_went(whole: CausalPredictor) -> None:
    document = {
        right: whole.tokenizer.decode(tokenized(replace(FRESH[0], previous_correct=right), whole.tokenizer, 256).tokens)
        for right in (True, False)
    }
    assert FRESH[0].q1 in document[True]
    assert FRESH[0].q2 in document[True]
    assert document[True].replace("its answer was right", "its answer was wrong") == document[False] != document[True]


def test_the_printed_prompt_is_kept_with_the_model(whole: CausalPredictor, tmp_path: Path) -> None:
    printed = replace(whole, prompts="printed")
    tokens = tokenized(FRESH[0], whole.tokenizer, 2_000, "printed").tokens
    assert tokens != tokenized(FRESH[0], whole.tokenizer, 2_000).tokens
    for made, prompts in ((whole, "ours"), (printed, "printed")):
        folder = tmp_path / prompts
        folder.mkdir()
        made.save(folder)
        assert load(folder).prompts == prompts
    file = tmp_path / "printed" / "causal.json"
    file.write_text(file.read_text().replace("printed", "whispered"))
    with pytest.raises(BadFile, match="in which words"):
        load(tmp_path / "printed")


def test_long_questions_are_cut_and_the_prompt_is_whole(whole: CausalPredictor) -> None:
    asked = tokenized(BeliefPair("tell " * 900, "rivers?", "", "", previous_correct=False), whole.tokenizer, 256)
    decode = whole.tokenizer.decode(asked.tokens)
    assert 150 < len(asked.tokens) < 256
    assert "rivers?" in decode
    assert decode.startswith("A person is finding out")
    assert decode.endswith("Reply:")
    with pytest.raises(BadInput, match="hold the prompt without the questions only"):
        tokenized(FRESH[0], whole.tokenizer, 20)


def test_the_same_seed_gives_the_same_numbers(bases: dict[str, Path]) -> None:
    first, again, other = (fitted(bases["gpt2"], TRAIN[:24], seed=seed, epochs=1).predict(FRESH[:9]) for seed in (3, 3, 4))
    assert first.tolist() == again.tolist()
    assert first.tolist() != other.tolist()  # another order of the pairs


def test_a_teacher_is_followed_and_labels_count_by_their_weight(bases: dict[str, Path]) -> None:
    """On one pair the least cross-entropy is at the weighted mean of its labels."""
    pair = replace(FRESH[0], belief_change=None)
    slowly: dict[str, Any] = {"epochs": 30, "learning_rate": 3e-3}
    taught = fitted(bases["gpt2"], [], teachers=[replace(pair, pred=0.3)] * 8, **slowly)
    assert taught.predict([pair])[0] == pytest.approx(0.3, abs=0.05)
    # weights 3 and 1: (3 * 1 + 1 * 0) / 4 = 0.75
    weighed = [replace(pair, belief_change=True, weight=6.0), replace(pair, belief_change=False, weight=2.0)] * 4
    assert fitted(bases["gpt2"], weighed, **slowly).predict([pair])[0] == pytest.approx(0.75, abs=0.05)


def test_without_peft_an_adapter_is_refused_before_anything_is_loaded(
    bases: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "peft", None)
    with pytest.raises(MissingExtra, match=r"'peft' is not installed: pip install 'vivavoce\[neural\]'"):
        fitted(bases["llama"], TRAIN, lora=True)


def test_a_model_that_does_not_go_on_with_texts_is_refused(tmp_path: Path) -> None:
    with pytest.raises((BadFile, BadInput)) as caught:
        fitted(tiny_bert(tmp_path / "bert"), TRAIN[:8])
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda folder: (folder / "causal.json").unlink(), "cannot be read"),
        (lambda folder: (folder / "causal.json").write_text('{"max_length": "9"}'), "how many tokens"),
        (lambda folder: shutil.rmtree(folder / "tokenizer"), "tokenizer cannot be read"),
        (lambda folder: shutil.rmtree(folder / "model"), "not a model with a config.json"),
        (
            lambda folder: (folder / "model" / "model.safetensors").rename(folder / "model" / "pytorch_model.bin"),
            "weights in .safetensors; other formats could run code",
        ),
        (lambda folder: (folder / "model" / "adapter_config.json").write_text("{}"), "of another model"),
    ],
)  # fmt: skip
def test_a_spoilt_folder_is_one_line(whole: CausalPredictor, tmp_path: Path, spoil: Any, message: str) -> None:
    folder = saved(whole, tmp_path / "kept")
    spoil(folder)
    assert message in problem_of(load, folder)


def test_code_of_the_folder_is_never_run(whole: CausalPredictor, tmp_path: Path) -> None:
    folder = saved(whole, tmp_path / "kept")
    make_hostile(folder / "model", str(tmp_path / "was-run"))
    assert "configuration cannot be used" in problem_of(load, folder)
    assert not (tmp_path / "was-run").exists()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"rank": 4}, "is not the adapter of this model"),
        ({"rank": 10**9}, "an adapter of rank 1000000000"),
        ({"digest": "0" * 64}, "is not the one it was trained on"),
        ({"digest": "x"}, "does not name the model below"),
        ({"base": "./gone"}, "the model below its adapter is not available"),
        ({"base": "nobody/nothing"}, "the model below its adapter is not available"),
    ],
)
def test_a_spoilt_adapter_is_one_line(adapted: CausalPredictor, tmp_path: Path, change: dict[str, Any], message: str) -> None:
    folder = saved(adapted, tmp_path / "kept")
    kept = json.loads((folder / "causal.json").read_text())
    (folder / "causal.json").write_text(json.dumps(kept | {"lora": kept["lora"] | change}))
    assert message in problem_of(load, folder)


def test_adapter_weights_are_read_as_safetensors_or_not_at_all(adapted: CausalPredictor, tmp_path: Path) -> None:
    folder = saved(adapted, tmp_path / "kept")
    (folder / "adapter.safetensors").write_bytes(b"\x80\x04.")
    assert "adapter.safetensors: cannot be read" in problem_of(load, folder)
    (folder / "adapter.safetensors").rename(folder / "adapter_model.bin")
    assert "adapter.safetensors: cannot be read" in problem_of(load, folder)
