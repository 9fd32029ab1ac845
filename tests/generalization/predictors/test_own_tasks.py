"""What names of tasks tell."""

import numpy as np
import pytest

from vivavoce.generalization.predictors.stacked_logistic_features import FAMILIES, alike, families_of, level_of

NAMES = list(FAMILIES)


@pytest.mark.parametrize(
    ("task", "families"),
    [
        ("mmlu_college_biology", ["life"]),
        ("mmlu_econometrics", ["mathematics", "society"]),
        ("bbh_tracking_shuffled_objects_five_objects", ["puzzles"]),
        ("mmlu_miscellaneous", []),
        ("My own sums", ["mathematics"]),
        ("", []),
    ],
)
def test_families(task: str, families: list[str]) -> None:
    row = families_of([task])[0]
    assert [name for name, share in zip(NAMES, row, strict=True) if share] == families
    assert np.isclose(row @ row, 1) or not families


def test_no_task_has_no_row() -> None:
    assert families_of([]).shape == (0, len(FAMILIES))


@pytest.mark.parametrize(
    ("first", "second", "share"),
    [
        ("mmlu_high_school_physics", "mmlu_college_physics", 1),
        ("mmlu_conceptual_physics", "mmlu_college_physics", 1 / 2),  # one word in common of two in all
        ("bbh_logical_deduction_three_objects", "bbh_tracking_shuffled_objects_five_objects", 1 / 5),
        ("mmlu_anatomy", "bbh_navigate", 0),
        ("mmlu", "bbh", 0),
        ("mmlu", "mmlu", 1),
    ],
)
def test_names_alike(first: str, second: str, share: float) -> None:
    assert alike(first, second) == pytest.approx(share) == alike(second, first)


@pytest.mark.parametrize(
    ("task", "level"),
    [("mmlu_elementary_mathematics", -1), ("mmlu_high_school_biology", 0), ("professional_law", 1.5), ("x", 0)],
)
def test_levels(task: str, level: float) -> None:
    assert level_of(task) == level
