"""The figures of rating prediction, as data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from vivavoce.formats.interval import Estimate

if TYPE_CHECKING:
    from vivavoce.luna.predict.interval import Prediction

Role = Literal["examined", "feature", "baseline"]
"""What a bar is there for."""


@dataclass(frozen=True, slots=True)
class Bar:
    """An error with its interval."""

    label: str
    error: Estimate
    role: Role


@dataclass(frozen=True, slots=True)
class ErrorsFigure:
    """Errors side by side (Figure 5.3 of `silver2016`)."""

    plot: ClassVar[str] = "vivavoce.luna.predict.plots:errors_drawing"
    bars: tuple[Bar, ...]
    across: str
    """What the axis shows, in words with its unit."""
    alt: str


@dataclass(frozen=True, slots=True)
class Line:
    """Errors of one predictor by the number of people it learnt from."""

    label: str
    sizes: Sequence[int]
    errors: Sequence[Estimate]


@dataclass(frozen=True, slots=True)
class LearningFigure:
    """Errors over the number of training people."""

    plot: ClassVar[str] = "vivavoce.luna.predict.plots:learning_drawing"
    lines: tuple[Line, ...]
    alt: str


@dataclass(frozen=True, slots=True)
class RatingsInOrder:
    """Ratings in order, each with its interval."""

    plot: ClassVar[str] = "vivavoce.luna.predict.plots:ratings_in_order_drawing"
    predictions: tuple[Prediction, ...]
    level: float
