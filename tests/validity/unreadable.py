"""How often a verdict is wrong where some replies cannot be read, whatever decides which.

Each candidate stands at a boundary: at the passing grade, where "fail" is wrong, and just below it, where
"pass" is. What its replies are worth is known to the study alone. A share of them cannot be read: drawn at random, the
wrong ones first (in the candidate's favour), the right ones first (against it), or chosen by an adversary who sees the evidence
and hides a reply while that costs the wrong verdict nothing that it has. Looked at after every unit.

That an examination ends without a verdict once it is shown to stay open is left out here: it can only make errors rarer.

    python -m tests.validity.unreadable [--runs 4000]
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice, product
from math import ceil, floor, log

import numpy as np
from numpy.typing import NDArray

from tests.validity import deployed as use
from tests.validity.error_studies import each_once, print_table, runs_of
from tests.validity.test_design_error_rates import MASSES, RATES, SCORES, SIZES
from tests.validity.test_predicted import near
from vivavoce.certificate.claims.claim import Criterion, Verdict
from vivavoce.certificate.evidence.sequential import SequentialTest, fail_evidence
from vivavoce.certificate.graders.judge import PredictedSequentialTest
from vivavoce.statistics.betting import BettingTest, Floats
from vivavoce.statistics.confidence_sequences import LEAN, mean_below, mean_passes, rate_above, rate_below
from vivavoce.statistics.stratified import (
    StratifiedMeanTests,
    mean_above_in_strata,
    mean_passes_in_strata,
    proportional,
    rate_above_in_strata,
    rate_below_in_strata,
)

GRADE, DELTA = 0.7, 0.05
ENOUGH = float(np.log(1 / DELTA)) - 1e-9
_AT_ONCE = 250
"""Runs over strata at once: more do not fit into a cache."""
Hidden = NDArray[np.bool_]
POLICIES = ("at random", "in its favour", "against it", "adversary")
SHARES = (0.05, 0.3)


@dataclass(frozen=True)
class Readability:
    """Which replies cannot be read."""

    policy: str
    share: float

    def hides(self, x: Floats, rng: np.random.Generator, *, passing: Floats, failing: Floats) -> Hidden:
        """x: what the next unit's replies are worth, in [0, 1], shape (runs, replies); the evidence so far, shape (runs,)."""
        chance = rng.random(x.shape)
        if self.policy == "at random":
            return chance < self.share
        right = x > 0.5
        if self.policy == "adversary":
            # a right answer costs "pass" nothing while there is no capital, and leaves more for later ones; mirrored
            for_pass = right & (passing < 0)[:, None]
            for_fail = ~right & (failing < 0)[:, None]
            aims = (np.arange(len(x)) % 2 == 0)[:, None]
            return np.where(aims, for_pass, for_fail) & (chance < self.share)
        first = ~right if self.policy == "in its favour" else right
        part = 1 - GRADE if self.policy == "in its favour" else GRADE
        return chance < np.where(first, min(1.0, self.share / part), max(0.0, (self.share - part) / (1 - part)))


ALL_READ, NONE_READ = Readability("at random", 0.0), Readability("at random", 1.0)
WAYS = (ALL_READ, *(Readability(policy, share) for share in SHARES for policy in POLICIES), NONE_READ)


class Capital:
    """A `BettingTest` for many runs at once, one value at a time."""

    def __init__(self, test: BettingTest, runs: int) -> None:
        self._test = test
        self._capital = np.tile(np.exp(test._log_capital), (runs, 1))
        self._log_scale, self._sum, self._n = np.zeros(runs), np.zeros(runs), 0
        self.log_e = np.zeros(runs)

    def _next(self) -> tuple[Floats, Floats]:
        """For the next value the null, shape (runs, 1), 1 where there is nothing to bet on, and the alternatives."""
        test = self._test
        if test._population is None:
            return np.full((self._sum.size, 1), test._null), np.tile(test._alternatives, (self._sum.size, 1))
        size, left = test._population, test._population - self._n
        null = (size * test._null - self._sum) / left
        undecided = (null * left > 1e-9 * size) & (null < 1)
        m = np.where(undecided, null, 1.0)[:, None]
        return m, np.clip((size * test._alternatives - self._sum[:, None]) / left, m, 1.0)

    def take(self, values: Floats) -> Floats:
        """The log e-value of each run after one more value."""
        test = self._test
        x = 1 - values if test._mirrored else values
        m, p = self._next()
        self._capital *= np.maximum(1 + (p - m) / (m * np.where(m < 1, 1 - m, 1.0)) * (x[:, None] - m), 0.0)
        size = np.inf if test._population is None else test._population
        refuted = self._sum + x > size * (test._null + 1e-9)
        self._n += 1
        self._sum += x
        total = self._capital.sum(axis=1)
        if self._n % 20 == 0:
            self._capital /= np.maximum(total, 1e-300)[:, None]
            self._log_scale += np.log(np.maximum(total, 1e-300))
            total = np.minimum(total, 1.0) if not total.all() else np.ones_like(total)
        with np.errstate(divide="ignore"):
            self.log_e = np.where(refuted, np.inf, np.log(total) + self._log_scale)
        return self.log_e


