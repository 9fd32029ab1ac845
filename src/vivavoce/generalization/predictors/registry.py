"""The predictors of belief change by name, with their settings and the functions that fit and open them.

Settings that several predictors share have the same name, bounds and help in each. Predictors are imported on demand, as all
of them together would delay the start of every command.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

from vivavoce.errors import UnknownName
from vivavoce.settings import Setting, Within, check, setting, settings_of

if TYPE_CHECKING:
    from vivavoce.generalization.predictors.base import Predictor


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

_EMBEDDER: Final = "lsa, or sentences:FOLDER_OR_NAME of sentence-transformers."
_MODEL: Final = "The model of transformers to fine-tune."
_EPOCHS: Final = "Passes over the training pairs."
_BATCH: Final = "Pairs per training step."
_LEARNING_RATE: Final = "Learning rate of Adam."
_MAX_LENGTH: Final = "Read at most this many tokens."
_PROMPTS: Final = "Words of the prompt: our own, or those printed in the paper."
_DEVICE: Final = "Device as torch names it, such as cuda."


@dataclass(frozen=True, slots=True)
class BoostedConfig:
    """Settings of boosted trees over embeddings."""

    embedder: str = setting("lsa", _EMBEDDER, metavar="NAME")
    """`lsa` is fitted to the questions of all pairs and teachers."""
    dimensions: Annotated[int, Within(1, 1_000)] = setting(32, "Dimensions of the embedder lsa.")
    trees: Annotated[int, Within(1, 10_000)] = setting(100, "Number of boosted trees.")
    depth: Annotated[int, Within(1, 12)] = setting(3, "Depth of each tree.")
    """Shallow trees with a low learning rate: there are few people, and a deep tree memorises each of them."""

    def __post_init__(self) -> None:
        check(self)


@dataclass(frozen=True, slots=True)
class StackedLogisticConfig:
    """Settings of the stacked logistic regression."""

    embedder: str = setting("", _EMBEDDER, metavar="NAME")
    """Embeddings for the student. Without them it reads words and characters only, and needs no neural network."""

    def __post_init__(self) -> None:
        check(self)


@dataclass(frozen=True, slots=True)
class BertConfig:
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

    def __post_init__(self) -> None:
        check(self)


@dataclass(frozen=True, slots=True)
class CausalConfig:
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

    def __post_init__(self) -> None:
        check(self)


Training = BertConfig | CausalConfig
"""Settings of a predictor that fine-tunes a network."""


@dataclass(frozen=True, slots=True)
class FewShotConfig:
    """How a language model is asked for predictions."""

    candidate: str = setting("", "The language model; see 'viva candidates'.", metavar="CANDIDATE")
    shots: Annotated[int, Within(0, 200)] = setting(10, "Show this many examples.")
    """The default is the number in `vafa2024`."""
    way: PredictionMethod = setting("auto", "Use log-probabilities, sampled replies, or whichever the server offers.")
    samples: Annotated[int, Within(1, 1_000)] = setting(5, "Sample this many replies per pair.")
    """The default is the number in Appendix C of the paper, for models without log-probabilities."""
    layout: Layout = setting("turns", "Show examples as earlier turns, or within the text.")
    """Within the text for models that handle earlier turns badly."""
    prompts: Prompts = setting("ours", _PROMPTS)

    def __post_init__(self) -> None:
        check(self)


Functions = tuple[Callable[..., "Predictor"], Callable[..., "Predictor"]]
"""The function that fits a predictor to pairs, and the one that opens a saved predictor."""


@dataclass(frozen=True, slots=True)
class PredictorKind:
    """A kind of predictor."""

    name: str
    explanation: str
    functions: Callable[[], Functions]
    """Imports the two functions."""
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

    @property
    def settings(self) -> tuple[Setting, ...]:
        """Its settings."""
        return () if self.config is None else settings_of(self.config)


def predictor_kind(name: str) -> PredictorKind:
    """The kind with this name. Raises `UnknownName`, with the nearest name.

    >>> predictor_kind("bert").network, [one.name for one in predictor_kind("embeddings").settings]
    (True, ['embedder', 'dimensions', 'trees', 'depth'])
    """
    if name not in PREDICTORS:
        raise UnknownName("predictor", name, PREDICTORS)
    return PREDICTORS[name]


def _previous() -> Functions:
    from vivavoce.generalization.predictors.previous_answer import fit, load

    return fit, load


def _previous_task() -> Functions:
    from vivavoce.generalization.predictors.previous_answer import fit_with_task, load

    return fit_with_task, load


def _embeddings() -> Functions:
    from vivavoce.generalization.predictors.boosted_embeddings import fit, load

    return fit, load


def _bert() -> Functions:
    from vivavoce.generalization.predictors.bert import fit, load

    return fit, load


def _causal() -> Functions:
    from vivavoce.generalization.predictors.causal import fit, load

    return fit, load


def _few_shot() -> Functions:
    from vivavoce.generalization.predictors.few_shot import fit, load

    return fit, load


def _stacked_logistic() -> Functions:
    from vivavoce.generalization.predictors.stacked_logistic import fit, load

    return fit, load


_TEXT: Final = "pip install 'vivavoce[text]'"
_NEURAL: Final = "pip install 'vivavoce[neural]'"
STACKED_LOGISTIC: Final = PredictorKind(
    "stacked-logistic",
    "regression on similarity, task, difficulty and words: best on few pairs",
    _stacked_logistic,
    StackedLogisticConfig,
    quick=True,
)
_KINDS: Final = (
    PredictorKind(
        "previous", "how often beliefs change after a right answer, and after a wrong one", _previous, quick=True, looks=False
    ),
    PredictorKind("previous-task", "the same, apart for questions of one task", _previous_task, quick=True, looks=False),
    PredictorKind(
        "embeddings", f"boosted trees over embeddings of both questions ({_TEXT})", _embeddings, BoostedConfig, quick=True
    ),
    PredictorKind("bert", f"an ensemble of fine-tuned networks ({_NEURAL})", _bert, BertConfig, network=True),
    PredictorKind("causal", f"a fine-tuned causal language model ({_NEURAL})", _causal, CausalConfig, network=True),
    PredictorKind("few-shot", "a language model that is shown examples", _few_shot, FewShotConfig, asks=True),
    STACKED_LOGISTIC,
)
PREDICTORS: Final[Mapping[str, PredictorKind]] = {kind.name: kind for kind in _KINDS}
"""All predictors, in the order in which they are listed."""
QUICK: Final = (STACKED_LOGISTIC.name, *(kind.name for kind in _KINDS if kind.quick and kind is not STACKED_LOGISTIC))
"""Predictors that are quick to refit, the best on few pairs first."""
