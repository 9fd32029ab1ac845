"""The names of predictors: one literal table, and what fits and opens the predictor that a name stands for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from vivavoce.errors import UnknownName
from vivavoce.generalization.predictors.config import (
    BertConfig,
    BoostedConfig,
    CausalConfig,
    FewShotConfig,
    StackedLogisticConfig,
)
from vivavoce.settings import Setting, settings_of

if TYPE_CHECKING:
    from vivavoce.generalization.predictors.base import Predictor

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
    from vivavoce.generalization.predictors.previous import fit, load

    return fit, load


def _previous_task() -> Functions:
    from vivavoce.generalization.predictors.previous import fit_with_task, load

    return fit_with_task, load


def _embeddings() -> Functions:
    from vivavoce.generalization.predictors.boosted import fit, load

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


def _own() -> Functions:
    from vivavoce.generalization.predictors.own import fit, load

    return fit, load


_TEXT: Final = "pip install 'vivavoce[text]'"
_NEURAL: Final = "pip install 'vivavoce[neural]'"
STACKED_LOGISTIC: Final = PredictorKind(
    "own", "features of similarity, task, difficulty and words: best on few pairs", _own, StackedLogisticConfig, quick=True
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
