"""The predictor `bert`: an ensemble of BERT networks that read both questions, the best of `vafa2024` (extra `neural`).

The training loop for neural predictors, and its progress.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from typing import Any, Final

import numpy as np

from vivavoce.embeddings import neural
from vivavoce.embeddings.embedding import plain_text, read_json, write_json
from vivavoce.embeddings.neural import by_length, needed
from vivavoce.errors import BadFile, BadInput
from vivavoce.generalization.pairs import BeliefPair, Floats
from vivavoce.generalization.predictors.base import EDGE, MOST_MEMBERS, BertConfig, Training, labels_of

TOGETHER: Final = 8
"""Pairs in one forward pass."""


@dataclass(frozen=True, slots=True)
class TrainingProgress:
    """The progress of training.

    >>> TrainingProgress(done=10, total=50, seconds=20.0).seconds_left
    80.0
    """

    done: int
    """Finished batches, over all members of an ensemble."""
    total: int
    seconds: float
    """Since the start of training."""

    @property
    def seconds_left(self) -> float | None:
        """An estimate from the speed so far; None before the first step."""
        return self.seconds / self.done * (self.total - self.done) if self.done else None


OnStep = Callable[[TrainingProgress], None]


def steps_of(training: Training, pairs: int) -> int:
    """Number of batches in all epochs."""
    return training.epochs * ceil(pairs / training.batch)


class Stopwatch:
    """Counts the steps of all members of an ensemble, and reports each."""

    def __init__(self, total: int, on_step: OnStep | None) -> None:
        self._total = total
        self._on_step = on_step
        self._done = 0
        self._began = time.monotonic()

    def step(self) -> None:
        """Count a finished step."""
        self._done += 1
        if self._on_step is not None:
            self._on_step(TrainingProgress(self._done, self._total, time.monotonic() - self._began))


@dataclass(frozen=True, slots=True)
class TrainingPairs:
    """Training pairs as one network reads them, with their labels."""

    lengths: Sequence[int]
    """Tokens of each pair."""
    labels: Floats
    """1 for a changed belief, 0 for an unchanged one, or a teacher's chance."""
    weights: Floats
    logs: Callable[[list[int]], tuple[Any, Any]]
    """The network's log-probabilities of no change and of a change for the pairs at these indices, as torch tensors."""


def train(model: Any, examples: TrainingPairs, *, training: Training, seed: int, watch: Stopwatch) -> None:
    """Fine-tune the model in place with Adam (`kingma2015`) on the weighted cross-entropy, in an order drawn from the seed.

    Pairs of similar length in a batch share a forward pass, which affects only time and memory.

    Departure: papers on such models warm up the learning rate and let it decay. `vafa2024` mentions neither, and it is constant
    here. Raises `BadInput` if training diverges.
    """
    torch = needed("torch")
    labels, weights = (
        torch.tensor(each, dtype=torch.float32, device=training.device) for each in (examples.labels, examples.weights)
    )
    optimizer = torch.optim.Adam([weight for weight in model.parameters() if weight.requires_grad], lr=training.learning_rate)
    order = np.random.default_rng(seed)
    model.train()
    for _ in range(training.epochs):
        places = order.permutation(len(examples.lengths))
        for start in range(0, len(places), training.batch):
            batch = places[start : start + training.batch]
            optimizer.zero_grad()
            for part in by_length([examples.lengths[example] for example in batch], TOGETHER):
                indices = [int(batch[index]) for index in part]
                same, changed = examples.logs(indices)
                losses = -weights[indices] * (labels[indices] * changed + (1 - labels[indices]) * same)
                value = losses.sum() / len(batch)
                if not bool(torch.isfinite(value)):
                    raise BadInput(f"training diverged at a learning rate of {training.learning_rate:g}: use a smaller one")
                value.backward()
            optimizer.step()
            watch.step()
    model.eval()


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
