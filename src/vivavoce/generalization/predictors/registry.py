"""@@@
How predictors are fitted: every setting, once. What is shared by several has the same name, bounds and help in each.
---
The names of predictors: one literal table, and what fits and opens the predictor that a name stands for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

from vivavoce.errors import UnknownName
from vivavoce.settings import Setting, Within, check, setting, settings_of

if TYPE_CHECKING:
    from vivavoce.generalization.predictors.base import Predictor


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


Functions = tuple[Callable[..., "Predictor"], Callable[..., "Predictor"]]
"""What fits a predictor to pairs, and what opens one again from its folder."""


@dataclass(frozen=True, slots=True)
class PredictorKind:
    """One kind of predictor."""

    name: str
    explanation: str
    functions: Callable[[], Functions]
    """Imports them: all predictors together take longer to import than a command may to begin."""
    config: type[Any] | None = None
    """What its fitting takes as `config`; None: nothing."""
    quick: bool = False
    """Whether it is fitted within seconds."""
    looks: bool = True
    """Whether it looks at the questions; else pairs of a kind all get the same chance."""
    asks: bool = False
    """Whether each prediction asks a language model, which nothing is learnt from a teacher for."""
    network: bool = False
    """Whether it is a network: its fitting tells its `progress`, and `device` says where it is when it is opened."""

    @property
    def settings(self) -> tuple[Setting, ...]:
        """What its fitting can be told."""
        return () if self.config is None else settings_of(self.config)


def predictor_kind(name: str) -> PredictorKind:
    """The kind of that name; raises `UnknownName` with the nearest.

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
    "features of similarity, task, difficulty and words: best on few pairs",
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
"""All of them, in the order in which they are listed."""
QUICK: Final = (STACKED_LOGISTIC.name, *(kind.name for kind in _KINDS if kind.quick and kind is not STACKED_LOGISTIC))
"""Those that can be fitted again and again, the best on few pairs first."""