class ManyLeaningTests(Capital):
    """A `LeaningTest` for many runs at once."""

    def __init__(self, test: BettingTest, runs: int, *, goal: float) -> None:
        super().__init__(test, runs)
        self._goal = goal
        self._leans, self._whole = np.zeros(runs, dtype=bool), np.ones(runs, dtype=bool)
        self._led = np.zeros(runs)
        """The log e-value, where it leans."""

    def take_ends(self, values: Floats, unsure: Hidden) -> Floats:
        """The log e-value of each run after one more value, which may be a lower end."""
        m, p = self._next()
        shares = self._capital / np.maximum(self._capital.sum(axis=1, keepdims=True), 1e-300)
        mean = (shares * p).sum(axis=1)
        further = LEAN * np.sqrt((shares * (p - mean[:, None]) ** 2).sum(axis=1))
        leaning = np.minimum(mean + further, (1 + mean) / 2)
        m, before = m[:, 0], self._led
        enough = m * np.exp(np.clip(self._goal - before, -1.0, 5.0))
        aims = (before < self._goal) & (enough < 1)
        aims &= np.where(enough < leaning, self._whole, enough <= np.minimum(leaning + further, (1 + leaning) / 2))
        bet = np.where(aims, enough, leaning)
        open_ = (m < 1) & (self._capital.sum(axis=1) > 0)
        factor = np.where(open_, 1 + (bet - m) / (m * np.where(m < 1, 1 - m, 1.0)) * (values - m), 1.0)
        mixture = self.take(values)
        with np.errstate(divide="ignore"):
            led = np.where(mixture == np.inf, np.inf, before + np.log(np.maximum(factor, 0.0)))
        self._led = np.where(self._leans, led, mixture)
        self._leans |= unsure
        self._whole &= (values == 0) | (values == 1)
        return self._led


@dataclass(frozen=True)
class UnreadRepliesCase:
    """One way to test: what each unit's replies are worth, how they count, and what is tested."""

    worth: Floats
    """In [0, 1], shape (runs, units, replies of a unit)."""
    grade: float = GRADE
    population: int | None = None
    limit: float | None = None
    """Of unacceptable answers, where every score of 0 is one."""
    weight: Floats | None = None
    """What each unit counts, in [0, 1], shape (runs, units)."""
    delta: float = DELTA
    partial_credit: bool = False


def verdicts(courses: tuple[UnreadRepliesCase, ...], ways: Readability, rng: np.random.Generator) -> list[NDArray[np.int64]]:
    """For each course the verdict of each run: 1 understands, -1 does not, 0 none; the same replies are hidden in all."""
    tests = [_JudgedRuns(course) for course in courses]
    for t in range(courses[0].worth.shape[1]):
        x = courses[0].worth[:, t]
        hidden = ways.hides(x, rng, passing=tests[0].passing, failing=tests[0].failing)
        for test in tests:
            test.take(t, hidden)
    return [test.verdict for test in tests]


class _JudgedRuns:
    """A course and its evidence."""

    def __init__(self, course: UnreadRepliesCase) -> None:
        runs = len(course.worth)
        self._course, grade, n = course, course.grade, course.population
        above = mean_passes(grade, population=n, partial_credit=course.partial_credit)
        self._passing = ManyLeaningTests(above, runs, goal=-log(course.delta))
        self._failing = Capital(mean_below(grade, population=n), runs)
        limit = course.limit
        self._rate = None if limit is None else (Capital(rate_below(limit), runs), Capital(rate_above(limit), runs))
        self._best = np.full((2, runs), -np.inf)
        self._sums = np.zeros((2, runs))
        self.passing, self.failing = np.zeros(runs), np.zeros(runs)
        self.verdict = np.zeros(runs, dtype=np.int64)

    def take(self, t: int, hidden: Hidden) -> None:
        course = self._course
        x, w = course.worth[:, t], 1.0 if course.weight is None else course.weight[:, t]
        low, high = (np.where(hidden, end, x).mean(axis=1) * w for end in (0.0, 1.0))
        self.passing, self.failing = self._passing.take_ends(low, high > low), self._failing.take(high)
        rare: Floats | float = np.inf
        fails = self.failing
        if self._rate is not None:  # unacceptable is what scores 0
            rare = self._rate[0].take(1 - low)
            fails = fail_evidence(fails, self._rate[1].take(1 - high))
        self._best = np.maximum(self._best, [self.passing, np.broadcast_to(rare, self.passing.shape)])
        self._sums += [low, high]
        enough = -np.log(course.delta) - 1e-9
        good, bad = (self._best >= enough).all(axis=0), fails >= enough
        where = np.where(bad, -1, np.where(good, 1, 0))
        if t + 1 == course.population:
            low, high = self._sums / course.population
            exact = np.where(low >= course.grade - 1e-9, 1, np.where(high < course.grade - 1e-9, -1, 0))
            where = np.where(where == 0, exact, where)
        self.verdict = np.where(self.verdict == 0, where, self.verdict)


