"""The predictors of belief change by name, with the functions that fit and open them.

Predictors are imported on demand, as all of them together would delay the start of every command.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
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


Functions = tuple[Callable[..., "Predictor"], Callable[..., "Predictor"]]
"""The function that fits a predictor to pairs, and the function that opens a saved one."""


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
