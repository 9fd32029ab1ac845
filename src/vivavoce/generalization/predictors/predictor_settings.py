"""Settings of the predictors; settings that several share have the same name, bounds and help in each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Final, Literal

from vivavoce.settings import CheckedConfig, Within, setting

PredictionMethod = Literal["auto", "exact", "sampling"]
"""`exact`: by log-probabilities; `sampling`: by the share of replies; `auto`: exact if the server gives log-probabilities."""
Layout = Literal["turns", "text"]
Prompts = Literal["ours", "printed"]
"""`printed`: the prompt of Appendix C of `vafa2024`, with its contradiction about the answer removed (see `prompts`)."""
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
