"""The predictor `bert`: an ensemble of BERT networks that read both questions, the best of `vafa2024` (extra `neural`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from vivavoce.embeddings import neural
from vivavoce.embeddings.embedding import plain_text, read_json, write_json
from vivavoce.errors import BadFile
from vivavoce.generalization.pairs import BeliefPair, Floats
from vivavoce.generalization.predictors.base import EDGE, labels_of
from vivavoce.generalization.predictors.fine_tuning import OnStep, Stopwatch, TrainingPairs, steps_of, train
from vivavoce.generalization.predictors.predictor_settings import MOST_MEMBERS, BertConfig

FILE: Final = "ensemble.json"
RIGHT: Final = "[ANSWERED RIGHT]"
WRONG: Final = "[ANSWERED WRONG]"
"""New tokens, written before the first question."""
_AT_ONCE: Final = 32
"""Pairs in one forward pass."""
_KIND: Final = "AutoModelForSequenceClassification"


@dataclass(frozen=True, slots=True)
class BertEnsemble:
    """Predicts the mean chance over networks that were fine-tuned from the same model with different seeds.

    A pair's chance depends only on the pair, up to rounding in the seventh digit.
    """

    members: tuple[Any, ...]
    """Sequence classifiers with two labels: no change, and change."""
    tokenizer: Any
    """With the two new tokens for the answer to the first question."""
    max_length: int
    device: str = "cpu"

    def predict(self, pairs: Sequence[BeliefPair]) -> Floats:
        """The chance of a change, one per pair."""
        torch = neural.needed("torch")
        chances = np.zeros(len(pairs))
        rows = encoded(pairs, self.tokenizer, self.max_length)
        for indices in neural.by_length([len(row["input_ids"]) for row in rows], _AT_ONCE):
            inputs = _padded_inputs([rows[index] for index in indices], self.tokenizer, self.device)
            with torch.inference_mode():
                each = [
                    torch.softmax(member(**neural.accepted(member, inputs)).logits.double(), dim=-1)[:, 1]
                    for member in self.members
                ]
            chances[indices] = torch.stack(each).mean(dim=0).cpu().numpy()
        return np.clip(chances, EDGE, 1 - EDGE)

    def save(self, folder: Path) -> None:
        """Write each network as safetensors into its own folder, and the tokenizer."""
        for number, member in enumerate(self.members, 1):
            member.save_pretrained(_member(folder, number))
        self.tokenizer.save_pretrained(folder / "tokenizer")
        write_json(folder / FILE, {"members": len(self.members), "max_length": self.max_length})


def fit(
    pairs: Sequence[BeliefPair],
    *,
    teachers: Sequence[BeliefPair] = (),
    rng: np.random.Generator,
    config: BertConfig = BertConfig(),  # noqa: B008 -- frozen
    progress: OnStep | None = None,
) -> BertEnsemble:
    """Fine-tune the ensemble. On a CPU and with as many threads, the same pairs and state of `rng` give the same numbers.

    pairs: labels count by their weight.
    teachers: pairs whose `pred` counts as a soft label; `pairs` may then be empty.
    progress: called after each step.

    Source: Appendix C of `vafa2024`. Text that does not fit is cut from the end of the longer question. A trained head of
    another kind is replaced by a new one.

    Raises `NotEnoughEvidence`, `MissingExtra`, `BadInput` for a model that is not available or can't be trained, and `BadFile`
    for one that can't be read.
    """
    labelled, labels, weights = labels_of(pairs, teachers)
    neural.check_device(config.device)
    source = neural.model_folder(config.model)
    tokenizer = neural.read_tokenizer(source)
    tokenizer.add_tokens([RIGHT, WRONG], special_tokens=True)
    watch = Stopwatch(config.members * steps_of(config, len(labelled)), progress)
    trained, max_length = [], config.max_length
    for seed in rng.integers(1 << 31, size=config.members):
        with neural.repeatable(int(seed)):
            member = _untrained_network(source, tokenizer).to(config.device)
            max_length = neural.room_of(member, tokenizer, config.max_length)
            examples = _examples(member, tokenizer, encoded(labelled, tokenizer, max_length), labels, weights)
            train(member, examples, training=config, seed=int(seed), watch=watch)
        trained.append(member)
    return BertEnsemble(tuple(trained), tokenizer, max_length, config.device)


def load(folder: Path, *, device: str = "cpu") -> BertEnsemble:
    """Open a saved predictor. Raises `BadFile`, and `MissingExtra` without torch and transformers."""
    neural.check_device(device)
    file = folder / FILE
    saved = read_json(file)
    number, max_length = saved.get("members"), saved.get("max_length")
    if type(number) is not int or type(max_length) is not int or not (1 <= number <= MOST_MEMBERS and max_length >= 1):
        raise BadFile(file, "does not give the number of members and of the tokens that they read: fit the predictor again")
    tokenizer = neural.read_tokenizer(folder / "tokenizer")
    members = tuple(neural.read_model(_member(folder, index), _KIND) for index in range(1, number + 1))
    for index, member in enumerate(members, 1):
        if member.config.num_labels != 2 or member.get_input_embeddings().num_embeddings < len(tokenizer):
            raise BadFile(
                _member(folder, index), "not a network with two labels and this tokenizer's words: fit the predictor again"
            )
    if not {RIGHT, WRONG} <= set(tokenizer.get_added_vocab()):
        raise BadFile(folder / "tokenizer", f"does not know the tokens {RIGHT} and {WRONG}: fit the predictor again")
    room = min(neural.room_of(member, tokenizer, max_length) for member in members)
    return BertEnsemble(tuple(member.to(device) for member in members), tokenizer, room, device)


def encoded(pairs: Sequence[BeliefPair], tokenizer: Any, max_length: int) -> list[dict[str, list[int]]]:
    """The tokens of each pair: the grade of the first answer and both questions, cut if they are too long."""
    if not pairs:
        return []
    firsts = [f"{RIGHT if pair.previous_correct else WRONG} {_text(pair.q1)}" for pair in pairs]
    both = tokenizer(firsts, [_text(pair.q2) for pair in pairs], truncation="longest_first", max_length=max_length)
    return [{name: both[name][index] for name in both} for index in range(len(pairs))]


def _examples(
    model: Any, tokenizer: Any, rows: Sequence[dict[str, list[int]]], labels: Floats, weights: Floats
) -> TrainingPairs:
    def logs(indices: list[int]) -> tuple[Any, Any]:
        inputs = _padded_inputs([rows[index] for index in indices], tokenizer, model.device)
        log_probabilities = neural.needed("torch").log_softmax(model(**neural.accepted(model, inputs)).logits, dim=-1)
        return log_probabilities[:, 0], log_probabilities[:, 1]

    return TrainingPairs([len(row["input_ids"]) for row in rows], labels, weights, logs)


def _untrained_network(source: Path, tokenizer: Any) -> Any:
    """The network before fine-tuning, with a new head and embeddings for the new tokens."""
    names = {0: "same", 1: "changed"}
    settings = {"num_labels": 2, "id2label": names, "label2id": {name: number for number, name in names.items()}}
    model = neural.read_model(source, _KIND, new_head=True, **settings)
    if tokenizer.pad_token_id is None:
        raise BadFile(source, "its tokenizer has no padding token: use a model like BERT")
    if model.get_input_embeddings().num_embeddings < len(tokenizer):
        model.resize_token_embeddings(len(tokenizer))
    return model


def _padded_inputs(rows: Sequence[dict[str, list[int]]], tokenizer: Any, device: str) -> dict[str, Any]:
    fills = {"input_ids": tokenizer.pad_token_id}
    return {name: neural.padded([row[name] for row in rows], fills.get(name, 0), device) for name in rows[0]}


def _text(question: str) -> str:
    """As a person reads it; the new tokens are removed, so that a question can't imitate a grade."""
    return plain_text(question).replace(RIGHT, " ").replace(WRONG, " ")


def _member(folder: Path, number: int) -> Path:
    return folder / f"member-{number}"
