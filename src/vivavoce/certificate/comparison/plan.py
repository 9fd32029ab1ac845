"""Plans a comparison: the probability of each verdict on two candidates, the number of questions, and the cost."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, log
from typing import Final, get_args

import numpy as np
from numpy.typing import NDArray

from vivavoce.certificate.attempts.attempt import delta_of
from vivavoce.certificate.comparison.compared import PairVerdict
from vivavoce.certificate.comparison.concluding import exact_verdict
from vivavoce.certificate.comparison.config import ComparisonPlanConfig
from vivavoce.certificate.comparison.evidence import Stopping, settled_by, statements
from vivavoce.certificate.plan import chance
from vivavoce.errors import BadInput
from vivavoce.formats.interval import Estimate, Interval
from vivavoce.statistics.betting import Floats
from vivavoce.statistics.differences import DifferenceTests
from vivavoce.statistics.plug_in import PairedDifferenceTests

Counts = NDArray[np.int64]

VERDICTS: Final[tuple[PairVerdict, ...]] = get_args(PairVerdict)
DISCORDANCES: Final = 6
"""Number of discordances that are tried by default."""
_NONE = VERDICTS.index("undecided")
_AT_ONCE = 100
"""Runs and questions that are simulated together, so that the data fit into the CPU's cache."""
_BLOCK = 32


