"""`hf:FOLDER`: a sequence classifier of Hugging Face in a local folder, with its attention (extra `neural`).

Nothing is fetched and no code of the folder is run: weights are read only from `.safetensors` files, never from pickles.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import Field

from vivavoce.candidates.options import canonical, read_options
from vivavoce.candidates.text import shortened
from vivavoce.candidates.trained import LocalClassifier, check_weights
from vivavoce.errors import BadInput, UnknownName
from vivavoce.formats.lines import expanded
from vivavoce.interview.candidate_kinds import CaseJudgement, FactCase

# by name, so that types are checked the same with and without the extra
torch: Any = import_module("torch")
transformers: Any = import_module("transformers")

FILES: Final = ("config.json", "*.safetensors", "tokenizer*", "vocab*", "merges*", "special_tokens_map.json", "*.model")
"""Files that answers depend on."""
LONGEST: Final = 1_000_000
"""Tokenizers without a limit report about 10**30."""


@dataclass(frozen=True, slots=True)
class HuggingFaceOptions:
    positive: str = ""
    """The label whose probability is reported; by default the second of two, or the only one."""
    layer: Annotated[int, Field(ge=-1000, le=1000)] = -1
    """The layer whose attention is the importance, counted from 0, or back from the end: -1 is the final one, -2 the one
    before.
    """
    pool: Literal["mean", "sum"] = "mean"
    """Over the tokens of a fact; the sum favours long facts."""
    join: Literal["space", "newline", "separator"] = "space"
    """Text between two facts; the separator is the tokenizer's own."""
    max_length: Annotated[int | None, Field(ge=8, le=LONGEST)] = None
    """The most tokens that are read; default: the limit of tokenizer and model."""
    device: str = "cpu"
    """The device by torch's name, such as `cuda`."""
    weights: str = ""
    """SHA-256 of the files, shortened as in the full name."""


def open_hugging_face(target: str, query: str) -> HuggingFaceClassifier:
    """The classifier `hf:TARGET?QUERY`, where the target is a folder as `save_pretrained` makes it.

    Its name has a digest of its files, so a model that was trained further is another candidate. It is asked one question
    immediately, to test it.

    Raises `BadInput` for a folder without such a model, without safetensors, or with missing weights (as of a model without a
    trained classifier), and `UnknownName` for a label that it does not have.
    """
    options = read_options(query, HuggingFaceOptions, of="hf")
    folder = expanded(target)
    if not (folder / "config.json").is_file():
        raise BadInput(f"'{target[:200]}' is not a folder with a model (config.json): give the one that save_pretrained made")
    if not any(folder.glob("*.safetensors")):
        raise BadInput(f"'{target[:200]}' has no .safetensors: save the model again, since pickled weights could run code")
    digest = _digest(folder)[:12]
    check_weights(target, digest, options.weights)
    tokenizer, model = _load(folder, target, options.device)
    label = _label(model.config, options.positive)
    positive = str(model.config.id2label.get(label, label))
    classifier = HuggingFaceClassifier(
        f"hf:{folder.resolve().name}{canonical(replace(options, positive=positive, weights=digest))}",
        tokenizer,
        model,
        label,
        options,
    )
    try:
        classifier.judge(FactCase(("This is a fact.", "This is another."), weigh=True))
    except Exception as error:
        raise BadInput(f"'{target[:200]}' does not work: {type(error).__name__}: {shortened(str(error))}") from error
    return classifier


