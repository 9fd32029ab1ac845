"""A tiny BERT that learns which word decides a case, for tests that need torch."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from tests.studies.cases.made_cases import VIOLATION, made_cases, words
from vivavoce.consistency.legal.trials import LegalCase

needs_neural = [
    pytest.mark.neural,
    pytest.mark.skipif(
        not (find_spec("torch") and find_spec("transformers")), reason="torch is not installed: pip install 'vivavoce[neural]'"
    ),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),  # torch and transformers with one another
    pytest.mark.filterwarnings("ignore::FutureWarning"),
]


def train(
    folder: Path, *, layers: int = 2, rounds: int = 200, labels: Sequence[str] = ("NONE", "VIOLATION"), room: int = 256
) -> None:
    """Train on made cases, which grow from one fact to eight, and save model and tokenizer."""
    torch, transformers = (pytest.importorskip(name) for name in ("torch", "transformers"))
    torch.manual_seed(0)
    cases, planted = made_cases(400, seed=4)
    tokenizer = word_tokenizer(cases, room)
    config = transformers.BertConfig(
        vocab_size=len(tokenizer), hidden_size=32, num_hidden_layers=layers, num_attention_heads=2, intermediate_size=32,
        max_position_embeddings=room, num_labels=len(labels), hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0,
        id2label=dict(enumerate(labels)), label2id={label: i for i, label in enumerate(labels)},
    )  # fmt: skip
    model = transformers.BertForSequenceClassification(config)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    model.train()
    for step in range(rounds):
        others = step * 8 // rounds
        rows = [(40 * step + i) % len(cases) for i in range(40)]
        texts = [_shortened(cases[row], planted[row], others) for row in rows]
        encoded = tokenizer(texts, padding=True, truncation=True, return_tensors="pt")
        truth = torch.tensor([int(VIOLATION in text) for text in texts])
        loss = model(**encoded, labels=truth).loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def word_tokenizer(cases: Sequence[LegalCase], room: int) -> Any:
    """A token for each word of the cases."""
    tokenizers, transformers = (pytest.importorskip(name) for name in ("tokenizers", "transformers"))
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
    vocabulary = {word: i for i, word in enumerate([*special, *sorted({w for c in cases for f in c.facts for w in words(f)})])}
    plain = tokenizers.Tokenizer(tokenizers.models.WordLevel(vocabulary, unk_token="[UNK]"))
    plain.normalizer = tokenizers.normalizers.Lowercase()
    plain.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    plain.post_processor = tokenizers.processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", vocabulary["[CLS]"]), ("[SEP]", vocabulary["[SEP]"])]
    )
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=plain,
        pad_token="[PAD]",
        unk_token="[UNK]",
        cls_token="[CLS]",
        sep_token="[SEP]",
        model_max_length=room,
    )


def _shortened(case: LegalCase, planted: int, others: int) -> str:
    """The fact that decides and so many others, in their order."""
    kept = {planted, *[number for number in range(len(case.facts)) if number != planted][:others]}
    return " ".join(fact for number, fact in enumerate(case.facts) if number in kept)
