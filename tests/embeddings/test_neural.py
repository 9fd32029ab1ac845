"""What needs neither torch nor transformers of the predictors that need both."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.each_case import each_case
from vivavoce.embeddings.neural import by_length, digest_of, model_folder, needed, open_sentences
from vivavoce.errors import BadInput, MissingExtra, NotEnoughEvidence
from vivavoce.generalization.pairs import BeliefPair
from vivavoce.generalization.predictors import bert, causal
from vivavoce.generalization.predictors.base import BertConfig, CausalConfig
from vivavoce.generalization.predictors.bert import TrainingProgress, steps_of

PAIR = BeliefPair("a?", "b?", "sums", "sums", previous_correct=True, belief_change=True)


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a machine without the extra."""
    for package in ("torch", "transformers", "peft"):
        monkeypatch.setitem(sys.modules, package, None)


@pytest.mark.usefixtures("bare")
def test_without_the_extra_it_is_said_what_to_install(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    for call in (
        lambda: bert.fit([PAIR], rng=rng),
        lambda: causal.fit([PAIR], rng=rng, config=CausalConfig("tiny")),
        lambda: bert.load(tmp_path),
        lambda: causal.load(tmp_path),
        lambda: open_sentences("tiny"),
        lambda: needed("torch"),
    ):
        with pytest.raises(MissingExtra, match=r"^'torch' is not installed: pip install 'vivavoce\[neural\]'$"):
            call()


def test_what_cannot_be_is_refused_before_anything_is_loaded() -> None:
    rng = np.random.default_rng(0)
    with pytest.raises(NotEnoughEvidence, match="no pair has"):
        bert.fit([], rng=rng)
    with pytest.raises(BadInput, match="members is 0"):
        BertConfig(members=0)
    with pytest.raises(BadInput, match="no causal model is named"):
        causal.fit([PAIR], rng=rng)
    with pytest.raises(BadInput, match="rank is 0"):
        CausalConfig(rank=0)


@each_case(
    ("epochs", "batch", "rate", "length", "message"),
    [
        (0, 1, 0.1, 64, "epochs is 0"),
        (1, 0, 0.1, 64, "batch is 0"),
        (1, 1, 0.0, 64, "learning_rate is 0"),
        (1, 1, float("nan"), 64, "learning_rate is nan"),
        (1, 1, 0.1, 8, "max_length is 8: give a whole number from 16"),
    ],
)
def test_impossible_training_is_refused(epochs: int, batch: int, rate: float, length: int, message: str) -> None:
    for config in (BertConfig, CausalConfig):
        with pytest.raises(BadInput, match=message):
            config(epochs=epochs, batch=batch, learning_rate=rate, max_length=length)


def test_steps_and_time_left() -> None:
    # 10 pairs in batches of 4 are 3 steps, twice over
    assert steps_of(CausalConfig(epochs=2, batch=4), 10) == 6
    # 3 steps took 6 s, so 5 more take 10 s
    assert TrainingProgress(3, 8, 6.0).seconds_left == pytest.approx(10.0)
    assert TrainingProgress(0, 8, 0.0).seconds_left is None


@given(st.lists(st.integers(0, 50)), st.integers(1, 9))
def test_batches_hold_every_place_once_from_long_to_short(lengths: list[int], batch: int) -> None:
    batches = list(by_length(lengths, batch))
    assert sorted(index for numbers in batches for index in numbers) == list(range(len(lengths)))
    assert all(len(numbers) <= batch for numbers in batches)
    longest = [lengths[index] for numbers in batches for index in numbers]
    assert longest == sorted(lengths, reverse=True)


@pytest.mark.parametrize(
    ("files", "message"),
    [
        (["model.safetensors"], "is not a folder with a model"),
        (["config.json"], "no .safetensors"),
        (["config.json", "pytorch_model.bin"], "pickled weights could run code"),
        (["config.json", "model.safetensors", "adapter_config.json"], "is an adapter"),
    ],
)
def test_a_folder_without_a_safe_model_is_refused(tmp_path: Path, files: list[str], message: str) -> None:
    for name in files:
        (tmp_path / name).write_text("{}")
    with pytest.raises(BadInput, match=message):
        model_folder(str(tmp_path))


@each_case("name", ["", "a/b/c", "../x", "https://example.org/x", "a b", "x" * 300, "-x/y", "__main__"])
def test_a_name_that_can_be_none_is_refused_without_asking_anybody(name: str) -> None:
    with pytest.raises(BadInput, match="give a folder, a package that holds one, or a name on the hub"):
        model_folder(name)


def test_a_package_with_a_model_is_found_and_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "carries_one" / "model"
    folder.mkdir(parents=True)
    (folder.parent / "__init__.py").write_text("raise SystemExit('it was run')")
    (folder / "config.json").write_text("{}")
    (folder / "model.safetensors").write_bytes(b"")
    monkeypatch.syspath_prepend(tmp_path)
    assert model_folder("carries-one") == folder


def test_the_digest_is_of_all_that_matters_and_of_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "1_Pooling").mkdir()
    (tmp_path / "config.json").write_text("{}")
    digests = [digest_of(tmp_path)]
    for file in ("model.safetensors", "1_Pooling/config.json", "vocab.txt"):
        (tmp_path / file).write_text("1")
        digests.append(digest_of(tmp_path))
    assert len(set(digests)) == 4
    (tmp_path / "README.md").write_text("of another day")
    assert digest_of(tmp_path) == digests[-1]