class HuggingFaceClassifier(LocalClassifier):
    """A sequence classifier that reads all facts as one text.

    Importance of a fact: the attention from the classification token to the fact's tokens, the mean over heads and (by
    default) tokens, in one layer. By default this is the final one, as section 7 of `fluri2024` has it; its appendix D says
    the second to last (`?layer=-2`). Their own model attends to whole facts, this one to tokens. Facts beyond the model's
    room have no tokens and importance 0, and are counted as unread. A model that shows no attention reports no importance.

    Each case is judged by itself, so that an answer depends on nothing but its case.
    """

    def __init__(self, name: str, tokenizer: Any, model: Any, label: int, options: HuggingFaceOptions) -> None:
        super().__init__(name)
        self._tokenizer = tokenizer
        self._model = model
        self._label = label
        self._options = options
        limits = (options.max_length, tokenizer.model_max_length, getattr(model.config, "max_position_embeddings", None))
        self._room = min(room for room in limits if room is not None and room > 0)
        self._between = {"space": " ", "newline": "\n", "separator": f" {tokenizer.sep_token or ''} "}[options.join]

    def judge(self, case: FactCase) -> CaseJudgement:
        encoded = self._tokenizer(
            self._between.join(case.facts),
            truncation=self._room < LONGEST,
            max_length=self._room if self._room < LONGEST else None,
            return_offsets_mapping=True,
            return_tensors="pt",
        )
        offsets = encoded.pop("offset_mapping")[0].tolist()
        owners = self._owners(case.facts, offsets)
        with torch.inference_mode():
            output = self._model(**encoded.to(self._options.device), output_attentions=case.weigh)
        return CaseJudgement(
            self._probability(output.logits[0].double()),
            self._importance(output, encoded["input_ids"][0].tolist(), owners, len(case.facts)) if case.weigh else None,
            _unread(case.facts, self._between, offsets) if encoded.encodings[0].overflowing else 0,
        )

    def _owners(self, facts: Sequence[str], offsets: Sequence[Sequence[int]]) -> list[int | None]:
        """The fact that each token belongs to; None for the tokenizer's own tokens."""
        ends, position = [], 0
        for fact in facts:
            position += len(fact)
            ends.append(position)
            position += len(self._between)
        owners: list[int | None] = []
        number = 0
        for start, end in offsets:
            while number < len(ends) - 1 and end > ends[number] + len(self._between):
                number += 1
            # a token's last character decides: some tokenizers count the blank before a word as part of it
            owners.append(number if start < end <= ends[number] else None)
        return owners

    def _probability(self, logits: Any) -> float:
        several = self._model.config.problem_type == "multi_label_classification" or logits.numel() == 1
        return float((torch.sigmoid(logits) if several else torch.softmax(logits, dim=-1))[self._label])

    def _importance(self, output: Any, ids: list[int], owners: list[int | None], facts: int) -> tuple[float, ...] | None:
        layers = getattr(output, "attentions", None)
        if not layers:
            return None
        first = self._tokenizer.cls_token_id
        asking = ids.index(first) if first in ids else len(ids) - 1  # models that read from left to right decide at the end
        weights = layers[self._options.layer][0].mean(dim=0)[asking].tolist()
        sums, counts = [0.0] * facts, [0] * facts
        for owner, weight in zip(owners, weights, strict=True):
            if owner is not None:
                sums[owner] += weight
                counts[owner] += 1
        if self._options.pool == "sum":
            return tuple(sums)
        return tuple(total / count if count else 0.0 for total, count in zip(sums, counts, strict=True))


def _unread(facts: Sequence[str], between: str, offsets: Sequence[Sequence[int]]) -> int:
    """Facts that go on beyond the last token."""
    last = max(end for _, end in offsets)
    unread, position = 0, 0
    for fact in facts:
        position += len(fact)
        unread += position > last
        position += len(between)
    return unread


def _load(folder: Path, target: str, device: str) -> tuple[Any, Any]:
    """Load tokenizer and model; missing weights are an error, never initialised at random."""
    transformers.utils.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    local = {"local_files_only": True, "trust_remote_code": False}
    try:
        tokenizer = transformers.AutoTokenizer.from_pretrained(folder, **local)
        model, report = transformers.AutoModelForSequenceClassification.from_pretrained(
            folder, use_safetensors=True, attn_implementation="eager", output_loading_info=True, **local
        )
        model = model.float().eval().to(device)
    except Exception as error:
        raise BadInput(f"'{target[:200]}' cannot be loaded: {type(error).__name__}: {shortened(str(error))}") from error
    if report["missing_keys"]:
        lacking = ", ".join(sorted(report["missing_keys"])[:3])
        raise BadInput(f"'{target[:200]}' is not a trained classifier, as its weights lack {shortened(lacking)}: train it")
    if not tokenizer.is_fast:
        raise BadInput(
            f"'{target[:200]}' has a tokenizer without positions in the text: save a fast tokenizer (tokenizer.json)"
        )
    return tokenizer, model


def _label(config: Any, positive: str) -> int:
    labels = {str(name): int(number) for number, name in config.id2label.items()}
    if positive in labels:
        return labels[positive]
    if positive:
        raise UnknownName("label of the model", positive, labels)
    if len(labels) > 2:
        raise BadInput(f"the model has {len(labels)} labels: name the one that counts, such as ?positive={next(iter(labels))}")
    return len(labels) - 1


def _digest(folder: Path) -> str:
    """SHA-256 in hex over names and contents of the files that answers depend on."""
    digest = hashlib.sha256()
    for file in sorted({file for pattern in FILES for file in folder.glob(pattern) if file.is_file()}):
        with file.open("rb") as stream:
            digest.update(f"{file.name}\n{hashlib.file_digest(stream, 'sha256').hexdigest()}\n".encode())
    return digest.hexdigest()