Errors = dict[str, float]
"""The larger of the shares of runs with either wrong verdict, by what decides which replies can be read."""


def name_of(readability: Readability) -> str:
    """In a table's head."""
    return f"{readability.share:.0%}" + (f" {readability.policy}" if 0 < readability.share < 1 else "")


def _worst(cases: Callable[[np.random.Generator], Iterator[tuple[tuple[UnreadRepliesCase, ...], tuple[int, ...]]]]) -> Errors:
    """cases: courses, and for each course the verdict that is wrong; 2 where both are."""
    errors: Errors = {}
    for readability in WAYS:
        rng = np.random.default_rng(1)
        shares = []
        for courses, wrong in cases(rng):
            values = verdicts(courses, readability, rng)
            if len(courses) > 1:  # any of them
                shares.append(np.any([v == w for v, w in zip(values, wrong, strict=True)], axis=0).mean())
            elif wrong == (2,):
                shares += [(values[0] == 1).mean(), (values[0] == -1).mean()]
            else:
                shares.append((values[0] == wrong[0]).mean())
        errors[name_of(readability)] = float(max(shares))
    return errors


def endless(runs: int) -> Errors:
    """Independent draws, at the grade."""
    return _worst(lambda rng: iter([((UnreadRepliesCase(_ones(rng, GRADE, (runs, 300, 1))),), (2,))]))


def zero_is_unacceptable(runs: int) -> Errors:
    """Independent draws, far above the grade; every score of 0 is unacceptable, and their rate is at the limit."""
    return _worst(lambda rng: iter([((UnreadRepliesCase(_ones(rng, 0.95, (runs, 300, 1)), limit=0.05),), (2,))]))


def clusters(runs: int) -> Errors:
    """Five replies a unit, by their means."""
    return _worst(lambda rng: iter([((UnreadRepliesCase(_ones(rng, GRADE, (runs, 120, 5))),), (2,))]))


