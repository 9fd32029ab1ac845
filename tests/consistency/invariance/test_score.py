"""Counting flips, by hand; and the certificate against the closed form of its e-process."""

from __future__ import annotations

from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import beta

from tests.consistency.invariance.planted import scope
from vivavoce.consistency.invariance.clusters import AGAIN, Ask, Cluster, vary
from vivavoce.consistency.invariance.config import InvarianceConfig
from vivavoce.consistency.invariance.score import Heard, Outcome, excess_of, flip_rate, robustness
from vivavoce.consistency.invariance.wording import Wording
from vivavoce.examination.varied import subjects_of
from vivavoce.interview.candidate import Prompt
from vivavoce.statistics.planning import rate_boundary

FLIPPED: Outcome = "flipped"
SAME: Outcome = "same"
UNKNOWN: Outcome = "unknown"
CONFIG = InvarianceConfig(vary=("order",), variants=2)
CLUSTER = vary(subjects_of(scope(1), CONFIG), CONFIG)[0]


def heard(*said: str | None, again: str | None = "red", cluster: Cluster = CLUSTER) -> Heard:
    """The answer to the question as it is, then to its variants."""
    kinds = ["", AGAIN, *["order"] * (len(said) - 1)]
    answers = [said[0], again, *said[1:]]
    asked = (Ask(kind, Wording("?"), Prompt("?")) for kind in kinds)
    return Heard(cluster, tuple(zip(asked, answers, strict=True)))


@pytest.mark.parametrize(
    ("said", "outcome"),
    [
        (("red", "red", "red"), "same"),
        (("red", "RED", "red"), "same"),
        (("0.5", ".5", "0.50"), "same"),
        (("red", "red", "blue"), "flipped"),
        (("red", None, "blue"), "flipped"),
        ((None, "red", "blue"), "flipped"),  # two variants differ, so one of them differs from whatever was said
        (("red", None, "red"), "unknown"),
        ((None, "red", "red"), "unknown"),
        ((None, None, None), "unknown"),
    ],
)
def test_what_cannot_be_read_is_open_and_no_flip(said: tuple[str | None, ...], outcome: Outcome) -> None:
    assert heard(*said).outcome(("order",)) == outcome
    assert heard(*said, again=said[0]).outcome((AGAIN,)) == ("unknown" if said[0] is None else "same")


@given(st.lists(st.sampled_from(["same", "flipped", "unknown"]), min_size=1, max_size=60))
def test_the_interval_holds_for_whatever_became_of_what_is_open(outcomes: list[Outcome]) -> None:
    n, flipped, maybe = len(outcomes), outcomes.count("flipped"), sum(one != "same" for one in outcomes)
    rate = flip_rate(outcomes, range(n))
    assert (rate.least, rate.most) == (flipped / n, maybe / n)
    # Clopper and Pearson by scipy's beta distribution
    lower = 0.0 if flipped == 0 else beta.ppf(0.025, flipped, n - flipped + 1)
    upper = 1.0 if maybe == n else beta.ppf(0.975, maybe + 1, n - maybe)
    assert rate.interval.lower == pytest.approx(lower)
    assert rate.interval.upper == pytest.approx(upper)


def test_the_excess_by_hand() -> None:
    # 30 and 10 of 100: [.2124, .3998] and [.0490, .1762]
    rate = flip_rate([FLIPPED] * 30 + [SAME] * 70, range(100))
    control = flip_rate([FLIPPED] * 10 + [SAME] * 90, range(100))
    found = excess_of(rate, control)
    assert found.least == found.most == pytest.approx(0.2)
    assert found.interval.lower == pytest.approx(0.2 - np.hypot(0.30 - 0.2124, 0.1762 - 0.10), abs=1e-3)
    assert found.interval.upper == pytest.approx(0.2 + np.hypot(0.3998 - 0.30, 0.10 - 0.0490), abs=1e-3)


def test_what_is_open_widens_the_excess_both_ways() -> None:
    rate, control = flip_rate(["flipped", "unknown", "same", "same"], range(4)), flip_rate([UNKNOWN] + [SAME] * 3, range(4))
    found = excess_of(rate, control)
    assert (found.least, found.most) == (0.0, 0.5)
    assert found.interval.lower < 0 < 0.5 < found.interval.upper


def test_nothing_asked_is_unknown_and_not_0() -> None:
    nothing = flip_rate([], [])
    excess = excess_of(nothing, nothing)
    assert (nothing.least, nothing.most, excess.least, excess.most) == (None, None, None, None)
    assert robustness([], limit=0.1, delta=0.05) is None


def clusters(number: int) -> list[Cluster]:
    return vary(subjects_of(scope(number), InvarianceConfig(vary=("order",), questions=number)), CONFIG)


def test_robust_after_as_many_questions_as_planned_and_no_sooner() -> None:
    needed = next(rate_boundary(0.1, 0.05))
    all_of_them = [heard("red", "red", "red", cluster=cluster) for cluster in clusters(needed)]
    found, sooner = (robustness(some, limit=0.1, delta=0.05) for some in (all_of_them, all_of_them[:-1]))
    assert found is not None
    assert sooner is not None
    assert (found.verdict, sooner.verdict) == ("robust", "no conclusion")
    assert found.log_e_robust >= -log(0.05) > sooner.log_e_robust


def test_what_is_open_proves_nothing_either_way() -> None:
    some = clusters(100)
    unread = [heard("red", None, "red", cluster=cluster) for cluster in some]
    found = robustness(unread, limit=0.1, delta=0.05)
    assert found is not None
    assert found.verdict == "no conclusion"
    flipped = [heard("red", "blue", "red", cluster=cluster) for cluster in some]
    found = robustness(flipped, limit=0.1, delta=0.05)
    assert found is not None
    assert found.verdict == "not robust"


def test_of_a_scope_asked_whole_the_rate_is_known() -> None:
    some = clusters(20)
    heard_all = [heard("red", "blue" if n < 2 else "red", "red", cluster=cluster) for n, cluster in enumerate(some)]
    verdicts = [robustness(heard_all, limit=limit, delta=0.05, population=20) for limit in (0.09, 0.11)]
    assert [found.verdict for found in verdicts if found] == ["not robust", "robust"]
