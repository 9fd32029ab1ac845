"""Intervals of differences between arms hold the true differences as often as was fixed beforehand."""

from __future__ import annotations

import pytest

from tests.validity.arms import LEAST, coverage


@pytest.mark.slow
@pytest.mark.study
def test_intervals_hold_what_is_true() -> None:
    values = coverage()
    assert min(values.values()) >= LEAST, values