@dataclass(frozen=True, slots=True)
class Answers:
    """How the answers of the new candidate compare with those of the baseline."""

    lost: float
    """Share of the questions that only the baseline has right; a whole number of questions if the scope is finite."""
    won: float
    """Share that only the new one has right."""
    size: int | None
    """Questions of the scope; None: endless."""

    @classmethod
    def assumed(cls, drop: float, discordance: float, size: int | None) -> Answers:
        """In a finite scope, the closest whole numbers of questions, with the drop first."""
        if size is None:
            return cls((discordance + drop) / 2, (discordance - drop) / 2, None)
        net = round(size * drop)
        won = max(0, min(round((size * discordance - abs(net)) / 2), (size - abs(net)) // 2))
        return cls((won + max(net, 0)) / size, (won + max(-net, 0)) / size, size)

    @property
    def drop(self) -> float:
        """The baseline's mean score minus the new one's."""
        return self.lost - self.won

    @property
    def discordance(self) -> float:
        """Share of the questions that one of the two has right and the other wrong."""
        return self.lost + self.won

    @property
    def counts(self) -> tuple[int, int]:
        """Questions that were lost and won, in a scope of a certain size."""
        assert self.size is not None
        return round(self.lost * self.size), round(self.won * self.size)


@dataclass(frozen=True, slots=True)
class ComparisonPower:
    """The expected outcome of a comparison of two such candidates."""

    answers: Answers
    goal: PairVerdict
    """The truth: `worse`, `better` or, without a drop, `equal`."""
    chances: dict[PairVerdict, Estimate]
    """Share of the runs that end in each verdict, with a 95% interval for the simulation's own error."""
    early: Estimate
    """Share that end in the goal before all questions of the scope are asked."""
    wrong: Estimate
    """Share that end in a verdict that is not true."""
    median: Estimate
    """Questions until the goal, with a 95% interval; infinite where fewer than half of the runs reach it."""
    p90: Estimate
    """Questions that are enough for nine of ten runs."""
    mean: float
    """Questions until the end, with any verdict."""
    money: float
    """Price of these questions, for both candidates."""

    @property
    def power(self) -> Estimate:
        """The probability of the goal."""
        return self.chances[self.goal]


@dataclass(frozen=True, slots=True)
class ComparisonPlan:
    """The power for each share of discordant questions."""

    config: ComparisonPlanConfig
    rows: tuple[ComparisonPower, ...]
    least: int | None
    """The fewest questions with which the goal can be reached, in the best order; None: not within these questions."""

    @property
    def goal(self) -> PairVerdict:
        """The truth about the new candidate."""
        return goal_of(self.config.drop)

    @property
    def delta(self) -> float:
        """Bound on the chance of a wrong statement, in the first attempt."""
        return delta_of(self.config.delta, 1)

    @property
    def whole(self) -> bool:
        """Whether all questions of the scope may be asked."""
        return self.config.size is not None and self.config.questions >= self.config.size

    @property
    def wrong_verdicts(self) -> tuple[PairVerdict, ...]:
        """The verdicts that would be wrong."""
        drop = self.rows[0].answers.drop
        return tuple(verdict for verdict in VERDICTS if not is_true(verdict, drop, self.config.margin))


def goal_of(drop: float) -> PairVerdict:
    """The truth about a new candidate whose score is lower by `drop`.

    >>> goal_of(0.05), goal_of(-0.05), goal_of(0.0)
    ('worse', 'better', 'equivalent')
    """
    return "worse" if drop > 0 else "better" if drop < 0 else "equivalent"


def is_true(verdict: PairVerdict, drop: float, margin: float) -> bool:
    """Whether a verdict is true; `undecided` states nothing.

    >>> [verdict for verdict in VERDICTS if is_true(verdict, 0.01, 0.02)]
    ['worse', 'equivalent', 'not worse', 'undecided']
    """
    within = {"equivalent": abs(drop) <= margin + 1e-12, "not worse": drop <= margin + 1e-12}
    return {"better": drop < 0, "worse": drop > 0, **within}.get(verdict, True)


def plan_comparison(config: ComparisonPlanConfig) -> ComparisonPlan:
    """Simulate comparisons of two candidates such as these, by the tests and the rule of `compare`, first attempts.

    Raises `BadInput` if nothing can be shown: for a drop of less than half a question in a scope of that size, or for no drop
    and no margin.

    >>> plan = plan_comparison(ComparisonPlanConfig(drop=0.2, discordance=0.2, simulations=200))
    >>> plan.rows[0].power.value, plan.rows[0].median.value
    (1.0, 37)
    """
    if config.drop == 0 and config.margin == 0:
        raise BadInput("a plan needs a drop or a margin: give one of them")
    if config.size is not None and config.drop != 0 and round(config.size * config.drop) == 0:
        raise BadInput(
            f"a drop of {config.drop:g} is less than half a question of {config.size}: no scope of this size can show it, "
            "even if all of its questions are asked"
        )
    rows = tuple(
        _power(config, Answers.assumed(config.drop, discordance, config.size)) for discordance in _discordances(config)
    )
    likeliest = max((row.answers for row in rows), key=lambda answers: answers.discordance)
    return ComparisonPlan(config, rows, _least(config, likeliest))


def _discordances(config: ComparisonPlanConfig) -> tuple[float, ...]:
    if config.discordance is not None:
        return (config.discordance,)
    least, most = config.discordances
    between = np.linspace(least, most, DISCORDANCES)[1:-1].round(3)
    return tuple(np.unique([least, *between[(least < between) & (between < most)], most]).tolist())


def _power(config: ComparisonPlanConfig, answers: Answers) -> ComparisonPower:
    ended, verdicts = simulate(config, answers, np.random.default_rng(config.seed))
    goal, runs = goal_of(config.drop), config.simulations
    reached = verdicts == VERDICTS.index(goal)
    untrue = [index for index, entry in enumerate(VERDICTS) if not is_true(entry, answers.drop, config.margin)]
    until = np.sort(np.where(reached, ended.astype(np.float64), inf))
    mean = float(ended.mean())
    return ComparisonPower(
        answers=answers,
        goal=goal,
        chances={entry: chance(int(np.count_nonzero(verdicts == index)), runs) for index, entry in enumerate(VERDICTS)},
        early=chance(int(np.count_nonzero(reached & (ended != answers.size))), runs),
        wrong=chance(int(np.isin(verdicts, untrue).sum()), runs),
        median=_quantile(until, 0.5),
        p90=_quantile(until, 0.9),
        mean=mean,
        money=2 * mean * config.price,
    )


def _quantile(ordered: Floats, level: float) -> Estimate:
    """A quantile, and its 95% interval between two of the values: how many lie below it is binomial."""
    from scipy.stats import binom  # to import it takes as long as a short plan

    runs = ordered.size
    low, high = (int(binom.ppf(end, runs, level)) for end in (0.025, 0.975))
    upper = float(ordered[high]) if high < runs else inf
    value = float(ordered[int(np.ceil(runs * level)) - 1])
    return Estimate(value if value == inf else int(value), Interval(float(ordered[max(low - 1, 0)]), upper), runs)


def simulate(
    config: ComparisonPlanConfig, answers: Answers, rng: np.random.Generator, rule: Stopping = "any"
) -> tuple[Counts, Counts]:
    """The number of questions at the end of each run, and the index of its verdict in `VERDICTS`.

    rule: which statements are made, and when a run ends; a gate passes with "not worse" and fails with "worse".
    """
    most = min(config.questions, config.size or config.questions)
    ended, verdicts = np.full(config.simulations, most), np.full(config.simulations, _NONE)
    for start in range(0, config.simulations, _AT_ONCE):
        some = slice(start, min(start + _AT_ONCE, config.simulations))
        ended[some], verdicts[some] = _simulate_some(config, answers, some.stop - some.start, most, rng, rule)
    if most == config.size:
        sure = exact_verdict(-answers.drop, -answers.drop, config.margin) or "undecided"
        verdicts[ended == most] = VERDICTS.index(sure)
    return ended, verdicts


def _simulate_some(
    config: ComparisonPlanConfig, answers: Answers, runs: int, most: int, rng: np.random.Generator, rule: Stopping
) -> tuple[Counts, Counts]:
    margin, delta = config.margin, delta_of(config.delta, 1)
    ended, verdicts, alive = np.full(runs, most), np.full(runs, _NONE), np.arange(runs)
    made = np.zeros((runs, 4), dtype=bool)
    tests = PairedDifferenceTests(runs, margin, aim=margin, population=answers.size)
    draws = _Draws(answers, runs, rng)
    while tests.n < most and alive.size:
        before, d = tests.n, draws.take(min(_BLOCK, most - tests.n))
        log_e = np.moveaxis(tests.update(d, d), 0, -1)
        new = statements(log_e[:, :, None], rule, delta, margin)[:, :, 0]
        path = np.logical_or.accumulate(new, axis=1) | made[:, None]
        values = _verdicts(path)
        over = settled_by(path, rule)
        first, settled = over.argmax(axis=1), np.asarray(over.any(axis=1))
        ended[alive[settled]] = before + 1 + first[settled]
        verdicts[alive[settled]] = values[settled, first[settled]]
        verdicts[alive[~settled]] = values[~settled, -1]
        made, alive = path[~settled, -1], alive[~settled]
        tests.drop(settled)
        draws.keep(np.flatnonzero(~settled))
    return ended, verdicts


def _verdicts(made: NDArray[np.bool_]) -> Counts:
    """The index of the verdict by the first statement that was made, along the last axis."""
    better, worse, no_worse, no_better = np.moveaxis(made, -1, 0)
    result: Counts = np.select([better, worse, no_worse & no_better, no_worse], [0, 1, 2, 3], _NONE)
    return result


class _Draws:
    """The differences of runs, new candidate minus baseline, in drawn order."""

    def __init__(self, answers: Answers, runs: int, rng: np.random.Generator) -> None:
        self._answers, self._runs, self._rng = answers, runs, rng
        if answers.size is not None:
            lost, won = answers.counts
            self._left = np.tile([lost, won, answers.size - lost - won], (runs, 1))
            """Questions that are left: lost, won, alike."""

    def take(self, questions: int) -> Floats:
        """The next ones: shape (runs, questions)."""
        if self._answers.size is None:
            u = self._rng.random((self._runs, questions))
            return np.where(u < self._answers.lost, -1.0, np.where(u < self._answers.discordance, 1.0, 0.0))
        lost = self._rng.hypergeometric(self._left[:, 0], self._left[:, 1:].sum(axis=1), questions)
        won = self._rng.hypergeometric(self._left[:, 1], self._left[:, 2], questions - lost)
        self._left -= np.stack([lost, won, questions - lost - won], axis=1)
        numbers = np.arange(questions)
        d = np.where(numbers < lost[:, None], -1.0, np.where(numbers < (lost + won)[:, None], 1.0, 0.0))
        return self._rng.permuted(d, axis=1)

    def keep(self, runs: NDArray[np.intp]) -> None:
        """Continue with these runs only, by index."""
        self._runs = runs.size
        if self._answers.size is not None:
            self._left = self._left[runs]


def _least(config: ComparisonPlanConfig, answers: Answers) -> int | None:
    """Questions until it is clear which is better, with the best order: evidence first, then ties; None if they are not
    enough.
    """
    most = min(config.questions, config.size or config.questions)
    if config.drop == 0:
        return None
    ahead = most if answers.size is None else max(answers.counts)
    tests, goal = DifferenceTests([0.0], population=answers.size), log(2 / delta_of(config.delta, 1))
    while tests.n < most:
        before = tests.n
        d = (np.arange(before, min(before + _BLOCK, most)) < ahead).astype(np.float64)
        enough = np.flatnonzero(tests.update(d[None])[0] >= goal)
        if enough.size:
            return before + int(enough[0]) + 1
    return most if most == config.size else None
