"""The figures of an alignment, as data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from vivavoce.generalization.alignment.calibration import Calibration
from vivavoce.generalization.alignment.figures import ModelAlignment


@dataclass(frozen=True, slots=True)
class FitFigure:
    """Weighted accuracy at the lowest and at the highest threshold, a line a model."""

    plot: ClassVar[str] = "vivavoce.generalization.alignment.report.plots:fit_drawing"
    models: tuple[ModelAlignment, ...]
    """Who answers most right first."""
    thresholds: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class UseFigure:
    """Right answers to all questions, and to those that people use each model for."""

    plot: ClassVar[str] = "vivavoce.generalization.alignment.report.plots:use_drawing"
    models: tuple[ModelAlignment, ...]
    rules: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ThirdsFigure:
    """Right answers by thirds of belief (Figure 7 of `vafa2024`)."""

    plot: ClassVar[str] = "vivavoce.generalization.alignment.report.plots:thirds_drawing"
    answerers: tuple[Calibration, ...]
    """People and machines together, else each model."""
