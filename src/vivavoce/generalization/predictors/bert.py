"""An ensemble of BERTs that read both questions, the best predictor of `vafa2024` (extra `neural`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from vivavoce.embeddings.embedding import plain_text
from vivavoce.embeddings.files import read_json, write_json
from vivavoce.embeddings.neural import (
    accepted,
    by_length,
    check_device,
    model_folder,
    needed,
    padded,
    read_model,
    read_tokenizer,
    repeatable,
    room_of,
)
from vivavoce.errors import BadFile
from vivavoce.generalization.pairs import Floats, Pair
from vivavoce.generalization.predictors.base import EDGE, labels_of
from vivavoce.generalization.predictors.fine_tuning import OnStep, Stopwatch, TrainingPairs, steps_of, train
from vivavoce.generalization.predictors.registry import MOST_MEMBERS, BertConfig

FILE: Final = "ensemble.json"
RIGHT: Final = "[ANSWERED RIGHT]"
WRONG: Final = "[ANSWERED WRONG]"
"""Tokens of their own, before the first question."""
_AT_ONCE: Final = 32
"""Pairs that are predicted together."""
_KIND: Final = "AutoModelForSequenceClassification"


@dataclass(frozen=True, slots=True)
class BertEnsemble:
    """Predicts the mean chance over networks that were fine-tuned from one, each with a seed of its own.

    A pair's chance depends on nothing but the pair, up to rounding in the seventh digit.
    """

    members: tuple[Any, ...]
    """Sequence classifiers with two labels, in their order: the belief stayed, it changed."""
    tokenizer: Any
    """With the two tokens that say how the first question was answered."""
    max_length: int
    device: str = "cpu"

    def predict(self, pairs: Sequence[Pair]) -> Floats:
        """The chance of a change, one a pair."""
        torch = needed("torch")
        chances = np.zeros(len(pairs))
        rows = encoded(pairs, self.tokenizer, self.max_length)
        for places in by_length([len(row["input_ids"]) for row in rows], _AT_ONCE):
            inputs = _together([rows[place] for place in places], self.tokenizer, self.device)
            with torch.inference_mode():
                each = [
                    torch.softmax(member(**accepted(member, inputs)).logits.double(), dim=-1)[:, 1] for member in self.members
                ]
            chances[places] = torch.stack(each).mean(dim=0).cpu().numpy()
        return np.clip(chances, EDGE, 1 - EDGE)

    def save(self, folder: Path) -> None:
        """Write each network as safetensors into a folder of its own, and the tokenizer."""
        for number, member in enumerate(self.members, 1):
            member.save_pretrained(_member(folder, number))
        self.tokenizer.save_pretrained(folder / "tokenizer")
        write_json(folder / FILE, {"members": len(self.members), "max_length": self.max_length})


def fit(
    pairs: Sequence[Pair],
    *,
    teachers: Sequence[Pair] = (),
    rng: np.random.Generator,
    config: BertConfig = BertConfig(),  # noqa: B008 -- frozen
    progress: OnStep | None = None,
) -> BertEnsemble:
    """Fine-tune it; on a processor, with as many threads, the same pairs and state of `rng` give the same numbers.

    Parameters
    ----------
    pairs: whose labels count by their weight.
    teachers: pairs whose `pred` counts as a soft label; they may be all there is.
    progress: is told after each step.

    Source: Appendix C of `vafa2024`. What does not fit is cut from the end of the longer question. Where the model has a
    trained head of another kind, a new one is made.

    Raises `NotEnoughEvidence`, `MissingExtra`, `BadInput` for a model that is not available or cannot be trained, `BadFile` for
    one that cannot be read.
    """
    told, labels, weights = labels_of(pairs, teachers)
    check_device(config.device)
    source = model_folder(config.model)
    tokenizer = read_tokenizer(source)
    tokenizer.add_tokens([RIGHT, WRONG], special_tokens=True)
    watch = Stopwatch(config.members * steps_of(config, len(told)), progress)
    trained, max_length = [], config.max_length
    for seed in rng.integers(1 << 31, size=config.members):
        with repeatable(int(seed)):
            member = _fresh(source, tokenizer).to(config.device)
            max_length = room_of(member, tokenizer, config.max_length)
            lesson = _lesson(member, tokenizer, encoded(told, tokenizer, max_length), labels, weights)
            train(member, lesson, training=config, seed=int(seed), watch=watch)
        trained.append(member)
    return BertEnsemble(tuple(trained), tokenizer, max_length, config.device)


def load(folder: Path, *, device: str = "cpu") -> BertEnsemble:
    """What was saved there; raises `BadFile`, and `MissingExtra` without torch and transformers."""
    check_device(device)
    file = folder / FILE
    kept = read_json(file)
    number, max_length = kept.get("members"), kept.get("max_length")
    if type(number) is not int or type(max_length) is not int or not (1 <= number <= MOST_MEMBERS and max_length >= 1):
        raise BadFile(file, "does not say how many members there are, and how many tokens they read: fit the predictor again")
    tokenizer = read_tokenizer(folder / "tokenizer")
    members = tuple(read_model(_member(folder, one), _KIND) for one in range(1, number + 1))
    for one, member in enumerate(members, 1):
        if member.config.num_labels != 2 or member.get_input_embeddings().num_embeddings < len(tokenizer):
            raise BadFile(
                _member(folder, one), "not a network with two labels and this tokenizer's words: fit the predictor again"
            )
    if not {RIGHT, WRONG} <= set(tokenizer.get_added_vocab()):
        raise BadFile(folder / "tokenizer", f"does not know the tokens {RIGHT} and {WRONG}: fit the predictor again")
    room = min(room_of(member, tokenizer, max_length) for member in members)
    return BertEnsemble(tuple(member.to(device) for member in members), tokenizer, room, device)


def encoded(pairs: Sequence[Pair], tokenizer: Any, max_length: int) -> list[dict[str, list[int]]]:
    """The tokens of each pair: how the first question was answered, that question, and the other, cut if they are too long."""
    if not pairs:
        return []
    firsts = [f"{RIGHT if pair.previous_correct else WRONG} {_text(pair.q1)}" for pair in pairs]
    both = tokenizer(firsts, [_text(pair.q2) for pair in pairs], truncation="longest_first", max_length=max_length)
    return [{name: both[name][place] for name in both} for place in range(len(pairs))]


def _lesson(model: Any, tokenizer: Any, rows: Sequence[dict[str, list[int]]], labels: Floats, weights: Floats) -> TrainingPairs:
    def logs(places: list[int]) -> tuple[Any, Any]:
        inputs = _together([rows[place] for place in places], tokenizer, model.device)
        found = needed("torch").log_softmax(model(**accepted(model, inputs)).logits, dim=-1)
        return found[:, 0], found[:, 1]

    return TrainingPairs([len(row["input_ids"]) for row in rows], labels, weights, logs)


def _fresh(source: Path, tokenizer: Any) -> Any:
    """The network before it is fine-tuned, with a new head and room for the new tokens."""
    names = {0: "same", 1: "changed"}
    settings = {"num_labels": 2, "id2label": names, "label2id": {name: number for number, name in names.items()}}
    model = read_model(source, _KIND, new_head=True, **settings)
    if tokenizer.pad_token_id is None:
        raise BadFile(source, "its tokenizer has no token to fill up with, so it is no model like BERT: take one that is")
    if model.get_input_embeddings().num_embeddings < len(tokenizer):
        model.resize_token_embeddings(len(tokenizer))
    return model


def _together(rows: Sequence[dict[str, list[int]]], tokenizer: Any, device: str) -> dict[str, Any]:
    fills = {"input_ids": tokenizer.pad_token_id}
    return {name: padded([row[name] for row in rows], fills.get(name, 0), device) for name in rows[0]}


def _text(question: str) -> str:
    """As a person reads it; a question that holds the tokens of our own cannot pass for an answer."""
    return plain_text(question).replace(RIGHT, " ").replace(WRONG, " ")


def _member(folder: Path, number: int) -> Path:
    return folder / f"member-{number}"
