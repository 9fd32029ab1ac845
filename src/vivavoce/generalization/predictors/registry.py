"""The predictors of belief change by name, with the functions that fit and open them.

Predictors are imported on demand, as all of them together would delay the start of every command.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from vivavoce.errors import UnknownName
from vivavoce.generalization.predictors.predictor_settings import (
    BertConfig,
    BoostedConfig,
    CausalConfig,
    FewShotConfig,
    StackedLogisticConfig,
)
from vivavoce.settings import ConfigField, settings_of

if TYPE_CHECKING:
    from vivavoce.generalization.predictors.base import Predictor


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
