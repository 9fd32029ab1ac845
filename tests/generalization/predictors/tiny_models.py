"""Tiny networks with random weights, and pairs with a planted rule that they can learn in seconds."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from vivavoce.errors import BadFile
from vivavoce.generalization.pairs import BeliefPair
from vivavoce.generalization.predictors.causal import PROMPT

TOPICS = ("fractions", "rivers", "verbs", "planets")
FILLERS = ("tell", "me", "more", "about", "some", "good", "old", "new")


def planted_pairs(number: int, *, seed: int, labelled: bool = True) -> list[BeliefPair]:
    """A belief changes exactly where the answer before was wrong and the other question is about fractions or rivers."""
    rng = np.random.default_rng(seed)
    pairs = []
    for _ in range(number):
        right, topics = bool(rng.integers(2)), rng.choice(TOPICS, 2)
        changes = not right and topics[1] in TOPICS[:2]
        q1, q2 = (" ".join([*rng.choice(FILLERS, int(rng.integers(1, 6))), str(topic), "?"]) for topic in topics)
        pairs.append(BeliefPair(q1, q2, str(topics[0]), str(topics[1]), right, changes if labelled else None))
    return pairs


def rule(pairs: list[BeliefPair]) -> list[bool]:
    """What is planted in them."""
    return [not pair.previous_correct and pair.source2 in TOPICS[:2] for pair in pairs]


def area(chances: Any, truth: list[bool]) -> float:
    """Area under the curve, by its meaning: how often a changed pair has the higher chance."""
    changed, same = np.asarray(chances)[np.array(truth)], np.asarray(chances)[~np.array(truth)]
    return float(np.mean((changed[:, None] > same[None, :]) + 0.5 * (changed[:, None] == same[None, :])))


def tiny_bert(folder: Path, *, room: int = 64) -> Path:
    """A BERT of two layers and 32 dimensions that knows the words of the planted pairs, and nothing else."""
    torch, transformers = (pytest.importorskip(name) for name in ("torch", "transformers"))
    torch.manual_seed(0)
    tokenizer = _word_pieces(room)
    config = transformers.BertConfig(
        vocab_size=len(tokenizer), hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=32,
        max_position_embeddings=room, hidden_dropout_prob=0.1, attention_probs_dropout_prob=0.0, initializer_range=0.1,
    )  # fmt: skip
    transformers.BertModel(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def tiny_causal(folder: Path, family: str, *, room: int = 256) -> Path:
    """A GPT-2 or Llama of two layers and 32 dimensions, with a tokenizer that was trained on prompts as it will read."""
    torch, transformers = (pytest.importorskip(name) for name in ("torch", "transformers"))
    torch.manual_seed(0)
    tokenizer = _byte_pairs(room)
    if family == "gpt2":
        config = transformers.GPT2Config(
            vocab_size=len(tokenizer), n_positions=room, n_embd=32, n_layer=2, n_head=2, resid_pdrop=0.0, embd_pdrop=0.0,
            attn_pdrop=0.0, initializer_range=0.1, bos_token_id=0, eos_token_id=0,
        )  # fmt: skip
        model = transformers.GPT2LMHeadModel(config)
    else:
        config = transformers.LlamaConfig(
            vocab_size=len(tokenizer), hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=2,
            max_position_embeddings=room, initializer_range=0.1, bos_token_id=0, eos_token_id=0,
        )  # fmt: skip
        model = transformers.LlamaForCausalLM(config)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def tiny_sentences(folder: Path, **pooling: Any) -> Path:
    """The tiny BERT as a model of sentence-transformers, with files as its first versions wrote them."""
    tiny_bert(folder)
    parts = [("", "Transformer"), ("1_Pooling", "Pooling"), ("2_Normalize", "Normalize")]
    modules = [
        {"idx": number, "name": str(number), "path": path, "type": f"sentence_transformers.models.{kind}"}
        for number, (path, kind) in enumerate(parts)
    ]
    (folder / "modules.json").write_text(json.dumps(modules))
    (folder / "1_Pooling").mkdir()
    document = {"word_embedding_dimension": 32} | (
        pooling or {"pooling_mode_mean_tokens": True, "pooling_mode_cls_token": False}
    )
    (folder / "1_Pooling" / "config.json").write_text(json.dumps(document))
    (folder / "sentence_bert_config.json").write_text(json.dumps({"max_seq_length": 12, "do_lower_case": False}))
    return folder


def make_hostile(folder: Path, own_code: str) -> None:
    """Turn a saved network into one that asks for code of its folder to be run."""
    config = json.loads((folder / "config.json").read_text())
    (folder / "evil.py").write_text(f"open({own_code!r}, 'w')\nclass Model: pass\nclass Config: pass\n")
    auto = dict.fromkeys(("AutoModel", "AutoModelForSequenceClassification", "AutoModelForCausalLM"), "evil.Model")
    (folder / "config.json").write_text(
        json.dumps(config | {"model_type": "evil", "auto_map": auto | {"AutoConfig": "evil.Config"}})
    )


def problem_of(load: Callable[[Path], object], folder: Path) -> str:
    """The error about a damaged folder, in one line."""
    with pytest.raises(BadFile) as caught:
        load(folder)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def _word_pieces(room: int) -> Any:
    tokenizers, transformers = (pytest.importorskip(name) for name in ("tokenizers", "transformers"))
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
    vocabulary = {word: number for number, word in enumerate([*special, *TOPICS, *FILLERS, "?", "a", "##a", "b", "##b"])}
    plain = tokenizers.Tokenizer(tokenizers.models.WordPiece(vocabulary, unk_token="[UNK]"))
    plain.normalizer = tokenizers.normalizers.BertNormalizer()
    plain.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()
    plain.post_processor = tokenizers.processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[(mark, vocabulary[mark]) for mark in special[2:]],
    )
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=plain,
        pad_token="[PAD]",
        unk_token="[UNK]",
        cls_token="[CLS]",
        sep_token="[SEP]",
        model_max_length=room,
    )


def _byte_pairs(room: int) -> Any:
    tokenizers, transformers = (pytest.importorskip(name) for name in ("tokenizers", "transformers"))
    plain = tokenizers.Tokenizer(tokenizers.models.BPE())
    plain.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    plain.decoder = tokenizers.decoders.ByteLevel()
    prompts = [
        PROMPT.format(q1=pair.q1, q2=pair.q2, graded=g) + f" {n}"
        for pair in planted_pairs(60, seed=9)
        for g, n in (("right", 0), ("wrong", 1))
    ]
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=600,
        special_tokens=["<end>"],
        initial_alphabet=tokenizers.pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    plain.train_from_iterator(prompts, trainer)
    return transformers.PreTrainedTokenizerFast(tokenizer_object=plain, eos_token="<end>", model_max_length=room)
