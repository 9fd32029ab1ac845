"""Comparisons beside the figures that other programs print for two runs: at a fixed number of questions, and looked at often.

- unpaired: lm-evaluation-harness and Inspect print for each run its mean score and its standard error, sd / sqrt(n) with n - 1
  in the variance. Two runs differ "significantly" where the difference exceeds 1.96 times the root of the sum of both squares.
- paired: the textbook's t test of the mean of the differences.
- betting: `viva compare`, direction only, at delta = .05 in all.

Each is asked for a verdict at a fixed number of answers, and by one who looks after every 50 answers and stops at the first
verdict. Candidates are simulated: equal ones, whose answers go together or not, and one that is worse by 5 points. Recorded
models are taken as they are, and as equals: on each question a coin says whose answer is whose.

    python -m tests.validity.test_peers [--runs 4000] [--data DIR]
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import combinations
from math import sqrt
from pathlib import Path
from typing import Final

import numpy as np
import pytest
import scipy
from numpy.typing import NDArray

from tests.validity.error_studies import DELTA, RecordedAnswers, data_folder, parser_of
from vivavoce.statistics.differences import DifferenceTests

Floats = NDArray[np.float64]
Signs = NDArray[np.int64]
EVERY: Final = 50
MOST: Final = 1_000
FIXED: Final = 500
_AT_ONCE = 200


@dataclass(frozen=True)
class PeerCase:
    """Two simulated candidates that are right on .8 of the questions, the second on `drop` fewer."""

    name: str
    discordant: float
    """Share of the questions that one has right and the other wrong."""
    drop: float = 0.0

    def draw(self, rng: np.random.Generator, runs: int, questions: int = MOST) -> tuple[Floats, Floats]:
        """Scores of both: shape (runs, questions)."""
        lost, won = (self.discordant + self.drop) / 2, (self.discordant - self.drop) / 2
        u = rng.random((runs, questions))
        only_first, only_second = u < lost, (lost <= u) & (u < lost + won)
        both = (lost + won <= u) & (u < won + 0.8)
        return (only_first | both).astype(float), (only_second | both).astype(float)


CASES: Final = (
    PeerCase("equal, answers go together", 0.1),
    PeerCase("equal, answers independent", 0.32),
    PeerCase("5 points worse, answers go together", 0.1, 0.05),
    PeerCase("5 points worse, answers independent", 0.35, 0.05),
)


def unpaired(first: Floats, second: Floats, looks: NDArray[np.intp]) -> Signs:
    """By the standard errors of two runs, at each of these numbers of answers: 1 the first is better, -1 worse, 0 neither."""
    (values, se_one), (other, se_other) = (mean_and_error(scores, looks) for scores in (first, second))
    return _signs(values - other, np.hypot(se_one, se_other), np.full(looks.size, scipy.stats.norm.isf(DELTA / 2)))


def paired(first: Floats, second: Floats, looks: NDArray[np.intp]) -> Signs:
    """By the t test of differences."""
    return _signs(*mean_and_error(first - second, looks), np.asarray(scipy.stats.t.isf(DELTA / 2, looks - 1)))


def betting(first: Floats, second: Floats, looks: NDArray[np.intp], *, population: int | None = None) -> Signs:
    """By what `viva compare` bets; what it has once found it does not take back, so that a look sees all that came before."""
    result = np.zeros((len(first), looks.size), dtype=np.int64)
    for start in range(0, len(first), _AT_ONCE):
        d = (first - second)[start : start + _AT_ONCE, : looks[-1]]
        path = DifferenceTests(np.zeros(2 * len(d)), population=population).update(np.concatenate([d, -d]))
        enough = path.reshape(2, *d.shape) >= np.log(2 / DELTA)
        when = np.where(enough.any(axis=2), enough.argmax(axis=2), MOST**2)
        sign = np.where(when[0] <= when[1], 1, -1)
        result[start : start + len(d)] = np.where(when.min(axis=0)[:, None] < looks, sign[:, None], 0)
    return result


METHODS: Final[Mapping[str, Callable[[Floats, Floats, NDArray[np.intp]], Signs]]] = {
    "unpaired": unpaired, "paired": paired, "betting": betting,
}  # fmt: skip


def mean_and_error(values: Floats, looks: NDArray[np.intp]) -> tuple[Floats, Floats]:
    """Mean and standard error of the first values of each row, after each of these numbers: shape (runs, looks).

    >>> mean, error = mean_and_error(np.array([[1.0, 0.0, 1.0, 1.0]]), np.array([4]))
    >>> float(mean[0, 0]), float(error[0, 0])
    (0.75, 0.25)
    """
    mean = values.cumsum(axis=1)[:, looks - 1] / looks
    square = (values**2).cumsum(axis=1)[:, looks - 1] / looks
    return mean, np.sqrt(np.maximum(square - mean**2, 0.0) / (looks - 1))


def _signs(difference: Floats, error: Floats, times: Floats) -> Signs:
    result: Signs = np.where(np.abs(difference) > times * error, np.sign(difference), 0).astype(np.int64)
    return result


def first_verdict(signs: Signs) -> Signs:
    """Of one who looks, stops at the first verdict, and reports it."""
    result: Signs = signs[np.arange(len(signs)), (signs != 0).argmax(axis=1)]
    return result


@dataclass(frozen=True)
class Rates:
    """Share of runs with a verdict."""

    fixed: float
    """At a fixed number of answers."""
    often: float
    """At one of the looks."""
    agree: float
    """Share of runs in which the verdict at the fixed number is that of the paired t test."""
    opposite: float
    """In which they are opposite."""


def rates(first: Floats, second: Floats) -> dict[str, Rates]:
    """Of each method on these runs, shape (runs, questions)."""
    looks = np.arange(EVERY, first.shape[1] + 1, EVERY)
    at = int(np.flatnonzero(looks == min(FIXED, looks[-1]))[0])
    signs = {name: method(first, second, looks) for name, method in METHODS.items()}
    usual = signs["paired"][:, at]
    return {
        name: Rates(
            float((sign[:, at] != 0).mean()),
            float((first_verdict(sign) != 0).mean()),
            float((sign[:, at] == usual).mean()),
            float((sign[:, at] * usual < 0).mean()),
        )
        for name, sign in signs.items()
    }


def drawn_pairs(scores: Floats, *, times: int, equal: bool, seed: int = 0) -> tuple[Floats, Floats, Signs]:
    """Answers of all pairs to questions in random orders, each pair so many times, and who is better on all questions.

    equal: on each question a coin says whose answer is whose, so that nobody is better.
    """
    rng, pairs = np.random.default_rng(seed), list(combinations(range(len(scores)), 2)) * times
    orders = [rng.choice(scores.shape[1], MOST, replace=False) for _ in pairs]
    first, second = (
        np.stack([scores[pair[side], order] for pair, order in zip(pairs, orders, strict=True)]) for side in (0, 1)
    )
    means = scores.mean(axis=1)
    better = np.array([np.sign(means[number] - means[other]) for number, other in pairs]).astype(np.int64)
    if equal:
        swap = rng.random(first.shape) < 0.5
        first, second = np.where(swap, second, first), np.where(swap, first, second)
        better = np.zeros_like(better)
    return first, second, better


def wrong_of_recorded(first: Floats, second: Floats, better: Signs) -> dict[str, tuple[float, float]]:
    """Of one who looks often: the share of pairs with a verdict that is false, and with one that is true."""
    looks = np.arange(EVERY, MOST + 1, EVERY)
    values = {name: first_verdict(method(first, second, looks)) for name, method in METHODS.items()}
    return {name: (float((reply * better < 0).mean()), float((reply * better > 0).mean())) for name, reply in values.items()}


def main() -> None:
    """Print all tables."""
    parser = parser_of(__doc__)
    parser.add_argument("--data", type=Path)
    given = parser.parse_args()
    for index, case in enumerate(CASES):
        _print(case.name, rates(*case.draw(np.random.default_rng(index), given.runs)))
    if given.data is not None:
        scores = RecordedAnswers.read(given.data).scores
        times = max(1, given.runs // (len(scores) * (len(scores) - 1) // 2))
        _print("recorded models as equals", rates(*drawn_pairs(scores, times=times, equal=True)[:2]))
        pairs = drawn_pairs(scores, times=times, equal=False)
        _print("recorded models", rates(*pairs[:2]))
        for name, (wrong, right) in wrong_of_recorded(*pairs).items():
            print(f"  {name:<9} looked at often: false {wrong:.2%}, true {right:.1%}")


def _print(name: str, values: Mapping[str, Rates]) -> None:
    print(name, flush=True)
    for method, entry in values.items():
        text = f"verdict at {FIXED} {entry.fixed:.1%}, every {EVERY} up to {MOST} {entry.often:.1%}"
        print(f"  {method:<9} {text}; as the t test {entry.agree:.1%}, opposite {entry.opposite:.2%}", flush=True)


RUNS = 1_000
NOISE = 4 * sqrt(DELTA * (1 - DELTA) / RUNS)
"""Four standard errors at 5%."""


def test_the_figures_are_those_of_the_textbook() -> None:
    """By scipy: the standard error of a run, and the paired t test."""
    first, second = CASES[3].draw(np.random.default_rng(1), 20, 400)
    looks = np.array([50, 400])
    _, errors = mean_and_error(first, looks)
    assert errors[:, 1] == pytest.approx(scipy.stats.sem(first, axis=1))
    values = paired(first, second, looks)
    for index, n in enumerate(looks):
        tested = scipy.stats.ttest_rel(first[:, :n], second[:, :n], axis=1)
        assert (values[:, index] == np.where(tested.pvalue < DELTA, np.sign(tested.statistic), 0)).all()


def test_the_standard_error_is_the_one_that_inspect_prints() -> None:
    """By the program's own metrics, on the same scores."""
    scorer = pytest.importorskip("inspect_ai.scorer")
    first, _ = CASES[1].draw(np.random.default_rng(6), 5, 400)
    means, errors = mean_and_error(first, np.array([50, 400]))
    for run, scores in enumerate(first):
        for index, n in enumerate((50, 400)):
            samples = [scorer.SampleScore(score=scorer.Score(value=float(score))) for score in scores[:n]]
            assert means[run, index] == pytest.approx(scorer.mean()(samples))
            assert errors[run, index] == pytest.approx(scorer.stderr()(samples))


