"""How predictors are fitted: every setting, once. What is shared by several has the same name, bounds and help in each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Final, Literal

from vivavoce.settings import Within, check, setting

PredictionMethod = Literal["auto", "exact", "sampling"]
"""`exact`: by log-probabilities; `sampling`: by the share of replies; `auto`: exactly where the server tells them."""
Layout = Literal["turns", "text"]
Prompts = Literal["ours", "printed"]
"""`printed`: as in Appendix C of `vafa2024`, of one mind about the answer (`printed_prompts`)."""
Epochs = Annotated[int, Within(1, 10_000)]
Batch = Annotated[int, Within(1, 100_000)]
LearningRate = Annotated[float, Within(above=0, most=1)]
Tokens = Annotated[int, Within(16, 100_000)]

MOST_MEMBERS: Final = 100
MOST_RANK: Final = 1024

_EMBEDDER: Final = "lsa, or sentences:FOLDER_OR_NAME of sentence-transformers."
_MODEL: Final = "The model of transformers to fine-tune."
_EPOCHS: Final = "Passes over the training pairs."
_BATCH: Final = "Pairs per training step."
_LEARNING_RATE: Final = "Learning rate of Adam."
_MAX_LENGTH: Final = "Tokens that are read, at most."
_PROMPTS: Final = "The words of the prompt: our own, or those printed in the paper."
_DEVICE: Final = "As torch names it, such as cuda."


@dataclass(frozen=True, slots=True)
class BoostedConfig:
    """How trees over embeddings are boosted."""

    embedder: str = setting("lsa", _EMBEDDER, metavar="NAME")
    """`lsa` is fitted on the questions of all pairs and teachers."""
    dimensions: Annotated[int, Within(1, 1_000)] = setting(32, "Dimensions of the embedder lsa.")
    trees: Annotated[int, Within(1, 10_000)] = setting(100, "Number of boosted trees.")
    depth: Annotated[int, Within(1, 12)] = setting(3, "Depth of each tree.")
    """Small trees, slowly learnt: people are few, and a deep tree knows each of them by heart."""

    def __post_init__(self) -> None:
        check(self)


@dataclass(frozen=True, slots=True)
class StackedLogisticConfig:
    """How our own predictor learns from a teacher."""

    embedder: str = setting("", _EMBEDDER, metavar="NAME")
    """Of what the student sees; without one it reads words and characters alone, and needs no network."""

    def __post_init__(self) -> None:
        check(self)


@dataclass(frozen=True, slots=True)
class BertConfig:
    """How an ensemble of networks is fine-tuned; epochs, batch and learning rate as in Appendix C of `vafa2024`."""

    model: str = setting("google-bert/bert-base-uncased", _MODEL, metavar="NAME|FOLDER")
    """A folder, an installed package that carries one, or a name on the hub, which is fetched."""
    members: Annotated[int, Within(1, MOST_MEMBERS)] = setting(5, "Members of the ensemble.")
    """Each needs as much memory and disk as the model."""
    epochs: Epochs = setting(2, _EPOCHS)
    batch: Batch = setting(32, _BATCH)
    learning_rate: LearningRate = setting(5e-5, _LEARNING_RATE)
    """Constant."""
    max_length: Tokens = setting(512, _MAX_LENGTH)
    """The paper names none."""
    device: str = setting("cpu", _DEVICE, metavar="NAME")

    def __post_init__(self) -> None:
        check(self)


@dataclass(frozen=True, slots=True)
class CausalConfig:
    """How a causal model is fine-tuned; epochs, batch and learning rate as in Appendix C of `vafa2024`."""

    model: str = setting("", _MODEL, metavar="NAME|FOLDER")
    """As that of `BertConfig`; there is no usual one."""
    epochs: Epochs = setting(3, _EPOCHS)
    batch: Batch = setting(4, _BATCH)
    learning_rate: LearningRate = setting(1e-5, _LEARNING_RATE)
    """Constant; adapters learn well at rates of 1e-4 and above."""
    max_length: Tokens = setting(1024, _MAX_LENGTH)
    """The paper names none."""
    lora: bool = setting(False, "Train a LoRA adapter only (needs peft).")
    """`hu2022`: it takes a fraction of the memory. The model itself is not kept then, only its name and digest."""
    rank: Annotated[int, Within(1, MOST_RANK)] = setting(8, "Rank of the LoRA adapter.")
    prompts: Prompts = setting("ours", _PROMPTS)
    device: str = setting("cpu", _DEVICE, metavar="NAME")

    def __post_init__(self) -> None:
        check(self)


Training = BertConfig | CausalConfig
"""How a network is fine-tuned."""


@dataclass(frozen=True, slots=True)
class FewShotConfig:
    """How a language model is asked."""

    candidate: str = setting("", "The language model; see 'viva candidates'.", metavar="CANDIDATE")
    shots: Annotated[int, Within(0, 200)] = setting(10, "Examples that are shown.")
    """As many as `vafa2024` shows."""
    way: PredictionMethod = setting(
        "auto", "By log-probabilities, by the share of replies, or exactly where the server can (auto)."
    )
    samples: Annotated[int, Within(1, 1_000)] = setting(5, "Replies per pair where they are sampled.")
    """As many as in Appendix C of the paper, where there are no log-probabilities."""
    layout: Layout = setting("turns", "Examples as earlier turns, or within the text.")
    """Within the text for models that take no earlier turns well."""
    prompts: Prompts = setting("ours", _PROMPTS)

    def __post_init__(self) -> None:
        check(self)