def strata(runs: int, *, once: bool) -> Errors:
    """Strata that differ, drawn independently or each question once: the score at the grade, the rate at the limit.

    A reply that cannot be read may be unacceptable, too. Each of the four statements is an error where it is false.
    """
    sizes = SIZES if once else None
    order = np.array(list(islice(proportional(MASSES, sizes=sizes), 70)))
    sides: tuple[tuple[Callable[[], StratifiedMeanTests], bool, tuple[int, ...]], ...] = (
        # the test, whether it takes 1 for what it is against, and the ones of each stratum: just enough, or one less or more
        (lambda: mean_passes_in_strata(GRADE, MASSES, sizes=sizes, rows=_AT_ONCE), True, (90, 36, 12, 1)),
        (lambda: mean_above_in_strata(1 - GRADE, MASSES, sizes=sizes, rows=_AT_ONCE), False, (90, 36, 12, 2)),
        (lambda: rate_below_in_strata(0.05, MASSES, sizes=sizes, rows=_AT_ONCE), False, (2, 3, 3, 3)),
        (lambda: rate_above_in_strata(0.05, MASSES, sizes=sizes, rows=_AT_ONCE), True, (2, 3, 3, 2)),
    )
    errors: Errors = {}
    for readability in WAYS:
        rng, wrong = np.random.default_rng(1), np.zeros(4)
        for _, side in product(range(runs // _AT_ONCE), range(4)):
            made, plain, ones = sides[side]
            means = np.array(SCORES if side < 2 else RATES)[order]
            drawn = (rng.random((_AT_ONCE, order.size)) < means).astype(float)
            lists = [(np.arange(size) < number).astype(float) for size, number in zip(SIZES, ones, strict=True)]
            x = each_once(lists, order, _AT_ONCE, rng) if once else drawn
            x, tests, shown, log_e = x if plain else 1 - x, made(), np.zeros(_AT_ONCE, dtype=bool), np.zeros(_AT_ONCE)
            for t, stratum in enumerate(order.tolist()):
                hidden = readability.hides(x[:, t : t + 1], rng, passing=log_e, failing=log_e)[:, 0]
                least = np.where(hidden, 0.0, x[:, t])
                log_e = tests.update(least[:, None], [stratum], known=~hidden[:, None])[:, 0]
                shown |= log_e >= ENOUGH
            wrong[side] += shown.sum()
        errors[name_of(readability)] = float(wrong.max()) / (runs // _AT_ONCE * _AT_ONCE)
    return errors


def finite(size: int, runs: int) -> Errors:
    """A scope of so many questions, asked whole."""

    def cases(rng: np.random.Generator) -> Iterator[tuple[tuple[UnreadRepliesCase, ...], tuple[int, ...]]]:
        enough = ceil(GRADE * size - 1e-9)
        for right, wrong in ((enough - 1, 1), (enough, -1)):
            x = rng.permuted(np.tile((np.arange(size) < right).astype(float), (runs, 1)), axis=1)[..., None]
            yield (UnreadRepliesCase(x, population=size),), (wrong,)

    return _worst(cases)


def weights(runs: int) -> Errors:
    """120 questions of weights 1 to 4, drawn evenly, each once."""

    def cases(rng: np.random.Generator) -> Iterator[tuple[tuple[UnreadRepliesCase, ...], tuple[int, ...]]]:
        weight = 1 + 3 * rng.random(120)
        order = rng.permutation(120)
        right = np.zeros(120)
        right[order] = np.cumsum(weight[order]) < GRADE * weight.sum()
        true, largest = float((right * weight).sum() / weight.sum()), weight.max() / weight.mean()
        for grade, wrong in ((true + 1e-6, 1), (true, -1)):
            drawn = rng.permuted(np.tile(np.arange(120), (runs, 1)), axis=1)
            course = UnreadRepliesCase(right[drawn][..., None], grade / largest, 120, weight=(weight / weight.max())[drawn])
            yield (course,), (wrong,)

    return _worst(cases)


def deployed(runs: int) -> Errors:
    """Two verdicts on the same answers, each at half of the error, at the grade as a whole and nearly so as used."""

    def cases(rng: np.random.Generator) -> Iterator[tuple[tuple[UnreadRepliesCase, ...], tuple[int, ...]]]:
        weight = use.weights_of(rng)
        right = use.candidate(weight, rng, whole=GRADE, used=GRADE)
        truths = float(right.mean()), float((weight * right).mean())
        largest, size = float(weight.max()), use.QUESTIONS
        for step in (0.0, 1e-6):
            grade = truths[0] + step
            wrong = tuple(-1 if truth >= grade - 1e-9 else 1 for truth in truths)
            drawn = rng.permuted(np.tile(np.arange(size), (runs, 1)), axis=1)
            x = right[drawn][..., None]
            whole = UnreadRepliesCase(x, grade, size, delta=DELTA / 2)
            yield (whole, UnreadRepliesCase(x, grade / largest, size, weight=(weight / largest)[drawn], delta=DELTA / 2)), wrong

    return _worst(cases)


def judge_and_people(runs: int, looks: int = 150, further: int = 4) -> Errors:
    """People grade one answer in five, a judge all, whose words cannot always be read; people's scores are at the grade.

    Here the adversary lets all be read until predictions have their weight, then hides those of people's answers, or others.
    """
    errors: Errors = {}
    for readability in WAYS:
        rng = np.random.default_rng(1)
        rates = []
        for run in range(runs):
            x = _ones(rng, GRADE, (looks, further + 1))
            g = near(0.0, 0.2)(rng, x)
            chance = rng.random(x.shape)
            last = np.arange(further + 1) == further
            late = (np.arange(looks) > 20)[:, None]
            of_people = np.broadcast_to(last, x.shape)
            hidden = {
                "at random": chance < readability.share,
                "in its favour": of_people & (chance < 5 * readability.share),
                "against it": ~of_people & (chance < 1.25 * readability.share),
                "adversary": late & (of_people if run % 2 else ~of_people) & (chance < 3 * readability.share),
            }[readability.policy]
            rates.append(together(x[:, -1], np.where(hidden, 0.0, g), np.where(hidden, 1.0, g), further))
        errors[name_of(readability)] = max(rates.count(v) for v in (Verdict.PASS, Verdict.FAIL)) / runs
    return errors


def together(x: Floats, low: Floats, high: Floats, further: int, *, upper: Floats | None = None) -> Verdict:
    """What the examination concludes from people's scores (at most `upper`), and the ends of the judge's of all answers."""
    test = PredictedSequentialTest(Criterion(GRADE, None), further=further)
    test.predict(low[:, -1], low[:, :-1].mean(axis=1), judged_at_most=high[:, -1], fresh_at_most=high[:, :-1].mean(axis=1))
    return test.update(x, np.zeros(x.size), upper=upper)


def naive_judge(runs: int, looks: int = 150, further: int = 4) -> float:
    """Share of wrong verdicts if a missing prediction is put to 0, and an adversary hides those of people's answers."""
    rng = np.random.default_rng(1)
    wrong = 0
    for _ in range(runs):
        x = _ones(rng, GRADE, (looks, further + 1))
        g = near(0.0, 0.2)(rng, x)
        g[21:, -1] = 0.0
        wrong += together(x[:, -1], g, g, further) is Verdict.PASS
    return wrong / runs


def questions(share: float, *, runs: int, in_between: bool = False, score: float = 0.9) -> float:
    """Median number of questions until "pass" against the grade, if so many replies cannot be read, at random."""
    rng = np.random.default_rng(2)
    needed = []
    for _ in range(runs):
        x = rng.beta(10 * score, 10 * (1 - score), 400) if in_between else _ones(rng, score, (400,))
        hidden = rng.random(400) < share
        test = SequentialTest(Criterion(GRADE, None))
        for part in np.split(np.arange(400), 20):
            if not test.over:
                unknown = hidden[part]
                test.update(np.where(unknown, 0.0, x[part]), np.zeros(20), upper=np.where(unknown, 1.0, x[part]))
        needed.append(test.n)
    return float(np.median(needed))


def leaning_against_mixture(score: float, share: float, *, runs: int, looks: int) -> tuple[Floats, Floats]:
    """Questions until the evidence for "pass" is enough, `looks` at most, by bets that lean and by the mixture's."""
    rng = np.random.default_rng(3)
    bets = ManyLeaningTests(mean_passes(GRADE), runs, goal=ENOUGH), Capital(mean_passes(GRADE), runs)
    needed = np.full((2, runs), float(looks))
    for t in range(looks):
        hidden = rng.random(runs) < share
        low = np.where(hidden, 0.0, _ones(rng, score, (runs,)))
        for side, evidence in enumerate((bets[0].take_ends(low, hidden), bets[1].take(low))):
            needed[side] = np.where(evidence >= ENOUGH, np.minimum(needed[side], t + 1), needed[side])
    return needed[0], needed[1]


def _ones(rng: np.random.Generator, mean: float, shape: tuple[int, ...]) -> Floats:
    return (rng.random(shape) < mean).astype(float)


STUDIES: dict[str, Callable[[int], Errors]] = {
    "endless": endless,
    "endless, every 0 unacceptable": zero_is_unacceptable,
    "10 questions": lambda runs: finite(10, runs),
    "50 questions": lambda runs: finite(50, runs),
    "200 questions": lambda runs: finite(200, runs),
    "500 questions": lambda runs: finite(500, runs),
    "clusters of five": clusters,
    "strata": lambda runs: strata(runs, once=False),
    "strata, each question once": lambda runs: strata(runs, once=True),
    "weights": weights,
    "deployed": deployed,
    "judge with people": judge_and_people,
}


def main() -> None:
    runs = runs_of(__doc__)
    designs = ((name, *study(runs).values()) for name, study in STUDIES.items())
    print_table(("design", *map(name_of, WAYS)), designs)
    print(f"A missing prediction put to 0, hidden by an adversary: {naive_judge(runs // 4):.0%} wrong\n")
    medians = (
        (name, *(f"{floor(questions(share, runs=runs, in_between=in_between))}" for share in (0.0, 0.05)))
        for name, in_between in (("right or wrong", False), ("in between", True))
    )
    print_table(("scores", "0%", "5%"), medians)
    bets = ((0.95, 0.05, 300), (0.9, 0.05, 500), (0.9, 0.1, 800), (0.85, 0.05, 800), (0.8, 0.05, 2_500))
    needed = (
        (f"{score}", f"{share:.0%}", *(f"{floor(np.median(asked))} ({asked.mean():.0f})" for asked in both))
        for score, share, looks in bets
        for both in [leaning_against_mixture(score, share, runs=runs // 2, looks=looks)]
    )
    print_table(("score", "unread", "leaning", "mixture"), needed)


if __name__ == "__main__":
    main()
