"""How often a verdict is wrong where a server fails some attempts, which are then made again, whatever decides which.

Each candidate stands at a boundary: at the passing grade, where "fail" is wrong, and just below it, where
"pass" is. It draws an answer afresh whenever it is asked, and its server fails instead of handing one over: of the wrong
ones (retries in its favour), of the right ones (against it), of any, or as an adversary who sees the evidence would have it. A
question is put up to five times. What the examination goes by is that the first attempt failed; `naive` goes by the last one.

    python -m tests.validity.test_faults [--runs 4000]
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import floor

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.validity.error_studies import print_table, runs_of, shares_of, slack
from tests.validity.test_predicted import alone, near
from tests.validity.unreadable import GRADE, UnreadRepliesCase, questions, together, verdicts
from vivavoce.certificate.claims.claim import Verdict
from vivavoce.statistics.betting import Floats

ATTEMPTS = 5
SHARES = (0.02, 0.1, 0.5, 1.0)
"""Of the answers that are aimed at, how many are not handed over."""
POLICIES = ("in favour", "against", "any", "adversary")
Errors = dict[str, float]


class FaultPolicy:
    """Fails so at an attempt; of `Readability`'s shape, as the study of unread replies asks it which to hide."""

    def __init__(self, policy: str, share: float) -> None:
        self.policy = policy
        self.share = share

    def hides(self, x: Floats, rng: np.random.Generator, *, passing: Floats, failing: Floats) -> NDArray[np.bool_]:
        """Which attempts fail; x: what their answers are worth, 0 or 1, shape (runs, replies); the evidence, shape (runs,)."""
        right = x > 0.5
        aimed = {
            "in favour": ~right,
            "against": right,
            "any": np.ones_like(right),
            # a right answer costs "pass" nothing while there is no capital, and leaves more for later ones; mirrored
            "adversary": np.where(
                (np.arange(len(x)) % 2 == 0)[:, None], right & (passing < 0)[:, None], ~right & (failing < 0)[:, None]
            ),
        }[self.policy]
        return aimed & (rng.random(x.shape) < self.share)


SERVERS = tuple(FaultPolicy(policy, share) for policy in POLICIES for share in SHARES)


def endless(runs: int, *, looks: int = 300) -> Errors:
    """Independent draws, at the grade; the larger share of the two wrong verdicts."""
    result: Errors = {}
    for server in SERVERS:
        rng = np.random.default_rng(1)
        worth = (rng.random((runs, looks, 1)) < GRADE).astype(float)
        [verdict] = verdicts((UnreadRepliesCase(worth),), server, rng)  # type: ignore[arg-type]
        result[name_of(server)] = float(max((verdict == side).mean() for side in (1, -1)))
    return result


def finite(runs: int, *, size: int = 60) -> Errors:
    """A scope of so many questions, each known or not: the truth is what the first attempts would have said."""
    result: Errors = {}
    enough = round(GRADE * size)
    for server in SERVERS:
        rng = np.random.default_rng(1)
        shares = []
        for right, wrong in ((enough - 1, 1), (enough, -1)):
            worth = rng.permuted(np.tile((np.arange(size) < right).astype(float), (runs, 1)), axis=1)[..., None]
            [verdict] = verdicts((UnreadRepliesCase(worth, population=size),), server, rng)  # type: ignore[arg-type]
            shares.append(float((verdict == wrong).mean()))
        result[name_of(server)] = max(shares)
    return result


def judge_and_people(runs: int, *, looks: int = 150, further: int = 4) -> Errors:
    """People grade one answer in five, a judge all, and neither those that met a fault; people's scores are at the grade."""
    result: Errors = {}
    nothing = np.zeros(looks)
    for server in SERVERS[: -len(SHARES)]:  # without the adversary, who would need the evidence
        rng = np.random.default_rng(1)
        ends = []
        for _ in range(runs):
            x = (rng.random((looks, further + 1)) < GRADE).astype(float)
            hidden = server.hides(x, rng, passing=nothing, failing=nothing)
            values = near(0.0, 0.2)(rng, x)
            judged, most = (np.where(hidden, end, values) for end in (0.0, 1.0))
            least, best = (np.where(hidden[:, -1], end, x[:, -1]) for end in (0.0, 1.0))
            ends.append(together(least, judged, most, further, upper=best))
        result[name_of(server)] = max(shares_of(ends))
    return result


def naive(runs: int, *, score: float = 0.5, looks: int = 60) -> float:
    """Share of wrong verdicts if the answer to the last attempt counts, of a server that fails instead of being wrong."""
    rng = np.random.default_rng(1)
    last = (rng.random((runs, looks, ATTEMPTS)) < score).any(axis=2).astype(float)
    return sum(alone(worth) is Verdict.PASS for worth in last) / runs


def costs(runs: int, shares: tuple[float, ...] = (0.0, 0.02, 0.05)) -> Iterator[float]:
    """Median number of questions until "pass" of a candidate at .9, where so many questions meet a fault by chance."""
    return (questions(share, runs=runs) for share in shares)


def name_of(server: FaultPolicy) -> str:
    """In a table's head."""
    return f"{server.share:.0%} {server.policy}"


def main() -> None:
    runs = runs_of(__doc__)
    drawn, whole = endless(runs), finite(runs)
    print_table(("faults of", "endless", "60 questions"), ((name, share, whole[name]) for name, share in drawn.items()))
    print_table(("a judge and people, faults of", "wrong"), judge_and_people(runs // 4).items())
    print(f"By the last attempt, at a true score of .5: {naive(runs // 4):.0%} wrong")
    print("Questions at 0%, 2%, 5% of faults:", *(floor(median) for median in costs(runs // 4)))


RUNS = 4_000
SLACK = slack(RUNS)


@pytest.mark.slow
@pytest.mark.parametrize("study", [endless, finite])
def test_neither_verdict_is_wrong_more_often_than_promised(study: Callable[[int], Errors]) -> None:
    errors = study(RUNS)
    assert len(errors) == len(SERVERS)
    assert max(errors.values()) <= 0.05 + SLACK
    # of a server that fails instead of being wrong nothing is ever shown that is not so
    assert errors["100% in favour"] <= 0.05 + SLACK
    assert max(errors.values()) > 0.005  # there is something to be wrong about


@pytest.mark.slow
def test_nor_where_a_judge_and_people_grade() -> None:
    assert max(judge_and_people(300).values()) <= 0.05 + slack(300)


@pytest.mark.long
def test_wrong_verdicts_are_rare_in_a_small_study() -> None:
    # 200 runs at 5%: twenty errors or more have a chance of .3% (binomial), and the seed is fixed
    assert max(endless(200, looks=80).values()) < 20 / 200


def test_by_the_last_attempt_a_candidate_that_fails_instead_of_being_wrong_always_passes() -> None:
    # right in the end with a chance of 1 - .5^5 = .97: far above .7
    assert naive(50) > 0.95


@pytest.mark.slow
def test_what_rare_faults_cost() -> None:
    none, two, five = costs(500)
    # lower ends have a mean of .9 * .98 = .882 and .9 * .95 = .855: ln 20 / K(mean, .7) is 26, 32 and 46; medians are lower
    assert none == pytest.approx(26, abs=3)
    assert none < two <= 1.5 * none
    assert two < five <= 2.2 * none


if __name__ == "__main__":
    main()