def test_the_standard_error_is_the_one_that_lm_evaluation_harness_prints() -> None:
    """Written out as its `mean_stderr` is: the deviation of the sample over the root of n. It is not installed here."""
    first, _ = CASES[1].draw(np.random.default_rng(7), 5, 300)
    _, errors = mean_and_error(first, np.array([300]))
    for run, scores in enumerate(first.tolist()):
        mu = sum(scores) / len(scores)
        deviation = sqrt(sum((score - mu) ** 2 for score in scores) / (len(scores) - 1))
        assert errors[run, 0] == pytest.approx(deviation / sqrt(len(scores)))


def test_the_cases_are_what_they_say() -> None:
    for case in CASES:
        first, second = case.draw(np.random.default_rng(2), 200)
        assert first.mean() == pytest.approx(0.8, abs=0.01)
        assert (first - second).mean() == pytest.approx(case.drop, abs=0.005)
        assert (first != second).mean() == pytest.approx(case.discordant, abs=0.005)
    for case in (CASES[1], CASES[3]):
        first, second = case.draw(np.random.default_rng(3), 200)
        assert np.corrcoef(first.ravel(), second.ravel())[0, 1] == pytest.approx(0, abs=0.01)


@pytest.mark.parametrize("case", [pytest.param(case, id=case.name) for case in CASES[:2]])
def test_looked_at_often_only_betting_keeps_its_promise(case: PeerCase) -> None:
    values = rates(*case.draw(np.random.default_rng(4), RUNS))
    assert values["paired"].fixed == pytest.approx(DELTA, abs=NOISE)
    assert values["paired"].often > 3 * DELTA
    assert values["betting"].often <= DELTA + NOISE
    if case is CASES[0]:
        assert values["unpaired"].fixed < 0.01  # it sees twice the spread that there is
    else:
        assert values["unpaired"].often > 3 * DELTA


def test_a_drop_is_found_by_all_and_never_the_other_way_round() -> None:
    values = rates(*CASES[2].draw(np.random.default_rng(5), RUNS))
    assert values["betting"].often > 0.9
    assert all(entry.opposite == 0 for entry in values.values())
    assert values["betting"].fixed > values["unpaired"].fixed


@pytest.mark.slow
@pytest.mark.data
def test_so_it_is_with_recorded_models() -> None:
    scores = RecordedAnswers.read(data_folder()).scores
    first, second, _ = drawn_pairs(scores, times=4, equal=True)
    assert first.shape[1] == MOST
    values = rates(first, second)
    assert values["paired"].often > 3 * DELTA
    assert values["betting"].often <= DELTA + 4 * sqrt(DELTA * (1 - DELTA) / len(first))
    wrong = wrong_of_recorded(*drawn_pairs(scores, times=4, equal=False))
    assert wrong["betting"][0] < wrong["paired"][0]


if __name__ == "__main__":
    main()
