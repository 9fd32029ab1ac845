"""Deployment certificates whose distribution of use is known: a wrong verdict at most as often as they say."""

from __future__ import annotations

import pytest

from tests.validity.deployed import DELTA, study
from tests.validity.error_studies import slack

pytestmark = pytest.mark.slow


def test_either_verdict_is_wrong_at_most_that_often() -> None:
    runs = 1_000
    for name, (_, _, share) in study(runs, seed=3).items():
        assert share <= DELTA + slack(runs // 2), name
