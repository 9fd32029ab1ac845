"""The common parts of all predictors of belief change: protocol, training labels and embedders.

Settings of the predictors; settings that several share have the same name, bounds and help in each.

The predictors of belief change by name, with the functions that fit and open them.

Predictors are imported on demand, as all of them together would delay the start of every command.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, Final, Literal, Protocol, runtime_checkable

import numpy as np

from vivavoce.embeddings.embedding import Embedder, Lsa, open_embedder, read_json, write_json
from vivavoce.errors import BadFile, BadInput, NotEnoughEvidence, UnknownName
from vivavoce.formats.wording import counted
from vivavoce.generalization.pairs import BeliefPair, Floats
from vivavoce.settings import CheckedConfig, ConfigField, Within, setting, settings_of

PredictionMethod = Literal["auto", "exact", "sampling"]
"""`exact`: by log-probabilities; `sampling`: by the share of replies; `auto`: exact if the server gives log-probabilities."""
Layout = Literal["turns", "text"]
Prompts = Literal["ours", "printed"]
"""`printed`: the prompt of Appendix C of `vafa2024`, with its contradiction about the answer removed (see `few_shot`)."""
Epochs = Annotated[int, Within(1, 10_000)]
Batch = Annotated[int, Within(1, 100_000)]
LearningRate = Annotated[float, Within(above=0, most=1)]
Tokens = Annotated[int, Within(16, 100_000)]
MOST_MEMBERS: Final = 100
MOST_RANK: Final = 1024
_EMBEDDER: Final = "Use lsa, or sentences:FOLDER_OR_NAME."
_MODEL: Final = "The model of transformers to fine-tune."
_EPOCHS: Final = "Passes over the training pairs."
_BATCH: Final = "Pairs per training step."
_LEARNING_RATE: Final = "Learning rate of Adam."
_MAX_LENGTH: Final = "Read at most this many tokens."
_PROMPTS: Final = "Words of the prompt: our own, or those printed in the paper."
_DEVICE: Final = "Device as torch names it, such as cuda."


@dataclass(frozen=True, slots=True)
class BoostedConfig(CheckedConfig):
    """Settings of boosted trees over embeddings."""

    embedder: str = setting("lsa", _EMBEDDER, metavar="NAME")
    """`lsa` is fitted to the questions of all pairs and teachers."""
    dimensions: Annotated[int, Within(1, 1_000)] = setting(32, "Dimensions of the embedder lsa.")
    trees: Annotated[int, Within(1, 10_000)] = setting(100, "Number of boosted trees.")
    depth: Annotated[int, Within(1, 12)] = setting(3, "Depth of each tree.")
    """Shallow trees with a low learning rate: there are few people, and a deep tree memorises each of them."""


@dataclass(frozen=True, slots=True)
class StackedLogisticConfig(CheckedConfig):
    """Settings of the stacked logistic regression."""

    embedder: str = setting("", _EMBEDDER, metavar="NAME")
    """Embeddings for the student. Without them it reads words and characters only, and needs no neural network."""


@dataclass(frozen=True, slots=True)
class BertConfig(CheckedConfig):
    """Settings of the BERT ensemble; epochs, batch and learning rate are those of Appendix C of `vafa2024`."""

    model: str = setting("google-bert/bert-base-uncased", _MODEL, metavar="NAME|FOLDER")
    """A folder, an installed package that contains a model, or a name on the hub, which is downloaded."""
    members: Annotated[int, Within(1, MOST_MEMBERS)] = setting(5, "Members of the ensemble.")
    """Each needs as much memory and disk as the model."""
    epochs: Epochs = setting(2, _EPOCHS)
    batch: Batch = setting(32, _BATCH)
    learning_rate: LearningRate = setting(5e-5, _LEARNING_RATE)
    """Constant."""
    max_length: Tokens = setting(512, _MAX_LENGTH)
    """The paper names none."""
    device: str = setting("cpu", _DEVICE, metavar="NAME")


@dataclass(frozen=True, slots=True)
class CausalConfig(CheckedConfig):
    """Settings of the fine-tuned causal model; epochs, batch and learning rate are those of Appendix C of `vafa2024`."""

    model: str = setting("", _MODEL, metavar="NAME|FOLDER")
    """As for `BertConfig`, without a default."""
    epochs: Epochs = setting(3, _EPOCHS)
    batch: Batch = setting(4, _BATCH)
    learning_rate: LearningRate = setting(1e-5, _LEARNING_RATE)
    """Constant. Adapters learn well at rates of 1e-4 and above."""
    max_length: Tokens = setting(1024, _MAX_LENGTH)
    """The paper names none."""
    lora: bool = setting(False, "Train a LoRA adapter only (needs peft).")
    """`hu2022`: needs a fraction of the memory. Only the name and digest of the model are saved with the adapter."""
    rank: Annotated[int, Within(1, MOST_RANK)] = setting(8, "Rank of the LoRA adapter.")
    prompts: Prompts = setting("ours", _PROMPTS)
    device: str = setting("cpu", _DEVICE, metavar="NAME")


Training = BertConfig | CausalConfig
"""Settings of a predictor that fine-tunes a network."""


@dataclass(frozen=True, slots=True)
class FewShotConfig(CheckedConfig):
    """How a language model is asked for predictions."""

    candidate: str = setting("", "The language model; see 'viva list candidates'.", metavar="CANDIDATE")
    shots: Annotated[int, Within(0, 200)] = setting(10, "Show this many examples.")
    """The default is the number in `vafa2024`."""
    way: PredictionMethod = setting("auto", "Use log-probabilities, samples, or what the server offers.")
    samples: Annotated[int, Within(1, 1_000)] = setting(5, "Sample this many replies per pair.")
    """The default is the number in Appendix C of the paper, for models without log-probabilities."""
    layout: Layout = setting("turns", "Show examples as earlier turns, or within the text.")
    """Within the text for models that handle earlier turns badly."""
    prompts: Prompts = setting("ours", _PROMPTS)


EDGE: Final = 1e-6
"""The least distance of a chance from 0 and 1."""


class Predictor(Protocol):
    """Predicts for each pair the chance that the belief changes; made by fitting, or opened from a folder."""

    def predict(self, pairs: Sequence[BeliefPair]) -> Floats:
        """One chance per pair, strictly between 0 and 1; ignores labels and `pred` of the pairs."""
        ...

    def save(self, folder: Path) -> None:
        """Write everything that `predict` needs into an existing folder, as JSON, text or safetensors, never as a pickle."""
        ...


@runtime_checkable
class UncertainPredictor(Predictor, Protocol):
    """A predictor that knows how far its chances may be off."""

    def drawn(self, pairs: Sequence[BeliefPair], number: int, *, rng: np.random.Generator) -> Floats:
        """Chances by other fits that the labels allow, [number, pairs]."""
        ...


def labels_of(pairs: Sequence[BeliefPair], teachers: Sequence[BeliefPair]) -> tuple[list[BeliefPair], Floats, Floats]:
    """The pairs with a label, their labels (0, 1 or a teacher's chance), and weights with mean 1.

    Labelled pairs count by their `weight`, and a teacher's pair counts as one. Raises `NotEnoughEvidence` without any.
    """
    labelled = [pair for pair in pairs if pair.changed is not None and pair.weight > 0]
    taught = [pair for pair in teachers if pair.pred is not None]
    if not labelled and not taught:
        raise NotEnoughEvidence("no pair has a change of belief: give at least one, in 'belief_change'")
    labels = [float(bool(pair.changed)) for pair in labelled] + [float(pair.pred or 0.0) for pair in taught]
    mean = float(np.mean([pair.weight for pair in labelled])) if labelled else 1.0
    weights = [pair.weight / mean for pair in labelled] + [1.0] * len(taught)
    return labelled + taught, np.array(labels, dtype=float), np.array(weights, dtype=float)


def check_labels(pairs: Sequence[BeliefPair], labels: Floats, teachers: Sequence[BeliefPair]) -> None:
    """Reject labels of one kind without a teacher (`NotEnoughEvidence`), and a teacher's pair without `pred` (`BadInput`)."""
    if not teachers and len(set(labels.tolist())) < 2:
        which = (
            f"the belief changed in {'all' if labels[0] else 'none'}" if labels.size else "none says whether the belief changed"
        )
        raise NotEnoughEvidence(
            f"{counted(len(pairs), 'pair')}: {which}; give pairs with a change and pairs without in 'belief_change', or a "
            "teacher's"
        )
    if any(pair.pred is None for pair in teachers):
        raise BadInput("a teacher's pair has no 'pred': write the chance of a change that the teacher predicts")


ABOUT_FILE: Final = "embedder.json"


def opened_embedder(name: str, questions: Sequence[str], *, dimensions: int, seed: int) -> Embedder:
    """The embedder with this name; `lsa` is fitted to these questions. Raises the same as `open_embedder`."""
    embedder = open_embedder(name)
    return embedder.fitted(questions, dimensions=dimensions, seed=seed) if isinstance(embedder, Lsa) else embedder


def save_embedder(embedder: Embedder, folder: Path) -> None:
    """Save its name, which contains the digest of a network's weights, and for `lsa` its contents."""
    write_json(folder / ABOUT_FILE, {"embedder": embedder.name})
    if isinstance(embedder, Lsa):
        embedder.save(folder)


def load_embedder(folder: Path) -> Embedder:
    """Open a saved embedder. Raises `BadFile`, also for a network without a digest in its name."""
    about = folder / ABOUT_FILE
    name = read_json(about).get("embedder")
    if not isinstance(name, str):
        raise BadFile(about, "does not name its embedder: fit the predictor again")
    if name != "lsa" and "?weights=" not in name:
        raise BadFile(about, "does not give the digest of its embedding model: fit the predictor again")
    return Lsa.load(folder) if name == "lsa" else open_embedder(name)


def vectors_of(embedder: Embedder, texts: Sequence[str]) -> Floats:
    """One row per text. Raises `BadInput` for an embedder that does not return a vector of finite numbers for each."""
    vectors = embedder.embed(texts)
    if vectors.ndim != 2 or len(vectors) != len(texts) or not np.isfinite(vectors).all():
        raise BadInput(f"the embedder {embedder.name} returned no vector of finite numbers for some question: use another")
    return vectors


@dataclass(frozen=True, slots=True)
class PredictorKind:
    """A kind of predictor."""

    name: str
    explanation: str
    module: str
    """Its module among the predictors."""
    config: type[Any] | None = None
    """Type of its settings; None without settings."""
    quick: bool = False
    """Whether fitting takes seconds only."""
    looks: bool = True
    """Whether it reads the questions; otherwise all pairs of a kind have the same chance."""
    asks: bool = False
    """Whether each prediction asks a language model; such a predictor learns nothing from a teacher."""
    network: bool = False
    """Whether it is a neural network: fitting reports `progress`, and opening takes a `device`."""
    fit: str = "fit"
    """Name of the function that fits it."""

    def functions(self) -> tuple[Callable[..., Predictor], Callable[..., Predictor]]:
        """The function that fits it to pairs, and the function that opens a saved one."""
        module = import_module(f"vivavoce.generalization.predictors.{self.module}")
        return getattr(module, self.fit), module.load

    @property
    def settings(self) -> tuple[ConfigField, ...]:
        """Its settings."""
        return () if self.config is None else settings_of(self.config)


def predictor_kind(name: str) -> PredictorKind:
    """The kind with this name. Raises `UnknownName`, with the nearest name.

    >>> predictor_kind("bert").network, [field.name for field in predictor_kind("embeddings").settings]
    (True, ['embedder', 'dimensions', 'trees', 'depth'])
    """
    if name not in PREDICTORS:
        raise UnknownName("predictor", name, PREDICTORS)
    return PREDICTORS[name]


_TEXT: Final = "pip install 'vivavoce[text]'"
_NEURAL: Final = "pip install 'vivavoce[neural]'"
STACKED_LOGISTIC: Final = PredictorKind(
    "stacked-logistic",
    "regression on similarity, task, difficulty and words: best on few pairs",
    "stacked_logistic",
    StackedLogisticConfig,
    quick=True,
)
_KINDS: Final = (
    PredictorKind(
        "previous",
        "how often beliefs change after a right answer, and after a wrong one",
        "previous_answer",
        quick=True,
        looks=False,
    ),
    PredictorKind(
        "previous-task",
        "the same, apart for questions of one task",
        "previous_answer",
        quick=True,
        looks=False,
        fit="fit_with_task",
    ),
    PredictorKind(
        "embeddings",
        f"boosted trees over embeddings of both questions ({_TEXT})",
        "boosted_embeddings",
        BoostedConfig,
        quick=True,
    ),
    PredictorKind("bert", f"an ensemble of fine-tuned networks ({_NEURAL})", "bert", BertConfig, network=True),
    PredictorKind("causal", f"a fine-tuned causal language model ({_NEURAL})", "causal", CausalConfig, network=True),
    PredictorKind("few-shot", "a language model that is shown examples", "few_shot", FewShotConfig, asks=True),
    STACKED_LOGISTIC,
)
PREDICTORS: Final[Mapping[str, PredictorKind]] = {kind.name: kind for kind in _KINDS}
"""All predictors, in the order in which they are listed."""
QUICK: Final = (STACKED_LOGISTIC.name, *(kind.name for kind in _KINDS if kind.quick and kind is not STACKED_LOGISTIC))
"""Predictors that are quick to refit, the best on few pairs first."""
