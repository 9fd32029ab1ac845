"""How often a verdict is wrong where a candidate ends the program instead of answering, or knows the draws of a seed.

Orphans: questions that were asked and never answered are worth anything from 0 to 1, for score and rate. Which ones they are is
the candidate's choice: some at random, those that it would get wrong, or as it likes by the evidence. The candidate stands at
the passing grade, or at the limit of unacceptable answers. Graded by a second try, as if nothing had happened, its wrong
answers would be gone.

Leaked draws: a file of 1,000 questions of which the candidate knows the 60 that seed 0 draws first, and is right on these. Its
true score is just below the grade, or .06. With the seed that it knows it passes; with a seed that is drawn, and to which the
record committed before, the 60 are as good as any others.

    python -m tests.validity.test_orphans [--runs 4000]
"""

from __future__ import annotations

import numpy as np
import pytest

from tests.validity.error_studies import print_table, runs_of, slack
from tests.validity.unreadable import GRADE, NONE_READ, Errors, Readability, UnreadRepliesCase, name_of, verdicts
from vivavoce.statistics.betting import Floats

SHARES = (0.1, 0.25, 0.5)
WAYS = (
    Readability("at random", 0.0),
    *(Readability(policy, share) for share in SHARES for policy in ("at random", "in its favour", "adversary")),
    NONE_READ,
)
LIMIT = 0.05
QUESTIONS, KNOWN = 1_000, 60


def orphans(runs: int, *, readability: Readability, looks: int = 300) -> tuple[float, float]:
    """Shares of runs with a wrong verdict: by the score at the grade, and by the rate at its limit, far above the grade."""
    rng = np.random.default_rng(7)
    shares = []
    for score, limit in ((GRADE, None), (1 - LIMIT, LIMIT)):
        worth = (rng.random((runs, looks, 1)) < score).astype(float)
        (values,) = verdicts((UnreadRepliesCase(worth, limit=limit),), readability, rng)
        shares.append(float(max((values == 1).mean(), (values == -1).mean())))
    return shares[0], shares[1]


def second_tries(runs: int, share: float, *, score: float = 0.5, looks: int = 1_000) -> float:
    """Share of runs that pass where so many wrong answers become orphans that are asked again, and may be right then."""
    rng = np.random.default_rng(8)
    worth = (rng.random((runs, looks)) < score).astype(float)
    again = (worth == 0) & (rng.random((runs, looks)) < share)
    worth = np.where(again, rng.random((runs, looks)) < score, worth)
    (values,) = verdicts((UnreadRepliesCase(worth[..., None]),), Readability("at random", 0.0), rng)
    return float((values == 1).mean())


def leaked(runs: int, *, right: int, known_seed: bool, looks: int = QUESTIONS) -> float:
    """Share of runs that pass, of a candidate that is right on the first so many questions that seed 0 draws.

    looks: questions asked at most.
    """
    rng = np.random.default_rng(0)
    first = rng.permutation(QUESTIONS)
    answers = np.zeros(QUESTIONS)
    answers[first[:right]] = 1.0
    seeds = np.zeros(runs, dtype=int) if known_seed else np.arange(1, runs + 1)
    order = np.array([np.random.default_rng(seed).permutation(QUESTIONS)[:looks] for seed in seeds])
    worth: Floats = answers[order][..., None]
    (values,) = verdicts((UnreadRepliesCase(worth, population=QUESTIONS),), Readability("at random", 0.0), rng)
    return float((values == 1).mean())


def errors(runs: int) -> dict[str, Errors]:
    """By what is examined, and by which questions become orphans."""
    values = {name_of(readability): orphans(runs, readability=readability) for readability in WAYS}
    return {what: {name: both[side] for name, both in values.items()} for side, what in enumerate(("score", "rate"))}


def main() -> None:
    runs = runs_of(__doc__)
    rows = ((what, *shares.values()) for what, shares in errors(runs).items())
    print_table(("orphans", *map(name_of, WAYS)), rows)
    print(f"Asked again, at a score of .5 that ends the program at all wrong answers: {second_tries(runs, 1.0):.0%} pass")
    below = int(GRADE * QUESTIONS) - 1
    print(f"Leaked draws, at .06: {leaked(runs, right=KNOWN, known_seed=False, looks=300):.1%} pass by drawn seeds,", end=" ")
    print(f"{leaked(1, right=KNOWN, known_seed=True, looks=300):.0%} by the one that it knows")
    print(f"Leaked draws, at {below / QUESTIONS}: {leaked(runs, right=below, known_seed=False):.1%} pass by drawn seeds")


RUNS = 1_000
SLACK = slack(RUNS)


@pytest.mark.slow
@pytest.mark.parametrize("readability", WAYS, ids=map(name_of, WAYS))
def test_orphans_make_no_verdict_wrong_more_often(readability: Readability) -> None:
    assert max(orphans(RUNS, readability=readability)) <= 0.05 + SLACK


def test_wrong_answers_that_become_orphans_gain_nothing() -> None:
    # 200 runs: twenty errors of 5% or more have a chance of .3%
    assert max(orphans(200, readability=Readability("in its favour", 0.25), looks=120)) < 20 / 200
    # a second try for each wrong answer makes .75 of .5, which passes against .7
    assert second_tries(100, 1.0) > 0.5


def test_known_draws_help_with_that_seed_alone() -> None:
    assert leaked(1, right=KNOWN, known_seed=True, looks=KNOWN) == 1
    assert leaked(200, right=KNOWN, known_seed=False, looks=KNOWN) == 0


@pytest.mark.slow
def test_known_draws_pass_as_rarely_as_any_others() -> None:
    assert leaked(RUNS, right=int(0.7 * QUESTIONS) - 1, known_seed=False) <= 0.05 + SLACK


if __name__ == "__main__":
    main()
